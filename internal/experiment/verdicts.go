package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Compare compares the sides of a run measured with -against, as it was when
// measured: with the noise floors of its pre-check and confirmed by its second
// run, if it has them. Floors and Units of opts are set from the run.
func (r *Run) Compare(opts Options) (*Family, error) {
	first, second, err := r.compareTwice(opts)
	if err != nil || second == nil {
		return first, err
	}
	return first.Confirm(second), nil
}

// compareTwice compares the samples and those of the second run, nil if there is none.
func (r *Run) compareTwice(opts Options) (first, second *Family, err error) {
	if r.Base == nil {
		return nil, nil, fmt.Errorf("run %s has one side only: it was not measured with -against", r.ID)
	}
	preCheck, measured, again := r.Series(PreCheck), r.Series(Measure), r.Series(Repeat)
	opts.Units, opts.Floors = r.units, MeasureFloor(preCheck)
	q := question{series: measured, opts: opts, sameCode: r.SameCode, tests: r.Tests, missing: r.Missing}
	if first, err = compare(q); err != nil {
		return nil, nil, err
	}
	first.Layout = measureLayout(preCheck, measured)
	if len(again) == 0 {
		return first, nil, nil
	}
	q.series, q.repeats, q.stands = again, first, inOtherLayouts(measured, again)
	second, err = compare(q)
	return first, second, err
}

// inOtherLayouts reports whether a series was measured in the layout as linked at first, and
// repeated in others.
func inOtherLayouts(measured, again []Series) bool {
	asLinked := func(s Series) bool {
		return slices.ContainsFunc(s.Samples, func(x Sample) bool { return x.Layout == 0 })
	}
	repeated := make(map[Key]bool)
	for _, s := range again {
		repeated[s.Key] = !asLinked(s)
	}
	return slices.ContainsFunc(measured, func(s Series) bool { return repeated[s.Key] && asLinked(s) })
}

// Doubtful returns the changes of a run that more samples of its second run may
// still confirm, and by how many pairs to extend each.
func (r *Run) Doubtful(opts Options) (map[Key]int, error) {
	first, second, err := r.compareTwice(opts)
	if err != nil || second == nil {
		return nil, err
	}
	more := second.Undecided(opts.Looks)
	asked := first.Unconfirmed()
	maps.DeleteFunc(more, func(k Key, _ int) bool { return !slices.Contains(asked, k) })
	return more, nil
}

// Looks returns when the samples of a run with -against were looked at: as the run
// says itself, or, of older ones and loads, once, at the number that -count asked for,
// or as DefaultLooks says. Runs that were put together by hand count as one look.
func (r *Run) Looks() []Look {
	if len(r.Info.Looks) > 0 {
		return slices.Clone(r.Info.Looks)
	}
	most := mostPairs(r.Series(Measure))
	for i, arg := range r.Command {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != "count" && name != "test.count" {
			continue
		}
		if !ok && i+1 < len(r.Command) {
			value = r.Command[i+1]
		}
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			return OneLook(n)
		}
	}
	if most < DefaultLooks[0].Pairs {
		return OneLook(most)
	}
	return slices.Clone(DefaultLooks)
}

func mostPairs(series []Series) int {
	most := 1
	for _, s := range series {
		n := 0
		for _, x := range s.Samples {
			if x.Side == Head {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
