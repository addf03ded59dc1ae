package findings

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

const (
	maxMaking = 16 // jobs under way: one works, others wait for it
	maxKept   = 64 // jobs done
)

// jobs make advice, one at a time, and keep it.
type jobs struct {
	ctx    context.Context // ends all
	srv    *server.Server
	limits Limits
	turn   chan struct{} // of the one that works

	mu    sync.Mutex
	byKey map[string]*job
}

func newJobs(ctx context.Context, srv *server.Server, limits Limits) *jobs {
	return &jobs{ctx: ctx, srv: srv, limits: limits, turn: make(chan struct{}, 1), byKey: make(map[string]*job)}
}

// A job is advice being made, or made.
type job struct {
	work   *work
	begun  time.Time
	cancel context.CancelFunc
	done   chan struct{} // closed when made or err is set

	// Guarded by jobs.mu until done is closed.
	stage   string
	waiting int         // requests that wait for it
	idle    *time.Timer // ends it, while none does

	made  *made
	stamp string // of the source
	err   error
}

func (j *job) isDone() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// ask returns the advice with a key, or how far it is if it isn't there after a while.
// Where there is none, or one that holds no more, open says what it is to be made of.
func (s *jobs) ask(ctx context.Context, key string, wait time.Duration, open func(context.Context) (*work, error)) (*made, *api.AdviceProgress, error) {
	j := s.join(key, nil)
	if j == nil {
		w, err := open(ctx)
		if err != nil {
			return nil, nil, err
		}
		if j = s.join(key, w); j == nil {
			if j, err = s.begin(ctx, key, w); err != nil {
				return nil, nil, err
			}
		}
	}
	defer s.leave(key, j)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-j.done:
		return j.made, nil, j.err
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	case <-timer.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.isDone() {
		return j.made, nil, j.err
	}
	return nil, &api.AdviceProgress{Stage: j.stage, Elapsed: time.Since(j.begun).Milliseconds()}, nil
}

// join returns the job with a key for one more who asks, if what it makes still holds:
// as long as the source is the same, and the profiles are. Those of w, if they are
// known already, else for a while.
func (s *jobs) join(key string, w *work) *job {
	s.mu.Lock()
	j := s.byKey[key]
	if j != nil && !j.isDone() {
		defer s.mu.Unlock()
		j.waiting++
		j.idle.Stop()
		return j
	}
	s.mu.Unlock()
	switch {
	case j == nil:
		return nil
	case w == nil && time.Since(j.made.at) > s.limits.Fresh, w != nil && w.version != j.work.version:
		return nil
	}
	if stamp, _ := j.work.stamp(j.made.report); stamp != j.stamp {
		return nil
	}
	return j
}

// begin starts a job for one who asks. Another may have done so meanwhile.
func (s *jobs) begin(ctx context.Context, key string, w *work) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	making := 0
	var oldest string
	for k, j := range s.byKey {
		if k == key && !j.isDone() {
			j.waiting++
			j.idle.Stop()
			return j, nil
		}
		if !j.isDone() {
			making++
		} else if first := s.byKey[oldest]; first == nil || j.begun.Before(first.begun) {
			oldest = k
		}
	}
	if making >= maxMaking {
		return nil, &server.Error{Status: http.StatusServiceUnavailable, Err: errors.New("too much advice is in progress: try again in a moment")}
	}
	if len(s.byKey)-making >= maxKept {
		delete(s.byKey, oldest)
	}
	// It outlives the request, for who asks again, and sees what that one sees.
	work, cancel := context.WithCancel(auth.With(s.ctx, auth.From(ctx)))
	j := &job{work: w, begun: time.Now(), cancel: cancel, done: make(chan struct{}), stage: "loading profiles", waiting: 1}
	j.idle = time.AfterFunc(s.limits.Linger, func() { s.abandon(key, j) })
	j.idle.Stop()
	s.byKey[key] = j
	go s.run(work, key, j)
	return j, nil
}

// leave ends one's wait.
func (s *jobs) leave(key string, j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.isDone() {
		return
	}
	if j.waiting--; j.waiting == 0 {
		j.idle.Reset(s.limits.Linger)
	}
}

// abandon ends a job that nobody asks for any more.
func (s *jobs) abandon(key string, j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.waiting > 0 || j.isDone() {
		return
	}
	if s.byKey[key] == j {
		delete(s.byKey, key)
	}
	j.cancel()
}

func (s *jobs) run(ctx context.Context, key string, j *job) {
	made, stamp, err := s.makeInTurn(ctx, j)
	s.mu.Lock()
	defer s.mu.Unlock()
	j.made, j.stamp, j.err = made, stamp, err
	if err != nil && s.byKey[key] == j {
		delete(s.byKey, key) // errors are not kept
	}
	j.idle.Stop()
	j.cancel()
	close(j.done)
}

func (s *jobs) makeInTurn(ctx context.Context, j *job) (m *made, stamp string, err error) {
	tell := func(stage string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		j.stage = stage
	}
	select {
	case s.turn <- struct{}{}:
	default:
		tell("waiting for other advice")
		select {
		case s.turn <- struct{}{}:
			tell("loading profiles")
		case <-ctx.Done():
			return nil, "", context.Cause(ctx)
		}
	}
	defer func() { <-s.turn }()
	slow := &server.Error{Status: http.StatusServiceUnavailable, Err: fmt.Errorf("advice took longer than %v: run hone advise in the module's folder, which has no time limit", s.limits.Time)}
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, slow)
	defer cancel()
	begun := time.Now()
	_, _, err = s.srv.Cache.Guarded(ctx, func(ctx context.Context) (any, int64, error) {
		m, err = j.work.do(ctx, j.work, tell)
		return nil, 0, err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		return nil, "", err
	}
	stamp, changed := j.work.stamp(m.report)
	if !changed.Before(begun) {
		stamp = "" // while it was read: no source is the one that this is of
	}
	return m, stamp, nil
}
