package fnmetrics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// OtherValue is the value of all labels of the series with what exceeds a limit.
const OtherValue = "other"

// A keptSeries is a series that was exported.
type keptSeries struct {
	labels []store.Label
	group  string  // the labels that profiles have
	score  float64 // a mean of its values, the later ones with more weight
	seen   int64   // end of the last interval with a value, ns since 1970
}

// Series that were exported stay for keepFor, with the value 0, if their profiles go on without
// their function. Without that, means over time would leave out the intervals without samples.
const keepFor = time.Hour

// A bounded is what is exported of a reading.
type bounded struct {
	series []Series
	cut    int           // number of series that are in other
	other  []store.Label // the labels of the series other
	value  float64       // of other

	kept map[string]keptSeries // for the next interval
}

// bound chooses at most limit series of a reading, whose interval ends at end. kept are those
// of the interval before. A new series takes the place of a kept one if it has twice the
// value: otherwise, series of about the same value would come and go.
func (r *reading) bound(kept map[string]keptSeries, limit int, end int64) bounded {
	now := map[string]Series{}
	groups := map[string]bool{}
	for i := range r.groups {
		groups[r.rule.groupID(r.rule.labels(r.groups[i].labels, member{}))] = true
	}
	other := r.rule.otherLabels()
	var cut []Series
	for _, s := range r.series() {
		switch id := seriesID(s.Labels); {
		case len(other) > 0 && id == seriesID(other):
			cut = append(cut, s) // it can't be told apart from other
		case now[id].Labels != nil:
			cut = append(cut, s) // its labels differ only in what can't be printed
		default:
			now[id] = s
		}
	}
	ranked := r.rank(now, kept, groups, end)
	out := bounded{kept: map[string]keptSeries{}, other: other}
	for i, c := range ranked {
		id := seriesID(c.labels)
		s, measured := now[id]
		if i >= limit {
			if measured {
				cut = append(cut, s)
			}
			continue
		}
		if !measured {
			s = Series{Labels: c.labels}
		}
		out.series = append(out.series, s)
		out.kept[id] = c.keptSeries
	}
	slices.SortFunc(out.series, func(a, b Series) int { return compareLabels(a.Labels, b.Labels) })
	if out.cut = len(cut); out.cut > 0 {
		out.value = r.other(cut)
	}
	return out
}

// A candidate is a series that may be exported.
type candidate struct {
	keptSeries
	rank float64
}

// rank returns the series of now and the kept ones, the most important first.
func (r *reading) rank(now map[string]Series, kept map[string]keptSeries, groups map[string]bool, end int64) []candidate {
	// The weight of a value halves in an hour.
	weight := 1 - math.Pow(0.5, float64(r.rule.Interval)/float64(time.Hour))
	var all []candidate
	for id, s := range now {
		c := keptSeries{s.Labels, r.rule.groupID(s.Labels), s.Value, end}
		old, ok := kept[id]
		if !ok {
			all = append(all, candidate{c, s.Value / 2})
			continue
		}
		c.score = old.score + weight*(s.Value-old.score)
		all = append(all, candidate{c, c.score})
	}
	for id, old := range kept {
		if _, ok := now[id]; ok || !groups[old.group] || end-old.seen > int64(keepFor) {
			continue
		}
		old.score -= weight * old.score
		all = append(all, candidate{old, old.score})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), compareLabels(a.labels, b.labels))
	})
	return all
}
