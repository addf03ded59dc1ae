package cloudprofiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
)

var goTypes = []profileType{profilerpb.ProfileType_CPU, profilerpb.ProfileType_HEAP, profilerpb.ProfileType_THREADS, profilerpb.ProfileType_HEAP_ALLOC, profilerpb.ProfileType_CONTENTION}

func newTestScheduler(t *testing.T, cfg Config) *scheduler {
	t.Helper()
	cfg, err := cfg.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return newScheduler(&cfg)
}

// A given profile is one that an agent was asked for.
type given struct {
	agent string
	typ   profileType
	at    time.Duration // since the start
}

// fleet runs agents as they behave: they ask, profile, and ask again, until the
// time is over.
func fleet(t *testing.T, s *scheduler, length time.Duration, agents map[string][]profileType) []given {
	t.Helper()
	var mu sync.Mutex
	var all []given
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var wg sync.WaitGroup
	for name, types := range agents {
		wg.Go(func() {
			for {
				typ, err := s.next(ctx, "deployment", types)
				var away *backoff
				switch {
				case errors.As(err, &away):
					time.Sleep(away.after)
					continue
				case err != nil:
					return
				}
				mu.Lock()
				all = append(all, given{name, typ, time.Since(start)})
				mu.Unlock()
				time.Sleep(s.cfg.schedule(typ).Duration)
			}
		})
	}
	wg.Wait()
	return all
}

func ofType(all []given, t profileType) (some []given) {
	for _, g := range all {
		if g.typ == t {
			some = append(some, g)
		}
	}
	return some
}

func TestFirstPollIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := fleet(t, newTestScheduler(t, Config{}), time.Second, map[string][]profileType{"a": goTypes})
		if len(all) == 0 || all[0].at != 0 {
			t.Errorf("asked for %v", all)
		}
	})
}

// However many agents there are, each type is profiled once a minute, and no
// agent is profiled twice before all have been.
func TestFleetIsProfiledOnceAMinute(t *testing.T) {
	for _, instances := range []int{1, 2, 20} {
		t.Run(fmt.Sprint(instances), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestScheduler(t, Config{})
				agents := make(map[string][]profileType)
				for i := range instances {
					agents[fmt.Sprint(i)] = goTypes
				}
				all := fleet(t, s, time.Hour, agents)
				for _, typ := range goTypes {
					times := ofType(all, typ)
					if len(times) < 59 || len(times) > 61 {
						t.Errorf("%d %v profiles in an hour", len(times), typ)
					}
					for i := 1; i < len(times); i++ {
						// A lone agent may still be busy with another profile when one is due.
						if gap := times[i].at - times[i-1].at; gap < 30*time.Second || gap > 90*time.Second {
							t.Errorf("%v after %v between two %v profiles", times[i].at, gap, typ)
						}
					}
				}
				turns := make(map[string]int)
				for _, g := range all {
					turns[g.agent]++
				}
				if len(turns) != instances {
					t.Errorf("%d of %d agents were asked", len(turns), instances)
				}
				for agent, n := range turns {
					if mean := len(all) / instances; n < mean-mean/5-1 || n > mean+mean/5+1 {
						t.Errorf("agent %s has %d turns; the mean is %d", agent, n, mean)
					}
				}
			})
		})
	}
}

// The types of a deployment take turns instead of coming in a bunch.
func TestTypesAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := fleet(t, newTestScheduler(t, Config{}), time.Minute-time.Second, map[string][]profileType{"a": goTypes, "b": goTypes})
		for i := 2; i < len(all); i++ {
			if gap := all[i].at - all[i-1].at; gap < 11*time.Second || gap > 13*time.Second {
				t.Errorf("%v between %v and %v", gap, all[i-1], all[i])
			}
		}
	})
}

// Deployments that come at the same time, as after a restart, don't stay in step.
func TestDeploymentsDriftApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{})
		cpu := goTypes[:1]
		var mu sync.Mutex
		second := make(map[time.Duration]bool)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				for range 2 {
					if _, err := s.next(t.Context(), fmt.Sprint(i), cpu); err != nil {
						t.Error(err)
					}
				}
				mu.Lock()
				second[time.Since(start)/time.Second] = true
				mu.Unlock()
			})
		}
		wg.Wait()
		if len(second) < 10 {
			t.Errorf("the second profiles of 50 deployments come in %d seconds of a minute", len(second))
		}
	})
}

