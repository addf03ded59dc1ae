package pyroscope

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

// maxPoints limits the points of an answer.
const maxPoints = 1 << 18

// maxSteps limits the points of one series.
const maxSteps = 1 << 16

// always is a step, in ns, that puts all times since 1970 into one window.
const always = 1 << 62

// A line is one series of points over time.
type line struct {
	labels store.Labels // with Pyroscope's names
	points []store.Point
	total  float64
}

// lines returns totals over time per group, sorted by labels.
func (q *querier) lines(ctx context.Context, s *selection, groupBy []string, step int64) ([]line, error) {
	queries, err := q.queries(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := checkNames(groupBy); err != nil {
		return nil, err
	}
	var by []string
	for _, name := range groupBy {
		by = append(by, hones(name))
	}
	var out []line
	for _, query := range queries {
		query.By, query.Step, query.Limit = by, step, maxPoints
		series, err := q.totals(ctx, s, query)
		if err != nil {
			return nil, err
		}
		for _, part := range series {
			labels, err := renamed(part.Labels)
			if err != nil {
				return nil, err
			}
			i, found := slices.BinarySearchFunc(out, labels, func(l line, labels store.Labels) int { return l.labels.Compare(labels) })
			if !found {
				out = slices.Insert(out, i, line{labels: labels})
			}
			out[i].add(part.Points)
		}
	}
	return out, nil
}

// renamed returns labels with Pyroscope's names.
func renamed(labels store.Labels) (store.Labels, error) {
	var out []store.Label
	for _, l := range labels {
		if l.Name == store.LabelKind {
			out = append(out, store.Label{Name: labelName, Value: nameOf(l.Value)})
		} else {
			out = append(out, store.Label{Name: theirs(l.Name), Value: l.Value})
		}
	}
	return store.NewLabels(out...)
}

// totals gets totals from the store. If only some samples count, it gets the
// profiles and adds up those samples.
func (q *querier) totals(ctx context.Context, s *selection, query store.Query) ([]store.Series, error) {
	if !s.filtered() {
		return q.store.Series(ctx, query)
	}
	query.Budget = ingest.BudgetOf(ctx)
	groups, err := q.store.Merge(ctx, query)
	if err != nil {
		return nil, err
	}
	var out []store.Series
	for _, g := range groups {
		p := s.filter(g.Profile)
		point := store.Point{Time: g.Time, Total: g.Total}
		point.Value = 0
		for _, v := range p.Values[0] {
			point.Value += v
		}
		i, found := slices.BinarySearchFunc(out, g.Labels, func(s store.Series, labels store.Labels) int { return s.Labels.Compare(labels) })
		if !found {
			out = slices.Insert(out, i, store.Series{Labels: g.Labels})
		}
		out[i].Points = append(out[i].Points, point)
	}
	return out, nil
}

// add adds points to a line, and sums points with the same time.
func (l *line) add(points []store.Point) {
	l.points = append(l.points, points...)
	slices.SortStableFunc(l.points, func(a, b store.Point) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
	})
	l.total = 0
	kept := l.points[:0]
	for _, p := range l.points {
		l.total += float64(p.Value)
		if n := len(kept); n > 0 && kept[n-1].Time == p.Time && kept[n-1].ID == p.ID {
			kept[n-1].Value += p.Value
			kept[n-1].Profiles += p.Profiles
			continue
		}
		kept = append(kept, p)
	}
	l.points = kept
}

// largest returns the n lines with the highest totals, highest first. With n = 0,
// it returns all lines in their order.
func largest(lines []line, n int64) []line {
	if n <= 0 {
		return lines
	}
	slices.SortFunc(lines, func(a, b line) int { return compareTotals(a.total, b.total, a.labels, b.labels) })
	return lines[:min(int64(len(lines)), n)]
}

// stepOf converts a step from seconds to ns.
func stepOf(seconds float64, s *selection) (int64, error) {
	if !(seconds >= 1e-3 && seconds <= 1e9) {
		return 0, badRequest("invalid step of %v seconds: use at least a millisecond", seconds)
	}
	step := int64(math.Round(seconds*1e3)) * 1e6
	if s.to != 0 && s.from != 0 && (s.to-s.from)/step > maxSteps {
		return 0, badRequest("a step of %v seconds gives more than %d steps: use a longer one", seconds, maxSteps)
	}
	return step, nil
}

// compareTotals orders by descending total, then by labels.
func compareTotals(a, b float64, la, lb store.Labels) int {
	return cmp.Or(cmp.Compare(b, a), la.Compare(lb))
}
