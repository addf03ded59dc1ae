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
	maxMaking = 16 // unfinished jobs: one runs, the others wait
	maxKept   = 64 // finished jobs
)

// jobs computes advice, one job after another, and caches it.
type jobs struct {
	ctx  context.Context // ends all jobs
	srv  *server.Server
	cfg  *Config
	turn chan struct{} // taken by the running job

	mu    sync.Mutex
	byKey map[string]*job
}

func newJobs(ctx context.Context, srv *server.Server, cfg *Config) *jobs {
	return &jobs{ctx: ctx, srv: srv, cfg: cfg, turn: make(chan struct{}, 1), byKey: make(map[string]*job)}
}

// A job is advice, finished or not.
type job struct {
	work   *work
	begun  time.Time
	cancel context.CancelFunc
	done   chan struct{} // closed when made or err is set

	// Guarded by jobs.mu until done is closed.
	stage   string
	waiting int         // requests that wait for it
	idle    *time.Timer // ends the job if no request waits

	made  *made
	stamp string // version of the source
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

// ask returns the advice that answers a question, or its progress if it isn't finished
// after the time wait. If there is no current advice, ask starts a job.
func (s *jobs) ask(ctx context.Context, q *question, wait time.Duration) (*made, *api.AdviceProgress, error) {
	key := q.key(ctx)
	j := s.join(key, nil)
	if j == nil {
		w, err := q.open(ctx, s.cfg)
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

// join returns the job with a key for one more request, if its advice is still current:
// the source is the same, and so are the profiles. If w is nil, the profiles count as
// the same for a while.
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
	case w == nil && time.Since(j.made.at) > s.cfg.Limits.Fresh, w != nil && w.version != j.work.version:
		return nil
	}
	if stamp, _ := stampOf(s.cfg.Module.Dir, j.made.report); stamp != j.stamp {
		return nil
	}
	return j
}

// begin starts a job for a request, unless another request has started it meanwhile.
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
	// The job outlives the request, so that the client can ask again. It has the same permissions.
	work, cancel := context.WithCancel(auth.With(s.ctx, auth.From(ctx)))
	j := &job{work: w, begun: time.Now(), cancel: cancel, done: make(chan struct{}), stage: "loading profiles", waiting: 1}
	j.idle = time.AfterFunc(s.cfg.Limits.Linger, func() { s.abandon(key, j) })
	j.idle.Stop()
	s.byKey[key] = j
	go s.run(work, key, j)
	return j, nil
}

// leave ends the wait of one request.
func (s *jobs) leave(key string, j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.isDone() {
		return
	}
	if j.waiting--; j.waiting == 0 {
		j.idle.Reset(s.cfg.Limits.Linger)
	}
}

// abandon ends a job that no request waits for.
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
		delete(s.byKey, key) // errors aren't cached
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
	slow := &server.Error{Status: http.StatusServiceUnavailable, Err: fmt.Errorf("advice took longer than %v: run hone advise in the module's folder, which has no time limit", s.cfg.Limits.Time)}
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.Limits.Time, slow)
	defer cancel()
	begun := time.Now()
	_, _, err = s.srv.Cache.Guarded(ctx, func(ctx context.Context) (any, int64, error) {
		m, err = j.work.make(ctx, s.cfg, tell)
		return nil, 0, err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		return nil, "", err
	}
	stamp, changed := stampOf(s.cfg.Module.Dir, m.report)
	if !changed.Before(begun) {
		stamp = "" // while it was read: no source is the one that this is of
	}
	return m, stamp, nil
}