// An agent is only asked for what it offers, and gets what others don't offer.
func TestAgentsOfDifferentTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{})
		offers := map[string][]profileType{"cpu": goTypes[:1], "heap": goTypes[1:2], "both": goTypes[:2]}
		all := fleet(t, s, 20*time.Minute, offers)
		for _, g := range all {
			if !slices.Contains(offers[g.agent], g.typ) {
				t.Errorf("the agent for %s was asked for %v", g.agent, g.typ)
			}
		}
		for _, typ := range goTypes[:2] {
			if n := len(ofType(all, typ)); n < 19 || n > 21 {
				t.Errorf("%d %v profiles in 20 minutes", n, typ)
			}
		}
	})
}

// An agent that comes and goes, such as a job that is started again and again,
// isn't new each time.
func TestDeploymentIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{})
		n := 0
		for range 600 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := s.next(ctx, "job", goTypes[:1]); err == nil {
				n++
			}
			cancel()
		}
		if n < 8 || n > 11 {
			t.Errorf("%d profiles in 10 minutes", n)
		}
	})
}

// What was given to an agent that has gone in the same moment goes to another.
func TestTurnOfLostAgentGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{})
		cpu := goTypes[:1]
		for range 100 { // the race has two outcomes
			key := fmt.Sprint(time.Now().UnixNano())
			if _, err := s.next(t.Context(), key, cpu); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			due := s.deployments[key].due[cpu[0]]
			s.mu.Unlock()
			ctx, cancel := context.WithDeadline(t.Context(), due)
			if _, err := s.next(ctx, key, cpu); err == nil {
				time.Sleep(time.Minute) // it was in time
				cancel()
				continue
			}
			if _, err := s.next(t.Context(), key, cpu); err != nil || time.Since(due) > 0 {
				t.Errorf("the next agent gets the turn of %v at %v: %v", due, time.Now(), err)
			}
			cancel()
		}
	})
}

func TestPollsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{Schedule: Schedule{Interval: time.Hour}, MaxPoll: time.Minute})
		for range 2 {
			_, _ = s.next(t.Context(), "d", goTypes[:1])
		}
		start := time.Now()
		_, err := s.next(t.Context(), "d", goTypes[:1])
		if away := (*backoff)(nil); !errors.As(err, &away) || away.after < afterQuiet/2 || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestLimitsOfPollsAndDeployments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{MaxPolls: 5, MaxPollsPerDeployment: 3, MaxDeployments: 4})
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		sent := make(map[string]int)
		var wg sync.WaitGroup
		for i := range 40 {
			key := fmt.Sprint(i % 4)
			wg.Go(func() {
				_, err := s.next(ctx, key, goTypes[:1])
				if away := (*backoff)(nil); errors.As(err, &away) {
					if away.after < s.cfg.Interval/2 {
						t.Errorf("sent away for %v", away.after)
					}
					mu.Lock()
					sent[key]++
					mu.Unlock()
				}
			})
		}
		synctest.Wait()
		if d, n := s.counts(); d != 4 || n != 5 {
			t.Errorf("%d polls of %d deployments wait", n, d)
		}
		total := 0
		for key, n := range sent {
			if total += n; n < 6 {
				t.Errorf("%d of 10 polls of deployment %s were sent away", n, key)
			}
		}
		if total != 40-4-5 { // first polls were answered
			t.Errorf("%d polls were sent away", total)
		}
		// There is no room for a fifth deployment, until one of the four has gone.
		if _, err := s.next(t.Context(), "new", goTypes[:1]); !errors.As(err, new(*backoff)) {
			t.Errorf("a fifth deployment: %v", err)
		}
		cancel()
		wg.Wait()
		time.Sleep(10 * time.Minute)
		if _, err := s.next(t.Context(), "new", goTypes[:1]); err != nil {
			t.Errorf("a deployment after the others: %v", err)
		}
		if d, n := s.counts(); d != 1 || n != 0 {
			t.Errorf("%d polls of %d deployments wait", n, d)
		}
	})
}

func TestCloseSendsPollsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, Config{})
		var wg sync.WaitGroup
		for i := range 2000 {
			wg.Go(func() {
				_, err := s.next(t.Context(), fmt.Sprint(i%7), goTypes)
				if away := (*backoff)(nil); err != nil && (!errors.As(err, &away) || away.after < time.Second) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		s.close()
		wg.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("closing took %v", d)
		}
		_, err := s.next(t.Context(), "0", goTypes)
		if away := (*backoff)(nil); !errors.As(err, &away) || away.after > 12*time.Second {
			t.Errorf("a poll after the end: %v", err)
		}
		if _, n := s.counts(); n != 0 {
			t.Errorf("%d polls wait", n)
		}
	})
}
