package regress

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// fixed is a source whose instances have the same costs at all times before a change, and
// others after it. Values are ns of CPU per second and instance.
type fixed struct {
	changed       int64
	instances     int
	before, after map[string]float64 // own cost by stack, such as "main;f"
	bad           string             // an instance that costs three times as much after the change
	until         int64              // the change is gone again; 0 is never
	load          float64            // CPUs that an instance uses after the change; 1 before
	// requests are those of a second; 0 if they aren't counted. Of a time as a whole, there
	// seem to be so many times as many after the change as of its parts.
	requests, uneven float64
}

const atStart = 20_000 * day

func (s *fixed) Sums(_ context.Context, sel Selection, frames *Frames) (out []Sum, err error) {
	for i := range s.instances {
		for _, v := range []struct {
			name     string
			from, to int64
			stacks   map[string]float64
		}{
			{"v1", 0, s.changed, s.before}, {"v2", s.changed, max(s.until, s.changed), s.after},
			{"v2", max(s.until, s.changed), math.MaxInt64, s.before},
		} {
			if s.until == 0 && v.from == s.changed {
				v.stacks = s.after
			}
			seconds := float64(min(sel.To, v.to)-max(sel.From, v.from)) / 1e9 / 6 // 10 of 60
			if seconds <= 0 {
				continue
			}
			one := Sum{Version: v.name, Seconds: seconds, Requests: s.requests * seconds, Type: "cpu", Unit: "nanoseconds", Event: 1e7, Edges: map[Edge]float64{}}
			if sel.ByInstance {
				one.Instance = fmt.Sprint("i", i)
			}
			if sel.Edges && v.from == s.changed {
				one.Requests *= s.uneven
			}
			for stack, cost := range v.stacks {
				if s.bad == fmt.Sprint("i", i) && v.name == "v2" && stack != "main;rest" {
					cost *= 3
				}
				one.addStack(stack, cost*seconds, frames)
			}
			out = append(out, one)
		}
	}
	return out, nil
}

func (s *fixed) Load(_ context.Context, _ string, from, _ int64) (float64, error) {
	if from >= s.changed {
		return s.load, nil
	}
	return 1, nil
}

// addStack adds the own cost of the last function of a stack.
func (sum *Sum) addStack(stack string, cost float64, frames *Frames) {
	last := int32(-1)
	for _, name := range splitStack(stack) {
		f := frames.Number(name)
		sum.Own = addTo(sum.Own, make([]float64, f+1), 0)
		sum.Cum = addTo(sum.Cum, make([]float64, f+1), 0)
		sum.Cum[f] += cost
		if last >= 0 {
			sum.Edges[Edge{last, f}] += cost
		}
		last = f
	}
	sum.Own[last] += cost
}

func splitStack(stack string) (names []string) {
	for len(stack) > 0 {
		i := slices.Index([]byte(stack), ';')
		if i < 0 {
			i = len(stack)
		}
		names, stack = append(names, stack[:i]), stack[min(len(stack), i+1):]
	}
	return names
}

func usualStacks() map[string]float64 {
	return map[string]float64{
		"main;rest": 3e9, "main;a": 4e8, "main;a;b": 3e8, "main;a;b;c": 2e8, "main;d": 5e8, "main;d;c": 1e8, "main;e": 3e8, "main;g": 2e8,
	}
}

