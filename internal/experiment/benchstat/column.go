package benchstat

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchtext"
)

// A Column is one input of an unpaired comparison: a kept run's side or a
// benchmark file of any origin.
type Column struct {
	Label   string
	Results []*benchfmt.Result // without values that are not numbers

	gaps, unclosed []experiment.Gap // see transcript
	closed         bool
	reasons        map[experiment.Key]string
	notNumbers     notNumbers
}

// Join adds another column's results, and what is known of them.
func (c *Column) Join(other *Column) {
	c.Results = append(slices.Clip(c.Results), other.Results...)
	c.gaps = append(slices.Clip(c.gaps), other.gaps...)
	c.unclosed = append(slices.Clip(c.unclosed), other.unclosed...)
	c.closed = c.closed || other.closed
	c.reasons, c.notNumbers = joined(c.reasons, other.reasons), joined(c.notNumbers, other.notNumbers)
}

func joined[V any](a, b map[experiment.Key]V) map[experiment.Key]V {
	both := maps.Clone(a)
	if both == nil {
		both = make(map[experiment.Key]V)
	}
	maps.Copy(both, b)
	return both
}

// ReadColumn reads a file in the Go benchmark format, as text or as the events of go
// test -json. Lines that look like results and are not give a warning each, as benchstat
// does, and so do values that are not numbers; units collects what the file says of its
// units.
func ReadColumn(label, file string, r io.Reader, units benchfmt.UnitMetadataMap) (c Column, warnings []string, err error) {
	c.Label = label
	text, err := benchtext.Read(file, r)
	if err != nil {
		return c, nil, err
	}
	said := readTranscript(text)
	c.gaps, c.unclosed, c.closed, c.reasons = said.gaps, said.unclosed, said.closed, said.reasons
	in, tooLong := benchtext.NewReader(said.whole(text), file)
	for _, line := range tooLong {
		warnings = append(warnings, line.Error()+", and is left out")
	}
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.SyntaxError:
			warnings = append(warnings, record.Error())
		case *benchfmt.Result:
			c.Results = append(c.Results, record.Clone())
		}
	}
	for k, v := range in.Units() {
		if old := units[k]; old != nil && old.Value != v.Value {
			name, line := v.Pos()
			warnings = append(warnings, fmt.Sprintf("%s:%d: unit %s has %s=%s here, %s before", name, line, v.OrigUnit, k.Key, v.Value, old.Value))
			continue
		}
		units[k] = v
	}
	warnings = append(warnings, benchtext.NameByCPU(file, c.Results)...)
	c.notNumbers = keepNumbers(c.Results)
	return c, append(warnings, c.notNumbers.warnings(label)...), in.Err()
}

// RunColumn returns a side of a run as a column.
func RunColumn(r *experiment.Run, label string, side experiment.Side) Column {
	c := Column{Label: label}
	for _, x := range r.Results(experiment.Measure, side) {
		c.Results = append(c.Results, x.Result.Clone())
	}
	for _, f := range r.Failures {
		if f.Side == "" || f.Side == side.String() {
			c.gaps = append(c.gaps, f.Gap)
		}
	}
	if r.State == experiment.Partial {
		c.gaps = append(c.gaps, experiment.Gap{Why: "run " + r.ID + " was not measured to its end"})
	}
	c.notNumbers = keepNumbers(c.Results)
	return c
}

// Gaps returns what a column was to measure and did not, as far as its file says so.
// Beside other, whose packages say how they ended, a package that doesn't was cut short.
func (c *Column) Gaps(other *Column) []experiment.Gap {
	gaps := slices.Clone(c.gaps)
	if other != nil && other.closed {
		gaps = append(gaps, c.unclosed...)
	}
	return gaps
}

// ExplainMissing says why the column lacks what the base has, as far as its file tells.
func (c *Column) ExplainMissing(missing []experiment.Gap) {
	for i := range missing {
		g := &missing[i]
		if g.Why != experiment.NotMeasured {
			continue
		}
		g.Why = c.why(experiment.Key{Package: g.Package, Benchmark: g.Benchmark, Unit: g.Unit})
		if g.Why == "" {
			g.Why = "not in " + c.Label
			if g.Unit == "B/op" || g.Unit == "allocs/op" {
				g.Why += ", which was measured without -benchmem"
			}
		}
	}
}

// why tells why a column has no values of a series; "": its file doesn't say.
func (c *Column) why(k experiment.Key) string {
	if n := c.notNumbers.of(k); n != nil {
		return n.String()
	}
	if k.Unit != "" {
		return "" // others of the benchmark were measured
	}
	if n := c.notNumbers.ofBenchmark(k.Name()); n != nil {
		return n.String()
	}
	gaps := slices.Concat(c.gaps, c.unclosed)
	for _, g := range gaps {
		if g.Package == k.Package && g.Benchmark != "" && benchtext.WithoutProcs(g.Benchmark) == benchtext.WithoutProcs(k.Benchmark) {
			return g.Why
		}
	}
	for _, key := range []experiment.Key{{Package: k.Package, Benchmark: k.Benchmark}, {Package: k.Package, Benchmark: benchtext.WithoutProcs(k.Benchmark)}, {Package: k.Package}} {
		if why := c.reasons[key]; why != "" {
			return why
		}
	}
	for _, g := range gaps {
		if g.Package == k.Package {
			return "not measured before " + g.String()
		}
	}
	return ""
}
