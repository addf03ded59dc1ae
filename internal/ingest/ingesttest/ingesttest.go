// Package ingesttest has what the tests of protocols share: a Receiver that
// remembers, and the ways in which requests go wrong.
package ingesttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Recorder is a Receiver that decodes what it receives and keeps it in memory.
type Recorder struct {
	Lim ingest.Limits // what Limits returns
	Err error         // what Receive returns, if it isn't nil

	mu     sync.Mutex
	pushes []Received
}

// Received is a push as it arrived.
type Received struct {
	ingest.Push
	Protocol string
	Labels   store.Labels
	Decoded  *profile.Profile
}

// Receive implements ingest.Receiver.
func (r *Recorder) Receive(_ context.Context, protocol string, pushes ...ingest.Push) error {
	if r.Err != nil {
		return r.Err
	}
	if r.Lim.Pushes > 0 && len(pushes) > r.Lim.Pushes {
		return ingest.Errorf(ingest.TooLarge, "%d profiles in one request, at most %d are allowed", len(pushes), r.Lim.Pushes)
	}
	var all []Received
	var refused error
	for _, p := range pushes {
		if p.Err != nil {
			refused = p.Err
			continue
		}
		labels, err := store.NewLabels(p.Labels...)
		if err != nil {
			return ingest.Errorf(ingest.Malformed, "%w", err)
		}
		decoded := p.Profile
		if decoded == nil {
			decode := profile.DecodeBytes
			if p.Parse != nil {
				decode = p.Parse
			}
			if decoded, err = decode(p.Data, profile.Limits{}); err != nil {
				return ingest.Errorf(ingest.Malformed, "the profile can't be read: %w", err)
			}
		}
		p.Data = bytes.Clone(p.Data) // it is the sender's
		all = append(all, Received{p, protocol, labels, decoded})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pushes = append(r.pushes, all...)
	return refused
}

// Limits implements ingest.Receiver.
func (r *Recorder) Limits() ingest.Limits { return r.Lim }

// Pushes returns what arrived since the last call.
func (r *Recorder) Pushes() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.pushes
	r.pushes = nil
	return all
}

// Profile returns the bytes of a file of the repository's testdata.
func Profile(t testing.TB, name string) []byte {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ProfileAt is Profile, with another start of the collection in it.
func ProfileAt(t testing.TB, name string, start time.Time) []byte {
	t.Helper()
	p, err := profile.DecodeBytes(Profile(t, name), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p.TimeNanos = start.UnixNano()
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ValueSums returns the sum of every sample type, by "type/unit".
func ValueSums(p *profile.Profile) map[string]int64 {
	sums := map[string]int64{}
	for t, st := range p.SampleTypes {
		sums[st.Type+"/"+st.Unit] += 0
		for _, v := range p.Values[t] {
			sums[st.Type+"/"+st.Unit] += v
		}
	}
	return sums
}

// Bomb returns n zero bytes, gzipped.
func Bomb(n int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	zeros := make([]byte, 1<<20)
	for n > 0 {
		k := min(n, len(zeros))
		z.Write(zeros[:k])
		n -= k
	}
	z.Close()
	return b.Bytes()
}

// Gzip returns data gzipped.
func Gzip(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}
