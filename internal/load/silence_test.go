package load

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// simulate returns what a run measures, without waiting, of a service that answers a
// request at the time that answer returns for when it was due.
func simulate(t *testing.T, rate string, warmup, d time.Duration, answer func(due time.Duration) (done time.Duration, class string)) *Result {
	t.Helper()
	p := pacer(t, rate, false, warmup, d)
	r := beginRun(t.Context(), p, Options{Warmup: warmup, Late: time.Hour})
	for n := int64(0); ; n++ {
		due, ok := p.Next()
		if !ok {
			break
		}
		if due >= warmup {
			r.due.Add(1)
		}
		o := Outcome{Sent: due}
		var class string
		if o.Done, class = answer(due); class != "" {
			o.Failure = &Failure{class, class}
		}
		r.flight.begin()
		r.done(Request{n, due}, o)
	}
	r.end()
	r.recorder.collect(0, 0)
	return r.finish(t.Context(), p)
}

// after answers each request when it has waited for so long.
func after(d time.Duration) func(time.Duration) (time.Duration, string) {
	return func(due time.Duration) (time.Duration, string) { return due + d, "" }
}

// TestRates: the rate is what succeeded within the period, over all of it.
func TestRates(t *testing.T) {
	const s = time.Second
	var turn time.Duration
	for name, test := range map[string]struct {
		rate      string
		d         time.Duration
		answer    func(due time.Duration) (time.Duration, string)
		want      float64 // NaN: not known
		asked     float64
		overdue   int64
		succeeded int64
		silent    string // begins with it
	}{
		"at once":              {"100", 5 * s, after(0), 100, 100, 0, 500, ""},
		"slow":                 {"100", 10 * s, after(s), 90.1, 100, 99, 1000, ""},
		"slow and long-winded": {"100", 10 * s, after(4 * s), 60.1, 100, 399, 1000, ""},
		"freezes to the end": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			if due > s {
				return 5*s + 10*time.Millisecond, ""
			}
			return due, ""
		}, 20.2, 100, 399, 500, "no answer for 4s, from 1s on, while 400 requests"},
		"freezes in the middle": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			if due > s && due < 4*s {
				return 4 * s, ""
			}
			return due, ""
		}, 100, 100, 0, 500, "no answer for 3s, from 1s on, while 300 requests"},
		"freezes at the start": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			return max(due, 4*s), ""
		}, 100, 100, 0, 500, "no answer for 4s, from 0s on, while 400 requests"},
		"dies": {"100", 15 * s, func(due time.Duration) (time.Duration, string) {
			if due >= 4*s {
				return 45 * s, "no answer by the end"
			}
			return due, ""
		}, 400. / 15, 100, 0, 400, "no answer for 11.01s, from 3.99s on, while 1101 requests"},
		"times out": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			if due >= s {
				return due + s, "timeout"
			}
			return due, ""
		}, 20, 100, 0, 100, "no answer for 4.01s, from 990ms on, while 401 requests"},
		"fails": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			if due >= s {
				return due, "status 503"
			}
			return due, ""
		}, 20, 100, 0, 100, ""},
		"one at a time": {"100", 5 * s, func(due time.Duration) (time.Duration, string) {
			turn = max(turn, due) + 25*time.Millisecond
			return turn, ""
		}, 40, 100, 300, 500, ""},
		"one in 10 s":                 {"6/m", 5 * s, after(0), math.NaN(), .1, 0, 1, ""},
		"one in an hour":              {"1/h", 5 * s, after(0), math.NaN(), 1. / 3600, 0, 1, ""},
		"a part of a request":         {"6/m", 65 * s, after(0), .1, .1, 0, 7, ""},
		"slower than it is asked":     {"1", 20 * s, after(5 * s), .8, 1, 4, 20, ""},
		"a rate that begins at 0":     {"0..100", 10 * s, after(0), 50, 50, 0, 500, ""},
		"a pause between two rates":   {"100,0,100", 15 * s, after(0), 1000. / 15, 1000. / 15, 0, 1000, ""},
		"a rate that comes to an end": {"100..0", 10 * s, after(0), 50, 50, 0, 500, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, warmup := range []time.Duration{0, s} {
				turn = 0
				answer := func(due time.Duration) (time.Duration, string) {
					if due < warmup {
						return due, ""
					}
					done, class := test.answer(due - warmup)
					return done + warmup, class
				}
				if warmup > 0 && test.asked < 1 {
					continue // the only request may be due in the warm-up
				}
				r := simulate(t, test.rate, warmup, test.d, answer)
				got := math.NaN()
				if r.Rate != nil {
					got = *r.Rate
				}
				if math.Abs(got-test.want) > 1e-6*test.want || math.IsNaN(got) != math.IsNaN(test.want) {
					t.Errorf("the rate is %v, want %v", got, test.want)
				}
				if math.Abs(r.Asked-test.asked) > 1e-6*test.asked {
					t.Errorf("asked for %v, want %v", r.Asked, test.asked)
				}
				if r.Period != test.d || r.Overdue != test.overdue || r.Succeeded != test.succeeded {
					t.Errorf("%d succeeded, %d of them overdue, in %v; want %d, %d in %v", r.Succeeded, r.Overdue, r.Period, test.succeeded, test.overdue, test.d)
				}
				if silent := r.Silent(); (silent == "") != (test.silent == "") || !strings.HasPrefix(silent, test.silent) {
					t.Errorf("silent: %q, want %q", silent, test.silent)
				}
			}
		})
	}
}

