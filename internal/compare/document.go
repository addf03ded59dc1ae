package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
)

// ReadDocument reads a comparison that was written as JSON. It can be written as Markdown again. It
// has no samples, and so no tables of benchstat.
func ReadDocument(data []byte) (*Comparison, error) {
	var doc Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Columns) == 0 {
		return nil, errors.New("it has no columns: use the output of hone compare -json")
	}
	if len(doc.Comparisons) > 0 && len(doc.Comparisons) != len(doc.Columns)-1 {
		return nil, fmt.Errorf("%d comparisons of %d columns", len(doc.Comparisons), len(doc.Columns))
	}
	c := &Comparison{notes: doc.Notes, Warnings: doc.Warnings, restored: &restored{medians: doc.medians(), measured: len(doc.Tables) > 0}}
	runs := make(map[string]*experiment.Run)
	for i := range doc.Columns {
		c.inputs = append(c.inputs, doc.Columns[i].input(runs))
	}
	for i := range doc.Comparisons {
		s, err := doc.Comparisons[i].sides(c.inputs[0], c.inputs[i+1])
		if err != nil {
			return nil, err
		}
		c.Sides = append(c.Sides, s)
	}
	return c, nil
}

// restored is what a comparison that was read from JSON has instead of its tables.
type restored struct {
	measured bool
	medians  [][]string
}

// medians are those of the only column.
func (d *Document) medians() (cells [][]string) {
	if len(d.Comparisons) > 0 {
		return nil
	}
	for _, t := range d.Tables {
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				if cell == nil || cell.Median == nil {
					continue
				}
				interval := boundedJSON{*cell.Median, cell.Lo, cell.Hi}.bounded()
				summary := benchstat.TableCell{Summary: benchmath.Summary{Center: interval.value, Lo: interval.lo, Hi: interval.hi}}
				cells = append(cells, medianCells(r.Benchmark, t.Unit, &summary, cell.Samples))
			}
		}
	}
	return cells
}

// input returns the column as an input. Columns of one run share it in runs.
func (c *columnJSON) input(runs map[string]*experiment.Run) *input {
	in := &input{Column: benchstat.Column{Label: c.Label}, explicit: c.Run == ""}
	if c.Run == "" {
		return in
	}
	if runs[c.Run] == nil {
		runs[c.Run] = &experiment.Run{Info: experiment.Info{ID: c.Run, Command: c.Command}}
	}
	in.run = runs[c.Run]
	if c.Created != nil {
		in.run.Created = *c.Created
	}
	if c.Environment != nil {
		in.run.Environment = *c.Environment
	}
	if in.side = experiment.Head; c.Side == experiment.Base.String() {
		in.side, in.run.Base = experiment.Base, c.Revision
	} else if c.Revision != nil {
		in.run.Head = *c.Revision
	}
	return in
}

func (j *sidesJSON) sides(base, head *input) (*Sides, error) {
	if j.Family == nil {
		return nil, errors.New("a comparison has no verdicts")
	}
	s := &Sides{base: base, head: head, Family: j.Family, Unmeasured: j.Unmeasured}
	for i := range j.Explanations {
		e, err := j.Explanations[i].explanation(s)
		if err != nil {
			return nil, err
		}
		s.explained = append(s.explained, e)
	}
	return s, nil
}

func (j *explanationJSON) explanation(s *Sides) (*explanation, error) {
	by, ok := explained[j.Unit]
	if !ok {
		return nil, fmt.Errorf("no profile explains the unit %q", j.Unit)
	}
	e := &explanation{
		key: experiment.Key{Package: j.Package, Benchmark: j.Benchmark, Unit: j.Unit}, what: by.what, sampleType: j.SampleType, unit: j.Unit,
		base: j.Base, head: j.Head, ratio: j.Ratio, change: j.Change.bounded(), paired: !s.Apart, caveat: j.Caveat,
	}
	for i := range s.Comparisons {
		if c := &s.Comparisons[i]; c.Package == j.Package && c.Benchmark == j.Benchmark && TidyUnit(c.Unit) == j.Unit {
			e.relative = changeText(c)
		}
	}
	for _, f := range j.Functions {
		e.rows = append(e.rows, f.row())
	}
	for _, f := range j.Callers {
		e.callers = append(e.callers, f.row())
	}
	if j.Others != nil {
		e.others, e.othersOwn = j.Others.Functions, j.Others.OwnChange.bounded()
	}
	if j.Remainder != nil {
		e.remainder = remainder{j.Remainder.Value, j.Remainder.Why}
	}
	if t := j.TooFew; t != nil {
		e.tooFew = &tooFew{[2]int64{t.Base, t.Head}, time.Duration(t.ProfileTime * float64(time.Second))}
	}
	return e, nil
}

func (j *movedJSON) row() movedRow {
	r := movedRow{
		name: j.Name, file: j.File,
		own: [2]float64{orUnknown(j.BaseOwn), orUnknown(j.HeadOwn)}, cum: [2]float64{orUnknown(j.BaseCum), orUnknown(j.HeadCum)},
	}
	r.isNew, r.isGone = r.cum[0] == 0, r.cum[1] == 0
	if j.OwnChange != nil {
		r.ownChange = j.OwnChange.bounded()
	}
	if j.CumChange != nil {
		r.cumChange = j.CumChange.bounded()
	}
	return r
}

func (j boundedJSON) bounded() bounded {
	b := bounded{j.Value, math.Inf(-1), math.Inf(1)}
	if j.Lo != nil {
		b.lo = *j.Lo
	}
	if j.Hi != nil {
		b.hi = *j.Hi
	}
	return b
}

func orUnknown(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
