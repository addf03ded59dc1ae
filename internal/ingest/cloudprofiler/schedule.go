package cloudprofiler

import (
	"container/list"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A scheduler lets polls wait until a profile is due: of each deployment and
// type one an interval, from whichever agent has waited longest.
type scheduler struct {
	cfg *Config

	mu          sync.Mutex
	closed      bool
	deployments map[string]*deploymentSchedule
	waiting     int       // polls of all deployments
	forgot      time.Time // when forget was called
}

// A deploymentSchedule says when profiles of a deployment are due: of the agents of one
// service, in one version and zone. They take turns.
type deploymentSchedule struct {
	due   map[profileType]time.Time
	polls list.List // of *poll, by rising time of arrival
	timer *time.Timer
	last  time.Time // of the last poll
}

// A poll is an agent that waits to be told what to profile.
type poll struct {
	types  []profileType
	answer chan answer // of capacity 1; gets one answer at most
	place  *list.Element
}

type answer struct {
	typ profileType
	was time.Time // when the type was due
	err error
}

// A backoff tells an agent when to ask again.
type backoff struct {
	after time.Duration
	why   string
}

func (b *backoff) Error() string {
	return fmt.Sprintf("%s; ask again in %v", b.why, b.after.Round(time.Millisecond))
}

// about returns a random time near d, so that agents that are sent away
// together don't come back together.
func about(d time.Duration) time.Duration {
	return d/2 + rand.N(d)
}

// afterQuiet is when an agent asks again, about, that was only answered to see
// whether it is still there.
const afterQuiet = time.Second

func newScheduler(cfg *Config) *scheduler {
	return &scheduler{cfg: cfg, deployments: make(map[string]*deploymentSchedule)}
}

// next waits until a profile of one of types is due in a deployment, and
// returns its type. Errors are of type *backoff, or ctx's.
func (s *scheduler) next(ctx context.Context, key string, types []profileType) (profileType, error) {
	p := &poll{types: types, answer: make(chan answer, 1)}
	d, err := s.enter(key, p)
	if err != nil {
		return 0, err
	}
	quiet := time.NewTimer(s.cfg.MaxPoll)
	defer quiet.Stop()
	var gone error
	select {
	case a := <-p.answer:
		return a.typ, a.err
	case <-quiet.C:
		gone = &backoff{about(afterQuiet), "no profile was due for a long time"}
	case <-ctx.Done():
		gone = ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case a := <-p.answer: // in the meantime
		if a.err != nil || ctx.Err() == nil {
			return a.typ, a.err
		}
		d.due[a.typ] = a.was // for somebody who is still there
		s.dispatch(d)
	default:
		s.leave(d, p)
	}
	return 0, gone
}

// enter adds a poll to its deployment, and answers it if something is due.
func (s *scheduler) enter(key string, p *poll) (*deploymentSchedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.closed {
		return nil, &backoff{about(s.cfg.RestartDelay), "the server is shutting down"}
	}
	d := s.deployments[key]
	if d == nil {
		if len(s.deployments) >= s.cfg.MaxDeployments && !s.forget(now) {
			return nil, &backoff{about(s.cfg.longest), fmt.Sprintf("there are already %d deployments, which is the limit", len(s.deployments))}
		}
		d = &deploymentSchedule{due: make(map[profileType]time.Time)}
		s.deployments[key] = d
		s.stagger(d, p.types, now)
	}
	for _, t := range p.types {
		if _, ok := d.due[t]; !ok {
			d.due[t] = now.Add(rand.N(s.cfg.schedule(t).Interval))
		}
	}
	d.last = now
	p.place = d.polls.PushBack(p)
	s.waiting++
	s.dispatch(d)
	// What is due was given out: an agent that comes when there is no room has
	// not been sent away before its deployment is seen to.
	if p.place != nil && (s.waiting > s.cfg.MaxPolls || d.polls.Len() > s.cfg.MaxPollsPerDeployment) {
		s.leave(d, p)
		return nil, &backoff{about(s.cfg.longest), "too many agents are waiting"}
	}
	return d, nil
}

// stagger sets when the types of a new deployment are due: one of them now, the
// others, and that one again, evenly spread over an interval. Where this starts
// is random, so that deployments that came together don't stay together.
func (s *scheduler) stagger(d *deploymentSchedule, types []profileType, now time.Time) {
	n := float64(len(types))
	phase := rand.Float64() * min(1, n/2) // give needs the first one no later than half an interval ago
	for i, k := range rand.Perm(len(types)) {
		t := types[k]
		d.due[t] = now.Add(time.Duration((float64(i) - phase) / n * float64(s.cfg.schedule(t).Interval)))
	}
}

// dispatch gives what is due to those who have waited longest, and sees to it
// that it is called again when more is due.
func (s *scheduler) dispatch(d *deploymentSchedule) {
	if s.closed {
		return
	}
	now := time.Now()
	var wake time.Time
	for e := d.polls.Front(); e != nil; {
		p := e.Value.(*poll)
		e = e.Next()
		if first := d.first(); first.After(now) {
			wake = first
			break
		}
		t := d.earliest(p.types)
		was := d.due[t]
		if was.After(now) {
			if wake.IsZero() || was.Before(wake) {
				wake = was
			}
			continue
		}
		s.give(d, t, now)
		s.leave(d, p)
		p.answer <- answer{typ: t, was: was}
	}
	switch {
	case d.polls.Len() == 0 || wake.IsZero():
		if d.timer != nil {
			d.timer.Stop()
		}
	case d.timer == nil:
		d.timer = time.AfterFunc(wake.Sub(now), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dispatch(d)
		})
	default:
		d.timer.Reset(wake.Sub(now))
	}
}

