package measure

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
)

// A service answers at once; every fourth request of a connection fails.
type service struct{}

func (service) Connect(context.Context) (load.Client, error) { return service{}, nil }
func (service) Close() error                                 { return nil }
func (service) Do(_ context.Context, n int64) (load.Answer, error) {
	if n%4 == 3 {
		return load.Answer{Status: 503}, &load.Failure{Class: "status 503", Text: "503 away"}
	}
	return load.Answer{Bytes: 5, Status: 200}, nil
}

// rounds are a load of so many requests.
func rounds(ctx context.Context, _ Stage, _ time.Duration, opts load.Options) (*load.Result, error) {
	return load.RunUsers(ctx, service{}, load.Users{Users: 1, Requests: 8, Rounds: 5}, opts, nil)
}

// TestKeepDeliveries: what became of messages goes into the run.
func TestKeepDeliveries(t *testing.T) {
	p := planned(t, rounds)
	want := []experiment.LoadDelivery{{Arrived: 44, Lost: 1, Doubled: 2, Time: Times(load.Quantiles{}, nil)}}
	p.Deliveries = func(periods []*load.Result) []experiment.LoadDelivery {
		if len(periods) != p.Count {
			t.Errorf("deliveries of %d periods, want %d", len(periods), p.Count)
		}
		return want
	}
	if _, err := p.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, p.Run).Sides[0].Deliveries; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func planned(t *testing.T, of Load) *Plan {
	t.Helper()
	run, err := experiment.Create(t.TempDir(), experiment.Info{})
	if err != nil {
		t.Fatal(err)
	}
	goal, err := load.ParseGoal("failed<=10%")
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{Protocol: "http", Name: "GET/a b", Load: of, Count: 3, Goals: []load.Goal{goal}, Run: run}
}

func kept(t *testing.T, w *experiment.Writer) *experiment.Load {
	t.Helper()
	run, err := experiment.Open(t.Context(), w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := run.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestKeep: the run has the course of a load, over all periods.
func TestKeep(t *testing.T) {
	p := planned(t, rounds)
	if _, err := p.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := kept(t, p.Run)
	if l.Package != "load/http" || l.Benchmark != "GET/a_b" || len(l.Sides) != 1 {
		t.Fatalf("%+v", l)
	}
	s := l.Sides[0]
	if s.Side != "head" || s.Succeeded != 90 || s.Failed != 30 || len(s.Periods) != 3 || s.Elapsed <= 0 || s.Asked != 0 {
		t.Errorf("%+v", s)
	}
	if len(s.Rounds) != 15 {
		t.Fatalf("%d rounds of 3 periods", len(s.Rounds))
	}
	for i, r := range s.Rounds {
		if p := s.Periods[i/5]; r.Succeeded != 6 || r.Failed != 2 || r.Start < p.Start || r.End > p.End || !(*r.Rate > 0) {
			t.Errorf("round %d is %+v, in period %+v", i, r, p)
		}
	}
	if s.Deliveries != nil {
		t.Errorf("deliveries %+v", s.Deliveries)
	}
	var succeeded, failed int64
	for _, w := range s.Windows {
		succeeded, failed = succeeded+w.Succeeded, failed+w.Failed
	}
	if succeeded != 90 || failed != 30 || len(s.Windows) < 3 || s.Windows[len(s.Windows)-1].End > s.Periods[2].End {
		t.Errorf("%d succeeded and %d failed in windows %+v, periods %+v", succeeded, failed, s.Windows, s.Periods)
	}
	if len(s.Statuses) != 2 || s.Statuses[0] != (experiment.LoadStatus{Status: 200, Count: 90}) {
		t.Errorf("%+v", s.Statuses)
	}
	if len(s.Failures) != 1 || s.Failures[0].Name != "status 503" || s.Failures[0].Samples[0] != "503 away" || len(s.Goals) != 1 || s.Goals[0].Met {
		t.Errorf("%+v, %+v", s.Failures, s.Goals)
	}
	for _, times := range []experiment.LoadTimes{s.Response, s.Service} {
		curve := times.Curve
		if len(curve) < 10 || curve[0].Q != 0 || curve[len(curve)-1].Q > .75 || times.P50 == nil || times.P90 != nil {
			t.Errorf("a quarter failed, but: %+v", times)
		}
	}
}

// TestKeepInterrupted: so does one that was interrupted.
func TestKeepInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	n := 0
	p := planned(t, func(ctx context.Context, s Stage, d time.Duration, opts load.Options) (*load.Result, error) {
		r, err := rounds(ctx, s, d, opts)
		if n++; n == 2 {
			interrupt()
		}
		return r, err
	})
	if _, err := p.Measure(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if s := kept(t, p.Run).Sides[0]; s.Succeeded != 60 || len(s.Periods) != 2 {
		t.Errorf("%+v", s)
	}
}

// TestVersusKeep: samples of a side cost what their requests did together.
func TestVersusKeep(t *testing.T) {
	p := planned(t, rounds)
	c := &contest{measurement: &measurement{Plan: p, report: &Report{}}}
	for i, n := range []int{20, 60} {
		r, err := rounds(t.Context(), Period, 0, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		line := &benchfmt.Result{Iters: n, Values: []benchfmt.Value{
			{Value: 9, Unit: "ns/op"}, {Value: .5, Unit: "failed/op"}, {Value: float64(10 * (i + 1)), Unit: "B/op"}, {Value: 7, Unit: "cpu-ns/op"},
		}}
		c.results[experiment.Head], c.lines[experiment.Head] = append(c.results[experiment.Head], r), append(c.lines[experiment.Head], line)
	}
	c.results[experiment.Base], c.lines[experiment.Base] = c.results[experiment.Head][:1], c.lines[experiment.Head][:1]
	share := .25
	c.told[experiment.Head] = told{costs: []Cost{{"cpu", "cpu-ns/op", 8, 1}, {"mutex", "mutex-ns/op", 3, 1}}, gcShare: &share, hottest: []Hot{{"main.f", .5}}}
	if err := c.keepSides(); err != nil {
		t.Fatal(err)
	}
	l := kept(t, p.Run)
	if len(l.Sides) != 2 || l.Sides[0].Side != "base" || len(l.Sides[0].Periods) != 1 || l.Sides[1].Side != "head" {
		t.Fatalf("%+v", l)
	}
	head := l.Sides[1]
	if len(head.Costs) != 3 || head.Hottest[0].Function != "main.f" || *head.GCShare != .25 {
		t.Fatalf("%+v", head)
	}
	for i, want := range []experiment.LoadCost{{Kind: "memory", Unit: "B/op", Value: 17.5}, {Kind: "process", Unit: "cpu-ns/op", Value: 7}, {Kind: "mutex", Unit: "mutex-ns/op", Value: 3}} {
		if got := head.Costs[i]; got.Kind != want.Kind || got.Unit != want.Unit || math.Abs(got.Value-want.Value) > 1e-9 {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if strings.Contains(head.Failures[0].Samples[0], "\n") || head.Succeeded != 60 {
		t.Errorf("%+v", head)
	}
}
