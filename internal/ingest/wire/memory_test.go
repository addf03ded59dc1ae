package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hone-go/hone/internal/ingest"
)

// shared returns a request with a body whose bytes take memory as those of a server do.
func shared(t *testing.T, body io.Reader, length int64, encoding string, most int64) (*http.Request, *ingest.Share) {
	share := ingest.NewMemory(0).Push(t.Context(), most)
	t.Cleanup(share.Close)
	r := httptest.NewRequest("POST", "/", share.Charged(body))
	r.ContentLength = length
	r.Header.Set("Content-Encoding", encoding)
	return r.WithContext(ingest.WithShare(r.Context(), share)), share
}

// A body that has come in takes the memory of its bytes, and nothing for the buffers that
// it grew in and for what it was decompressed from.
func TestBodyGivesBack(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.NoCompression)
	w.Write(data)
	w.Close()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		encoding string
		sent     []byte
		known    bool // the length
		most     int
	}{
		{"", data, true, len(data) + 8192}, // an allocation is rounded up
		{"", data, false, 2 * len(data)},
		{"gzip", zipped.Bytes(), true, 2 * len(data)},
		{"zstd", z.EncodeAll(data, nil), true, 2 * len(data)},
	} {
		length := int64(-1)
		if test.known {
			length = int64(len(test.sent))
		}
		// Pieces as small as those of a network.
		r, share := shared(t, iotest.HalfReader(bytes.NewReader(test.sent)), length, test.encoding, 0)
		got, err := Body(httptest.NewRecorder(), r, 0)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q: %d bytes, %v", test.encoding, len(got), err)
		}
		if used := share.Used(); used < int64(len(data)) || used > int64(test.most) {
			t.Errorf("%q: the body of %d bytes takes %d, want at most %d", test.encoding, len(data), used, test.most)
		}
	}
}

// A length that is not true costs no memory, and loses no bytes.
func TestFalseLength(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	for _, length := range []int64{1, 5000, int64(len(data)) - 1, 1 << 40} {
		got, err := readAll(bytes.NewReader(data), length, nil)
		if err != nil || !bytes.Equal(got, data) || cap(got) > 2*len(data) {
			t.Errorf("length %d: %d bytes in %d, %v", length, len(got), cap(got), err)
		}
	}
}

// The window of zstd data takes memory before there is any data in it.
func TestZstdWindow(t *testing.T) {
	// Magic number, a window of 8 MiB, and a block of one byte that comes 128 kB times.
	frame := []byte("\x28\xb5\x2f\xfd\x00\x68\x02\x00\x10A")
	r, share := shared(t, bytes.NewReader(frame), -1, "zstd", 0)
	z, err := unzstd(r.Context(), r.Body)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if n, err := z.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Fatalf("%d bytes, %v: the frame is not what it is meant to be", n, err)
	}
	if share.Used() < 8<<20 {
		t.Errorf("it takes %d bytes", share.Used())
	}
	var refused *ingest.Error
	r, _ = shared(t, bytes.NewReader(frame), -1, "zstd", 4<<20)
	if _, err := Body(httptest.NewRecorder(), r, 0); !errors.As(err, &refused) || refused.Reason != ingest.TooLarge {
		t.Errorf("with 4 MiB for the request: %v", err)
	}
	// A small frame, and then one with a larger window.
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ = shared(t, bytes.NewReader(append(enc.EncodeAll([]byte("small"), nil), frame...)), -1, "zstd", 0)
	if _, err := Body(httptest.NewRecorder(), r, 0); !errors.As(err, &refused) || refused.Reason != ingest.TooLarge {
		t.Errorf("a larger window behind a small one: %v", err)
	}
}

// What is reckoned for messages in JSON is enough for building them, and not many times
// what they need.
func TestBuiltFromJSON(t *testing.T) {
	list := func(name, element string) string {
		return `{"dictionary":{"` + name + `":[` + element + strings.Repeat(","+element, 50_000) + `]}}`
	}
	for name, text := range map[string]string{
		"objects": list("functionTable", "{}"),
		"lines":   list("locationTable", `{"lines":[{}]}`),
		"texts":   list("stringTable", `""`),
		"numbers": `{"dictionary":{"stackTable":[{"locationIndices":[1` + strings.Repeat(",1", 200_000) + `]}]}}`,
		"bytes":   fmt.Sprintf(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"originalPayload":%q}]}]}]}`, base64.StdEncoding.EncodeToString(make([]byte, 1<<20))),
	} {
		want := builtFromJSON([]byte(text))
		var before, after runtime.MemStats
		var m profiles.ProfilesData
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := UnmarshalJSON([]byte(text), &m, 1<<20); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		built := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		runtime.KeepAlive(&m)
		if built > want || want > 8*built+1<<20 {
			t.Errorf("%s: %d bytes of JSON need %d, reckoned are %d", name, len(text), built, want)
		}
	}
}
