package experiment

import (
	"fmt"
	"slices"
)

// Compare compares the sides of all series of one run, with a correction for their
// number: see correct.
func Compare(series []Series, opts Options) (*Family, error) {
	return compare(question{series: series, opts: opts})
}

// compare answers a question: what each series says, its role in the family, the level
// that the correction allows it, and the verdict.
func compare(q question) (*Family, error) {
	if err := q.opts.check(); err != nil {
		return nil, err
	}
	if k, twice := duplicate(q.series); twice {
		return nil, fmt.Errorf("%s occurs twice in the family", k)
	}
	estimates := make([]estimate, len(q.series))
	for i, s := range q.series {
		estimates[i] = estimateSeries(s, &q)
	}
	roles := assignRoles(estimates, &q)
	levels, tested := correct(estimates, roles, &q)
	var comparisons []Comparison
	for i := range estimates {
		comparisons = append(comparisons, judge(&estimates[i], &roles[i], levels[i], &q.opts))
	}
	return &Family{
		Alpha: q.opts.Alpha, Tested: tested, Apart: q.apart, Comparisons: comparisons,
		SameCode: q.sameCode, Missing: append(onlyInBase(comparisons), q.missing...),
	}, nil
}

// duplicate returns a key that two series have.
func duplicate(series []Series) (k Key, twice bool) {
	seen := make(map[Key]bool)
	for _, s := range series {
		if seen[s.Key] {
			return s.Key, true
		}
		seen[s.Key] = true
	}
	return Key{}, false
}

// onlyInBase returns what only the base has: benchmarks, and units of others.
func onlyInBase(comparisons []Comparison) []Gap {
	measured := make(map[BenchmarkName]bool)
	for i := range comparisons {
		if c := &comparisons[i]; len(c.sample.head) > 0 {
			measured[c.Name()] = true
		}
	}
	var gaps []Gap
	for i := range comparisons {
		c := &comparisons[i]
		if c.Verdict == SameCode || len(c.sample.head) > 0 || len(c.sample.base) == 0 {
			continue
		}
		g := Gap{Package: c.Package, Benchmark: c.Benchmark, Why: NotMeasured}
		if measured[c.Name()] {
			g.Unit = c.Unit
		}
		if !slices.Contains(gaps, g) {
			gaps = append(gaps, g)
		}
	}
	return gaps
}
