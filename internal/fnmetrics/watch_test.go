package fnmetrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/store"
)

// watch returns a watch of rules.
func (f *fleet) watch(limit int, rules ...fnmetrics.RuleConfig) *fnmetrics.Watch {
	f.t.Helper()
	w := fnmetrics.NewWatch(fnmetrics.Options{Store: f.st, Log: func(line string) { f.t.Log(line) }})
	w.Apply(f.plan(limit, rules...))
	return w
}

// samples returns the lines about the metrics of rules, without comments.
func samples(t *testing.T, w *fnmetrics.Watch, now time.Time) string {
	t.Helper()
	_, text, err := w.Expose(http.Header{}, now)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "hone_function_metric") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

// TestValues checks what rules make of profiles.
func TestValues(t *testing.T) {
	rule := func(change func(*fnmetrics.RuleConfig)) fnmetrics.RuleConfig {
		r := fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*"}
		change(&r)
		return r
	}
	for _, test := range []struct {
		name string
		rule fnmetrics.RuleConfig
		want string
	}{
		// Each instance of shop uses a core, that of web a tenth.
		{"all", rule(func(r *fnmetrics.RuleConfig) {}), "x_cores 2.1"},
		{"own", rule(func(r *fnmetrics.RuleConfig) { r.Packages = "encoding/json" }), "x_cores 0.8"},
		{"callees", rule(func(r *fnmetrics.RuleConfig) { r.Packages, r.Callees = "encoding/json", true }), "x_cores 1.2"},
		{"whole names", rule(func(r *fnmetrics.RuleConfig) { r.Packages = "json" }), "x_cores 0"},
		{"both", rule(func(r *fnmetrics.RuleConfig) { r.Packages, r.Functions = "encoding/.*|main", ".*Marshal" }), "x_cores 0.8"},
		{"services", rule(func(r *fnmetrics.RuleConfig) { r.Packages, r.By = "encoding/json", []string{"service"} }), `
			x_cores{service="shop"} 0.8
			x_cores{service="web"} 0`},
		{"instances", rule(func(r *fnmetrics.RuleConfig) {
			r.Select, r.By, r.Callees = `cpu{service="shop"}`, []string{"instance", "service"}, true
		}), `
			x_cores{instance="a",service="shop"} 1
			x_cores{instance="b",service="shop"} 1`},
		{"functions", rule(func(r *fnmetrics.RuleConfig) { r.By = []string{"function"} }), `
			x_cores{function="encoding/json.Marshal"} 0.8
			x_cores{function="main.main"} 0.9
			x_cores{function="strconv.Quote"} 0.4`},
		{"packages with callees", rule(func(r *fnmetrics.RuleConfig) { r.By, r.Callees = []string{"package"}, true }), `
			x_cores{package="encoding/json"} 1.2
			x_cores{package="main"} 2.1
			x_cores{package="strconv"} 0.4`},
		{"share", rule(func(r *fnmetrics.RuleConfig) {
			r.Packages, r.Value, r.By = "encoding/json", "share", []string{"service"}
		}), `
			x_ratio{service="shop"} 0.4
			x_ratio{service="web"} 0`},
		{"heap", rule(func(r *fnmetrics.RuleConfig) { r.Select, r.Functions = "heap", "main.load" }), "x_bytes 6000"},
		{"heap share", rule(func(r *fnmetrics.RuleConfig) {
			r.Select, r.Functions, r.Value = "heap", "main.load", "share"
		}), "x_ratio 0.75"},
		{"allocations", rule(func(r *fnmetrics.RuleConfig) { r.Select = "allocs" }), "x_bytes_per_second 200"},
		{"mutex", rule(func(r *fnmetrics.RuleConfig) { r.Select = "mutex" }), "x_seconds_per_second 0.25"},
		{"leaks", rule(func(r *fnmetrics.RuleConfig) { r.Select = "goroutineleak" }), "x_goroutines 7"},
		{"no profiles", rule(func(r *fnmetrics.RuleConfig) { r.Select = `cpu{service="gone"}` }), ""},
		{"no such column", rule(func(r *fnmetrics.RuleConfig) { r.SampleType = "wall" }), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFleet(t)
			f.fill()
			w := f.watch(0, test.rule)
			w.Tick(t.Context(), after(2*time.Minute))
			want := strings.ReplaceAll(strings.TrimSpace(test.want), "\t", "")
			if got := rounded(samples(t, w, after(2*time.Minute))); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// rounded rounds the values of samples.
func rounded(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		at := strings.LastIndex(line, " ") + 1
		var v float64
		fmt.Sscan(line[at:], &v)
		out = append(out, fmt.Sprintf("%s%.6g", line[:at], v))
	}
	return strings.Join(out, "\n")
}

// TestWithoutDuration checks that profiles that can't be divided by time are left out and
// counted.
func TestWithoutDuration(t *testing.T) {
	f := newFleet(t)
	f.fill()
	f.put(0, 0, cpu, map[string]int64{"main.main": 9e9}, "service", "web", "kind", "cpu", "instance", "c")
	w := f.watch(0, fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*"})
	w.Tick(t.Context(), after(2*time.Minute))
	_, text, err := w.Expose(http.Header{}, after(2*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nx_cores 2.1", "hone_function_metric_profiles_without_duration{metric=\"x_cores\"} 1\n"} {
		if !strings.Contains("\n"+string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestBound checks which series are exported if there are too many.
func TestBound(t *testing.T) {
	f := newFleet(t)
	labels := []string{"service", "s", "kind", "cpu", "instance", "a"}
	f.put(0, 10*time.Second, cpu, map[string]int64{"m.a": 1e9, "m.b": 2e9, "m.c": 3e9, "m.c;m.d": 4e9}, labels...)
	f.put(1*time.Minute, 10*time.Second, cpu, map[string]int64{"m.a": 5e9, "m.c": 3e9, "m.d": 5e9}, labels...)
	f.put(2*time.Minute, 10*time.Second, cpu, map[string]int64{"m.a": 30e9, "m.d": 5e9}, labels...)
	f.put(3*time.Minute, 10*time.Second, cpu, map[string]int64{"m.e": 1e9}, labels...)
	f.put(65*time.Minute, 10*time.Second, cpu, map[string]int64{"m.e": 1e9}, labels...)
	for _, callees := range []bool{false, true} {
		w := f.watch(0, fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*", By: []string{"function"}, Limit: 2, Callees: callees})
		for i, want := range []struct{ own, callees string }{
			{"m.c 0.3 m.d 0.4 other 0.3", "m.c 0.7 m.d 0.4 other 0.3"},
			// a isn't worth twice as much as one that was there before.
			{"m.c 0.3 m.d 0.5 other 0.5", "m.c 0.3 m.d 0.5 other 0.5"},
			// Now it is.
			{"m.a 3 m.d 0.5", "m.a 3 m.c 0 other 0.5"},
			// Those of before go on, as their profiles do.
			{"m.a 0 m.d 0 other 0.1", "m.a 0 m.c 0 other 0.1"},
			// An hour later, they don't.
			{"m.e 0.1", "m.e 0.1"},
		} {
			now := after(time.Duration(i+2) * time.Minute)
			if i == 4 {
				now = after(67 * time.Minute)
			}
			w.Tick(t.Context(), now)
			got := strings.NewReplacer(`x_cores{function="`, "", `"}`, "", "\n", " ").Replace(rounded(samples(t, w, now)))
			if expected := map[bool]string{false: want.own, true: want.callees}[callees]; got != expected {
				t.Errorf("callees %v, interval %d: got %s, want %s", callees, i, got, expected)
			}
		}
	}
}

// TestTotalBound checks the limit of all rules together, and that what is cut is counted.
func TestTotalBound(t *testing.T) {
	f := newFleet(t)
	f.fill()
	rule := func(name string) fnmetrics.RuleConfig {
		return fnmetrics.RuleConfig{Name: name, Select: "cpu", Functions: ".*", By: []string{"function"}}
	}
	w := f.watch(4, rule("x"), rule("y"))
	w.Tick(t.Context(), after(2*time.Minute))
	_, text, err := w.Expose(http.Header{}, after(2*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`y_cores{function="main.main"} 0.9`, `y_cores{function="other"} 1.2`, `hone_function_metric_cut_series{metric="x_cores"} 0`, `hone_function_metric_cut_series{metric="y_cores"} 2`,
	} {
		if !strings.Contains(rounded(string(text)), want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(string(text), "\nx_cores{"); n != 3 {
		t.Errorf("x has %d series, want 3", n)
	}
}

// TestStale checks that values are exported until the next ones are due, and no longer.
func TestStale(t *testing.T) {
	f := newFleet(t)
	f.fill()
	w := f.watch(0, fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*"})
	next := w.Tick(t.Context(), after(2*time.Minute+5*time.Second))
	if !next.Equal(after(3 * time.Minute)) {
		t.Errorf("the next interval is measured at %v, want %v", next, after(3*time.Minute))
	}
	for _, test := range []struct {
		now  time.Duration
		want string
	}{{2*time.Minute + 5*time.Second, "x_cores 2.1"}, {4*time.Minute + 59*time.Second, "x_cores 2.1"}, {5 * time.Minute, ""}} {
		if got := rounded(samples(t, w, after(test.now))); got != test.want {
			t.Errorf("after %v: got %q, want %q", test.now, got, test.want)
		}
	}
	w.Tick(t.Context(), after(3*time.Minute))
	if got := samples(t, w, after(3*time.Minute)); got != "" {
		t.Errorf("without profiles: got %q", got)
	}
}

// A countingStore counts merges. It fails if err is set.
type countingStore struct {
	store.Store
	merges int
	err    error
}

func (c *countingStore) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	c.merges++
	if c.err != nil {
		return nil, c.err
	}
	return c.Store.Merge(ctx, q)
}

// TestWatch checks that each interval is read once, whatever is scraped, and what is counted.
func TestWatch(t *testing.T) {
	f := newFleet(t)
	f.fill()
	c := &countingStore{Store: f.st}
	var log []string
	w := fnmetrics.NewWatch(fnmetrics.Options{Store: c, Log: func(line string) { log = append(log, line) }})
	if next := w.Tick(t.Context(), after(0)); !next.IsZero() {
		t.Errorf("a watch without rules is due at %v", next)
	}
	x := fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*"}
	y := fnmetrics.RuleConfig{Name: "y", Select: "cpu", Functions: "main.*"}
	want := func(what string, merges int, metrics ...string) {
		t.Helper()
		if c.merges != merges {
			t.Errorf("%s: %d merges, want %d", what, c.merges, merges)
		}
		_, text, err := w.Expose(http.Header{}, after(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metrics {
			if !strings.Contains(rounded(string(text)), m) {
				t.Errorf("%s: %s is missing in\n%s", what, m, text)
			}
		}
	}
	w.Apply(f.plan(0, x, y))
	w.Tick(t.Context(), after(2*time.Minute))
	want("two rules about the same profiles", 1, "x_cores 2.1", "y_cores 0.9", "skipped_intervals_total 0")
	w.Tick(t.Context(), after(2*time.Minute+30*time.Second))
	want("the same interval", 1)
	w.Apply(f.plan(0, x))
	w.Tick(t.Context(), after(2*time.Minute+40*time.Second))
	want("one rule less", 1, "x_cores 2.1")
	y.Functions = ".*Marshal"
	w.Apply(f.plan(0, x, y))
	w.Tick(t.Context(), after(2*time.Minute+50*time.Second))
	want("another rule", 2, "x_cores 2.1", "y_cores 0.8")
	f.put(6*time.Minute, 10*time.Second, cpu, map[string]int64{"main.main": 1e9}, "service", "shop", "kind", "cpu", "instance", "a")
	c.err = errors.New("no such table")
	for range 2 {
		w.Tick(t.Context(), after(8*time.Minute))
	}
	want("a broken store", 3, "skipped_intervals_total 5", "failures_total 2")
	if len(log) != 2 || log[0] != "Can't measure the function metric x: no such table" {
		t.Errorf("the log has %q", log)
	}
}

// TestRun checks that a watch measures on its own, while it is scraped and its rules change.
func TestRun(t *testing.T) {
	f := newFleet(t)
	now := time.Since(start).Truncate(time.Minute)
	for minute := range 5 {
		f.put(now-time.Duration(minute)*time.Minute, 10*time.Second, cpu, map[string]int64{"main.f": 5e9}, "service", "a", "kind", "cpu")
	}
	x := fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*"}
	w := f.watch(0)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	for _, want := range []string{"x_cores 0.5", "y_cores 0.5", ""} {
		switch {
		case want == "":
			w.Apply(f.plan(0))
		default:
			x.Name = want[:1]
			w.Apply(f.plan(0, x))
		}
		for begun := time.Now(); samples(t, w, time.Now()) != want; time.Sleep(time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("got %q, want %q", samples(t, w, time.Now()), want)
			}
		}
	}
	stop()
	<-ended
}