// TestDetect has what is found after a change of costs.
func TestDetect(t *testing.T) {
	set := func(changes map[string]float64) map[string]float64 {
		stacks := usualStacks()
		for stack, cost := range changes {
			stacks[stack] = cost
		}
		return stacks
	}
	for _, test := range []struct {
		name  string
		after map[string]float64
		bad   string
		away  time.Duration
		want  string
	}{
		{name: "nothing", after: usualStacks()},
		{name: "own cost", after: set(map[string]float64{"main;a;b": 3.6e8}), want: "b own 20% new []"},
		{name: "a leaf with two callers", after: set(map[string]float64{"main;a;b;c": 2.4e8, "main;d;c": 1.2e8}), want: "c own 20% new []"},
		{name: "more calls by one caller", after: set(map[string]float64{"main;d;c": 2e8}), want: "d callees 17% new []"},
		{name: "a function and what it calls", after: set(map[string]float64{"main;a;b": 3.6e8, "main;a;b;c": 2.4e8}), want: "b callees 20% new []"},
		{name: "a new call", after: set(map[string]float64{"main;a;b;new;deep": 1e8, "main;a;b;new": 1e7}), want: "b callees 22% new [new]"},
		{name: "cheaper elsewhere", after: set(map[string]float64{"main;rest": 2e9})},
		{name: "renamed", after: set(map[string]float64{"main;e": 0, "main;e2": 3e8})},
		{name: "inlined", after: set(map[string]float64{"main;a;b": 0, "main;a;b;c": 0, "main;a": 7e8, "main;a;c": 2e8})},
		{name: "wrapped", after: set(map[string]float64{"main;e": 0, "main;wrap;e": 3e8})},
		{name: "moved to another caller", after: set(map[string]float64{"main;d;c": 0, "main;e;c": 1e8})},
		{name: "one bad machine", after: usualStacks(), bad: "i3"},
		{name: "went away", after: set(map[string]float64{"main;a;b": 3.6e8}), away: 15 * time.Minute},
	} {
		src := &fixed{changed: atStart, instances: 8, before: usualStacks(), after: test.after, bad: test.bad}
		if test.away > 0 {
			src.until = atStart + int64(test.away)
		}
		found, err := Detect(t.Context(), src, Trigger{Service: "s", Kind: "cpu", Version: "v2", Since: atStart, Rate: 0.01, Now: atStart + int64(30*time.Minute)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		callers := map[string]string{"b": "main a", "c": "main a b d", "d": "main"}
		for _, r := range found {
			for _, c := range r.Causes {
				if c.Caller != slices.Contains(strings.Fields(callers[r.Function]), c.Function) {
					t.Errorf("%s: %s is said to be a caller of %s: %t", test.name, c.Function, r.Function, c.Caller)
				}
			}
			got += fmt.Sprintf("%s %s %.0f%% new %v", r.Function, map[bool]string{true: "callees", false: "own"}[r.Callees], 100*r.Growth, r.New)
			if r.Low > r.Growth || r.High < r.Growth || r.Version != "v2" || r.Affected != 8 || r.Instances != 8 || len(r.Causes) == 0 || r.Causes[0].Function != r.Function {
				t.Errorf("%s: %+v", test.name, r)
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestCallsOfUnevenRequests has profiles that are more frequent at some hours than requests: a
// function and what it calls are one regression all the same.
func TestCallsOfUnevenRequests(t *testing.T) {
	after := usualStacks()
	after["main;a;b"], after["main;a;b;c"] = 2*after["main;a;b"], 2*after["main;a;b;c"]
	src := &fixed{changed: atStart, instances: 8, before: usualStacks(), after: after, requests: 100, uneven: 1.3}
	found, err := Detect(t.Context(), src, Trigger{Service: "s", Kind: "cpu", Version: "v2", Since: atStart, Rate: 0.01, Now: atStart + int64(30*time.Minute)}, Options{})
	if err != nil || len(found) != 1 || found[0].Function != "b" || !found[0].Callees || !found[0].PerRequest {
		t.Errorf("got %+v, %v", found, err)
	}
}

// TestAmounts has kinds whose costs are compared per second or moment.
func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		name, kind string
		times      float64 // as much in the only function
		load       float64 // after the change
		prior      time.Duration
		want       string
	}{
		{name: "a lock that has all of the waiting", kind: "mutex", times: 3, load: 1, want: "lock 200%"},
		{name: "as much as before", kind: "mutex", times: 1, load: 1},
		{name: "twice the load", kind: "mutex", times: 3, load: 2},
		{name: "more than the load explains", kind: "mutex", times: 8, load: 2, want: "lock 100%"},
		{name: "idle goroutines", kind: "block", times: 2, load: 0.5},
		{name: "unknown load", kind: "mutex", times: 1.3, load: 0},
		{name: "much more, with an unknown load", kind: "mutex", times: 3, load: 0, want: "lock 200%"},
		{name: "memory", kind: "heap", times: 2, load: 1, want: "lock 100%"},
		{name: "memory, an hour after another version", kind: "heap", times: 2, load: 1, prior: time.Hour, want: "lock 100%"},
		{name: "goroutines", kind: "goroutine", times: 2, load: 1, want: "lock 100%"},
	} {
		const stack = "main;lock;sync.(*Mutex).Lock"
		src := &fixed{changed: atStart, instances: 4, load: test.load, before: map[string]float64{stack: 1e9}, after: map[string]float64{stack: 1e9 * test.times}}
		found, err := Detect(t.Context(), src, Trigger{
			Service: "s", Kind: test.kind, Version: "v2", Since: atStart, Prior: atStart - int64(cmp.Or(test.prior, 24*time.Hour)), Rate: 0.01, Now: atStart + 2*int64(time.Hour),
		}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range found {
			got += fmt.Sprintf("%s %.0f%%", r.Function, 100*r.Growth)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestDrift finds a change that came without a version, unless a function is called more often.
func TestDrift(t *testing.T) {
	after := usualStacks()
	after["main;a;b"] *= 1.2
	src := &fixed{changed: atStart, instances: 3, before: usualStacks(), after: after}
	more := usualStacks()
	more["main;a;b"], more["main;a;b;c"] = 1.2*more["main;a;b"], 1.2*more["main;a;b;c"]
	asked := &fixed{changed: atStart, instances: 3, before: usualStacks(), after: more}
	if found, err := Detect(t.Context(), asked, Trigger{Service: "s", Kind: "cpu", Now: atStart + day}, Options{}); err != nil || len(found) != 0 {
		t.Errorf("called more often: got %+v, %v", found, err)
	}
	found, err := Detect(t.Context(), src, Trigger{Service: "s", Kind: "cpu", Now: atStart + day}, Options{})
	if err != nil || len(found) != 1 || found[0].Function != "b" || found[0].Version != "" {
		t.Errorf("got %+v, %v", found, err)
	}
	if found, err := Detect(t.Context(), src, Trigger{Service: "s", Kind: "cpu", Now: atStart}, Options{}); err != nil || len(found) != 0 {
		t.Errorf("before the change: got %+v, %v", found, err)
	}
}