// give sets when a type that is due now is due again. The rhythm is kept,
// unless nobody was there to keep it.
func (s *scheduler) give(d *deploymentSchedule, t profileType, now time.Time) {
	interval := s.cfg.schedule(t).Interval
	next := d.due[t].Add(interval)
	if next.Before(now.Add(interval / 2)) {
		next = now.Add(interval)
	}
	d.due[t] = next
}

// first returns when the next type is due.
func (d *deploymentSchedule) first() time.Time {
	var first time.Time
	for _, due := range d.due {
		if first.IsZero() || due.Before(first) {
			first = due
		}
	}
	return first
}

// earliest returns the one of types that is due first.
func (d *deploymentSchedule) earliest(types []profileType) profileType {
	return slices.MinFunc(types, func(a, b profileType) int { return d.due[a].Compare(d.due[b]) })
}

// leave removes a poll that waits.
func (s *scheduler) leave(d *deploymentSchedule, p *poll) {
	if p.place != nil {
		d.polls.Remove(p.place)
		p.place = nil
		s.waiting--
	}
}

// forget removes the deployments that no agent has asked for in long. Agents
// that are profiling don't wait either, but they are back within an interval.
func (s *scheduler) forget(now time.Time) bool {
	if now.Sub(s.forgot) < time.Second {
		return false // it looks at all of them
	}
	s.forgot = now
	before := len(s.deployments)
	maps.DeleteFunc(s.deployments, func(_ string, d *deploymentSchedule) bool {
		return d.polls.Len() == 0 && now.Sub(d.last) > 2*s.cfg.longest
	})
	return len(s.deployments) < before
}

// counts returns the numbers of deployments and of polls that wait.
func (s *scheduler) counts() (deployments, polls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(time.Now())
	return len(s.deployments), s.waiting
}

// close sends all who wait away, and those who come later.
func (s *scheduler) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, d := range s.deployments {
		if d.timer != nil {
			d.timer.Stop()
		}
		for d.polls.Len() > 0 {
			p := d.polls.Front().Value.(*poll)
			s.leave(d, p)
			p.answer <- answer{err: &backoff{about(s.cfg.RestartDelay), "the server is shutting down"}}
		}
	}
}