// TestGoalsOfSilence: no goal is met by answers that do not come, and a goal can say
// how long they may not.
func TestGoalsOfSilence(t *testing.T) {
	r := simulate(t, "100", 0, 10*time.Second, func(due time.Duration) (time.Duration, string) {
		if due >= 4*time.Second && due < 7*time.Second {
			return 7 * time.Second, ""
		}
		return due, ""
	})
	for text, want := range map[string]struct{ met, forgiven bool }{
		"silence<=2s": {false, true}, "silence<=5s": {true, true}, "failed<=50%": {true, false}, "rate>=95": {true, false},
	} {
		g, err := ParseGoal(text)
		if err != nil {
			t.Fatal(err)
		}
		if met, forgiven := g.Met(r), MissedSilence(r, []Goal{g}) == ""; met != want.met || forgiven != want.forgiven {
			t.Errorf("%s: met %v, forgiven %v", text, met, forgiven)
		}
		if missed := missed(r, []Goal{g}); (missed == "") != (want.met && want.forgiven) {
			t.Errorf("a search for %s: missed %q", text, missed)
		}
	}
	few := simulate(t, "1", 0, 4*time.Second, after(0))
	for _, text := range []string{"rate>=0.1", "rate<=100"} {
		if g, _ := ParseGoal(text); g.Met(few) {
			t.Errorf("%s is met by a rate that is not known", text)
		}
	}
}

// TestKeepsUp: a search asks whether the service keeps up, not whether it is quick.
func TestKeepsUp(t *testing.T) {
	if why := missed(simulate(t, "100", 0, 10*time.Second, after(4*time.Second)), nil); why != "" {
		t.Errorf("a service that takes 4 s for each: %s", why)
	}
	for _, each := range []time.Duration{11 * time.Millisecond, 25 * time.Millisecond, time.Second} {
		var turn time.Duration
		r := simulate(t, "100", 0, 10*time.Second, func(due time.Duration) (time.Duration, string) {
			turn = max(turn, due) + each
			return turn, ""
		})
		if why := missed(r, nil); !strings.Contains(why, "in the second half") {
			t.Errorf("a service that takes %v for one at a time: %q", each, why)
		}
	}
}

// TestSumOfRates: periods together have the rate of all, and silences with their times.
func TestSumOfRates(t *testing.T) {
	good := simulate(t, "100", 0, 5*time.Second, after(0))
	frozen := simulate(t, "100", 0, 5*time.Second, func(due time.Duration) (time.Duration, string) {
		if due >= time.Second {
			return 8 * time.Second, ""
		}
		return due, ""
	})
	s := Sum(good, frozen, good)
	if *s.Rate != 1100./15 || s.Asked != 100 || s.Period != 15*time.Second || s.Elapsed != 18*time.Second || s.Overdue != 400 {
		t.Errorf("rate %v of %v in %v, %v until the last answer, %d overdue", *s.Rate, s.Asked, s.Period, s.Elapsed, s.Overdue)
	}
	if len(s.Silences) != 1 || s.Silences[0].Start != 5*time.Second+990*time.Millisecond || s.Silences[0].End != 10*time.Second {
		t.Errorf("%v", s.Silences)
	}
	few := simulate(t, "1", 0, 2*time.Second, after(0))
	if few.Rate != nil || Sum(few, few, few).Rate == nil {
		t.Error("a rate of 2 requests is known, or one of 6 is not")
	}
}

