package experiment

import (
	"fmt"
	"slices"
)

// Compare compares the sides of all series of one run, with a correction for their
// number: see correct.
func Compare(series []Series, opts Options) (*Family, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	seen := make(map[Key]bool)
	f := &Family{Alpha: opts.Alpha, SameCode: opts.sameCode}
	for _, s := range series {
		if seen[s.Key] {
			return nil, fmt.Errorf("%s occurs twice in the family", s.Key)
		}
		seen[s.Key] = true
		c := estimateSeries(s, &opts)
		if slices.Contains(opts.sameCode, s.Key.Name()) {
			c.Verdict, c.Gated, c.tested, c.Warnings = SameCode, false, false, nil
		} else if slices.ContainsFunc(opts.tests, func(o TestOrigin) bool { return o.Package == s.Package && o.unlike() }) {
			c.Gated, c.tested, c.OtherBenchmark = false, false, true
		}
		f.Comparisons = append(f.Comparisons, c)
	}
	if !opts.apart {
		f.chooseClocks(opts.repeated)
	}
	f.correct(&opts)
	f.Missing = append(f.missing(), opts.missing...)
	return f, nil
}

// missing returns what only the base has: benchmarks, and units of others.
func (f *Family) missing() []Gap {
	measured := make(map[BenchmarkName]bool)
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; len(c.sample.head) > 0 {
			measured[c.Name()] = true
		}
	}
	var gaps []Gap
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
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
