package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/hone-go/hone/internal/ingest"
)

// A deadlined writer notes the deadline of reading.
type deadlined struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadlined) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}

// A push that waits for its turn between two reads of its body is not too slow.
func TestWaitingIsNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
		share := ingest.NewMemory(0).Push(t.Context(), 0)
		defer share.Close()
		const grace = 10 * time.Second
		a := &arriving{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader("abc"))), share: share, rate: 1000, grace: grace,
			began: time.Now(), conn: http.NewResponseController(w)}
		for range 3 {
			if _, err := a.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if left := time.Until(w.at); left < grace {
				t.Errorf("the sender has %v for more", left)
			}
			time.Sleep(30 * time.Second) // the server's
		}
	})
}
