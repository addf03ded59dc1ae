package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// intake is what bodies of requests have to share.
type intake struct {
	memory   *ingest.Memory
	limits   Limits
	bodyTime *atomic.Int64 // what a body may take in all, in ns; 0 is no bound
}

// limited bounds how much memory pushes take: each takes it from what all share
// as its bytes come, so that who sends nothing holds nothing.
func (in intake) limited(agents *Agents, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		share := in.share(w, r, in.limits.Push)
		defer share.Close()
		r = r.WithContext(ingest.WithShare(r.Context(), share))
		if isRPC(r) {
			if err := wire.OpenRPC(w, r, agents.Receiver.Limits().BodyBytes); err != nil {
				refuse(w, r, wire.Error(err))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// share is Server.Share.
func (in intake) share(w http.ResponseWriter, r *http.Request, most int64) *ingest.Share {
	share := in.memory.Push(r.Context(), most)
	a := &arriving{ReadCloser: r.Body, share: share, rate: in.limits.Rate, grace: in.limits.Grace, began: time.Now(), conn: http.NewResponseController(w)}
	if most := time.Duration(in.bodyTime.Load()); most > 0 {
		a.end = a.began.Add(most)
	}
	r.Body = a
	// What isn't read of one request of a connection of HTTP/2 keeps others from coming.
	share.Hurry(r.ProtoMajor > 1)
	return share
}

// arriving is the body of a request.
type arriving struct {
	io.ReadCloser
	share *ingest.Share
	conn  *http.ResponseController
	rate  int64 // bytes per second that have to come on average, once grace is over; negative is no bound
	grace time.Duration
	began time.Time
	end   time.Time // when all of it has to be there
	got   int64
	read  time.Time // when the latest read ended
	free  bool      // it may take its time
}

// Started tells that the first message of a stream is there: others may come
// whenever they do.
func (a *arriving) Started() { a.free = true }

func (a *arriving) Read(p []byte) (int, error) {
	if !a.read.IsZero() { // what the server waits for, such as its turn, is not the sender's fault
		a.began = a.began.Add(time.Since(a.read))
	}
	if !a.free && a.rate >= 0 {
		due := a.began.Add(a.grace + time.Duration(float64(a.got)/float64(max(1, a.rate))*float64(time.Second)))
		if !a.end.IsZero() && a.end.Before(due) {
			due = a.end
		}
		a.conn.SetReadDeadline(due) // not of every kind of connection
	}
	n, err := a.ReadCloser.Read(p)
	a.got += int64(n)
	a.read = time.Now()
	if err == io.EOF {
		a.share.Hurry(false)
		if !a.free {
			a.conn.SetReadDeadline(time.Time{})
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		err = ingest.Errorf(ingest.TooSlow, "received %d bytes in %s, which is too slow: send at least %d bytes per second", a.got, time.Since(a.began).Round(time.Second), a.rate)
	}
	if n > 0 {
		// The buffer that it goes into grows by copies.
		if err := a.share.Take(int64(2 * n)); err != nil {
			return 0, err
		}
	}
	return n, err
}