// TestPeriodLasts: a period takes its time, however few its requests are.
func TestPeriodLasts(t *testing.T) {
	for _, rate := range []string{"1/h", "0..1"} {
		start := time.Now()
		r := runAt(t, &service{do: func(ctx context.Context, n int64) (int, error) { return 0, nil }}, rate, 300*time.Millisecond, 1, lenient)
		if took := time.Since(start); took < 300*time.Millisecond || r.Period != 300*time.Millisecond || r.Elapsed < r.Period {
			t.Errorf("%s: it took %v, and a period of %v", rate, took, r.Period)
		}
	}
}

// TestUsersOfSilence: a closed loop whose service stands still is silent, and one whose
// service is slow is not.
func TestUsersOfSilence(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		s := &service{do: func(ctx context.Context, n int64) (int, error) {
			switch {
			case stuck && n < 40:
				return 0, nil
			case stuck:
				<-ctx.Done()
				return 0, ctx.Err()
			}
			select {
			case <-time.After(1100 * time.Millisecond):
			case <-ctx.Done():
			}
			return 0, nil
		}}
		opts := Options{Grace: 300 * time.Millisecond}
		if stuck {
			opts.Grace = 2 * time.Second // silence enough, also if the machine took long to begin
		}
		r, err := RunUsers(t.Context(), s, Users{Users: 2, For: 1200 * time.Millisecond}, opts, nil)
		if err != nil || (len(r.Silences) > 0) != stuck || r.Period != r.Elapsed {
			t.Errorf("stuck %v: %v, silences %v, period %v of %v", stuck, err, r.Silences, r.Period, r.Elapsed)
		}
		if stuck && (r.Rate == nil || *r.Rate > 40/1.2) {
			t.Errorf("the rate is %v", fmt.Sprint(r.Rate))
		}
	}
}

// TestLose: what turns out to be lost is a failure, in counts, rate and quantiles.
func TestLose(t *testing.T) {
	r := simulate(t, "100", 0, 10*time.Second, after(time.Millisecond))
	r.Lose(250, Failure{"lost", "not there"})
	if r.Succeeded != 750 || r.Failed != 250 || *r.Rate != 75 || len(r.Failures) != 1 || r.Failures[0].Count != 250 || r.Response.P90 != nil || r.Response.P50 == nil {
		t.Errorf("%+v", r)
	}
	if c := r.Curve(); c[len(c)-1].Q > .75 {
		t.Errorf("the curve goes on to %v", c[len(c)-1].Q)
	}
	r.Lose(1000, Failure{"lost", "not there"})
	if s := Sum(r, r); s.Succeeded != 0 || s.Failed != 2000 || s.Response.P50 != nil || *s.Rate != 0 {
		t.Errorf("%+v", s)
	}
	if g, _ := ParseGoal("failed<=0%"); g.Met(r) {
		t.Error("all is lost, and nothing failed")
	}
}

// TestSilenceAtTheStart: however long the service stands still later, which makes slow
// answers usual, it stood still at the start as well.
func TestSilenceAtTheStart(t *testing.T) {
	const s = time.Second
	r := simulate(t, "100", s, 10*s, func(due time.Duration) (time.Duration, string) {
		switch at := due - s; {
		case at < 0: // of the warm-up
			return due, ""
		case at < 3*s:
			return s + 3*s, ""
		case at >= 4*s:
			return s + 9*s, ""
		}
		return due, ""
	})
	if len(r.Silences) != 2 || r.Silences[0] != (Silence{0, 3 * s, 300}) || r.Silences[1].Due < 499 {
		t.Errorf("silent: %v", r.Silences)
	}
	slow := simulate(t, "100", 0, 10*s, after(3*s))
	if len(slow.Silences) != 0 {
		t.Errorf("a service that takes 3s for each answer was silent: %v", slow.Silences)
	}
}
