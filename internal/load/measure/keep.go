package measure

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
)

// setLoad keeps in the run what its samples do not have.
func (p *Plan) setLoad(sides ...experiment.LoadSide) error {
	if p.Run == nil || len(sides) == 0 {
		return nil
	}
	l := &experiment.Load{Package: p.pkg(), Benchmark: p.name(), Sides: sides}
	return p.Run.SetLoad(l)
}

// goals says which were met by a result.
func (p *Plan) goals(r *load.Result) (all []experiment.LoadGoal) {
	for _, g := range p.Goals {
		all = append(all, experiment.LoadGoal{Text: g.String(), Met: g.Met(r)})
	}
	if load.MissedSilence(r, p.Goals) != "" {
		all = append(all, experiment.LoadGoal{Text: load.NoSilence, Met: false})
	}
	return all
}

// side is a side of a run, from the results of its periods.
func (p *Plan) side(of experiment.Side, periods []*load.Result, costs []Cost, by told) experiment.LoadSide {
	sum := load.Sum(periods...)
	s := experiment.LoadSide{
		Side: of.String(), Started: sum.Started, Elapsed: sum.Elapsed, Period: sum.Period, Asked: sum.Asked, Rate: sum.Rate,
		Succeeded: sum.Succeeded, Failed: sum.Failed, Overdue: sum.Overdue, Late: sum.Late, Waited: sum.Waited, Redirected: sum.Redirected, Bytes: sum.Bytes,
		Connections: sum.Connections, Streams: sum.Streams,
		Response: Times(sum.Response, sum.Curve()), Service: Times(sum.Service, sum.ServiceCurve()),
		Windows: []experiment.LoadWindow{}, GCShare: by.gcShare, Goals: p.goals(sum), Void: sum.Void, Stopped: sum.Stopped, Interrupted: sum.Interrupted,
	}
	for _, w := range sum.Windows {
		s.Windows = append(s.Windows, experiment.LoadWindow{
			Start: w.Start, End: w.End, Asked: w.Asked, Succeeded: w.Succeeded, Failed: w.Failed, Overdue: w.Overdue, Late: w.Late,
			P50: w.Response.P50, P99: w.Response.P99, Max: w.Response.Max,
		})
	}
	for _, round := range sum.Rounds {
		s.Rounds = append(s.Rounds, experiment.LoadRound{
			Start: round.Start, End: round.End, Succeeded: round.Succeeded, Failed: round.Failed, Rate: round.Rate(),
		})
	}
	var start time.Duration
	for _, r := range periods {
		end := start + r.Extent()
		s.Periods = append(s.Periods, experiment.LoadPeriod{Start: start, End: end, Started: r.Started})
		start = end
	}
	if p.Deliveries != nil {
		s.Deliveries = p.Deliveries(periods)
	}
	for _, silence := range sum.Silences {
		s.Silences = append(s.Silences, experiment.LoadSilence(silence))
	}
	for _, status := range sum.Statuses {
		s.Statuses = append(s.Statuses, experiment.LoadStatus(status))
	}
	for _, c := range sum.Failures {
		s.Failures = append(s.Failures, experiment.LoadFailure(c))
	}
	for _, c := range slices.Concat(costs, by.costs) {
		// What was counted over the samples themselves comes first.
		if slices.ContainsFunc(s.Costs, func(known experiment.LoadCost) bool { return known.Unit == c.Unit }) {
			continue
		}
		s.Costs = append(s.Costs, experiment.LoadCost{Kind: c.Kind, Unit: c.Unit, Value: c.Value})
	}
	for _, h := range by.hottest {
		s.Hottest = append(s.Hottest, experiment.LoadHot(h))
	}
	return s
}

// Times are quantiles as a run keeps them, with a curve where there is one.
func Times(q load.Quantiles, curve []load.Point) experiment.LoadTimes {
	t := experiment.LoadTimes{Mean: q.Mean, P50: q.P50, P90: q.P90, P99: q.P99, P999: q.P999, P9999: q.P9999, Max: q.Max, Curve: []experiment.LoadPoint{}}
	for _, p := range curve {
		t.Curve = append(t.Curve, experiment.LoadPoint(p))
	}
	return t
}

// costsOf adds up what requests cost in samples, each with its number of requests.
func costsOf(lines []*benchfmt.Result) []Cost {
	var costs []Cost
	for _, line := range lines {
		var failed float64
		for _, v := range line.Values {
			if v.Unit == "failed/op" {
				failed = v.Value
			}
		}
		n := float64(line.Iters) * (1 - failed)
		for _, v := range line.Values {
			if !strings.HasSuffix(v.Unit, "/op") || v.Unit == "ns/op" || v.Unit == "failed/op" {
				continue
			}
			i := slices.IndexFunc(costs, func(c Cost) bool { return c.Unit == v.Unit })
			if i < 0 {
				kind := "memory"
				if v.Unit == "cpu-ns/op" {
					kind = "process"
				}
				i, costs = len(costs), append(costs, Cost{Kind: kind, Unit: v.Unit})
			}
			costs[i].Value += n * v.Value
			costs[i].Requests += n
		}
	}
	for i := range costs {
		costs[i].Value /= costs[i].Requests
	}
	return costs
}

// line is a period as a result of a benchmark, nil if nothing was sent. A period in
// which no request succeeded has no times, but a rate: without it, what is left would
// look like a service that is well.
func (p *Plan) line(r *load.Result, allocated *Memory) *benchfmt.Result {
	if r.Requests() == 0 {
		return nil
	}
	line := &benchfmt.Result{
		Name: benchfmt.Name(p.name()), Iters: int(r.Requests()),
		Config: []benchfmt.Config{{Key: "pkg", Value: []byte(p.pkg()), File: true}}, // or it would not be written
	}
	add := func(unit string, v float64) {
		line.Values = append(line.Values, benchfmt.Value{Value: v, Unit: unit})
	}
	addTime := func(unit string, d *time.Duration) {
		if d != nil {
			add(unit, float64(*d))
		}
	}
	addTime("ns/op", r.Response.Mean)
	if r.Rate != nil {
		add("req/s", *r.Rate)
	}
	addTime("p50-ns", r.Response.P50)
	addTime("p90-ns", r.Response.P90)
	addTime("p99-ns", r.Response.P99)
	addTime("p99.9-ns", r.Response.P999)
	addTime("max-ns", r.Response.Max)
	add("failed/op", float64(r.Failed)/float64(r.Requests()))
	for _, c := range allocated.costs(r) {
		add(c.Unit, c.Value)
	}
	return line
}
