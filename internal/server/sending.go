package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// sendingGrace is how long a body may take however slowly it comes, if nothing
// else is said.
const sendingGrace = 10 * time.Second

// limited bounds how much memory pushes take: each takes it from what all share
// as its bytes come, so that who sends nothing holds nothing.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		share := s.Share(w, r, s.cfg.Limits.Push)
		defer share.Close()
		r = r.WithContext(ingest.WithShare(r.Context(), share))
		if isRPC(r) {
			if err := wire.OpenRPC(w, r, s.cfg.Agents.Receiver.Limits().BodyBytes); err != nil {
				s.refuse(w, r, wire.Error(err))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Share makes the body of a request one that takes memory as it comes, at most
// so much unless that is 0, and ends when it comes too slowly. The caller closes
// what it returns when nothing of the body is needed any more.
func (s *Server) Share(w http.ResponseWriter, r *http.Request, most int64) *ingest.Share {
	share := s.memory.Push(r.Context(), most)
	a := &arriving{ReadCloser: r.Body, share: share, rate: s.cfg.Limits.Rate, grace: s.cfg.Limits.Grace, began: time.Now(), conn: http.NewResponseController(w)}
	if most := time.Duration(s.bodyTime.Load()); most > 0 {
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
		err = ingest.Errorf(ingest.TooSlow, "%d bytes came in %s, which is too slow: at least %d per second are needed", a.got, time.Since(a.began).Round(time.Second), a.rate)
	}
	if n > 0 {
		// The buffer that it goes into grows by copies.
		if err := a.share.Take(int64(2 * n)); err != nil {
			return 0, err
		}
	}
	return n, err
}
