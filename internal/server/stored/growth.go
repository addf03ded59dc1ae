package stored

import (
	"cmp"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
)

// growths returns a function that tells how much a function's value per profile grew. It
// returns nil if there are too few windows.
//
// It compares the mean of the first third of the windows with that of the last, as history
// does without versions. How much windows differ within a third tells what is chance: the
// heap also grows between two collections.
func (h *historyQuery) growths(windows []part) func(name string) *api.Growth {
	windows = slices.DeleteFunc(slices.Clone(windows), func(t part) bool { return t.Profiles == 0 })
	third := len(windows) / 3
	if third < 2 {
		return func(string) *api.Growth { return nil }
	}
	first, last := windows[:third], windows[len(windows)-third:]
	var chance report.Chance
	chance.NewSpreads(instancesOf(first), instancesOf(last))
	event, baseEvent := eventOf(last), eventOf(first)
	return func(name string) *api.Growth {
		g := &api.Growth{Slope: h.slope(windows, name), Before: h.mean(first, name), After: h.mean(last, name)}
		before := report.Measured{Value: g.Before, Event: baseEvent}
		after := report.Measured{Value: g.After, Event: event}
		g.Sure = chance.SureOf(name, h.cum, before, after)
		return g
	}
}

// instancesOf returns the windows as instances, whose differences count as chance.
func instancesOf(windows []part) *report.Instances {
	in := &report.Instances{Count: len(windows)}
	for _, t := range windows {
		in.Add(float64(t.Profiles), func(yield func(frame string, flat, cum float64)) {
			for name, v := range t.functions {
				yield(name, float64(v.flat), float64(v.cum))
			}
		})
	}
	return in
}

// eventOf returns the value of one sample, 0 if it isn't known. Memory that stays in use is
// in every profile, so more profiles don't mean more samples.
func eventOf(windows []part) float64 {
	total, samples := int64(0), int64(0)
	for _, t := range windows {
		total, samples = total+t.total, samples+t.samples
	}
	if samples == 0 {
		return 0
	}
	return float64(total) / float64(samples)
}

// value returns a function's value per profile.
func (h *historyQuery) value(t part, name string) float64 {
	return h.valueOf(t.functionTable, name) / float64(t.Profiles)
}

// mean returns the mean of a function's values, each profile with the same weight.
func (h *historyQuery) mean(windows []part, name string) float64 {
	sum, n := 0.0, 0.0
	for _, t := range windows {
		sum += h.value(t, name) * float64(t.Profiles)
		n += float64(t.Profiles)
	}
	return sum / n
}

// slope returns by how much a function's value grows per hour: the slope of the line that
// fits the windows best, by least squares.
func (h *historyQuery) slope(windows []part, name string) float64 {
	start := windows[0].time
	hours := func(t part) float64 { return time.Duration(t.time - start).Hours() }
	x, y := 0.0, 0.0
	for _, t := range windows {
		x += hours(t) / float64(len(windows))
		y += h.value(t, name) / float64(len(windows))
	}
	xy, xx := 0.0, 0.0
	for _, t := range windows {
		d := hours(t) - x
		xy += d * (h.value(t, name) - y)
		xx += d * d
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// compareGrowth compares by sure growth, then by slope. nil is the smallest.
func compareGrowth(a, b *api.Growth) int {
	if a == nil || b == nil {
		return compareNil(a, b)
	}
	return cmp.Or(cmp.Compare(a.Sure, b.Sure), cmp.Compare(a.Slope, b.Slope))
}
