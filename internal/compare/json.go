package compare

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A Document is a comparison as JSON, which doc/reference/api.md describes. Unknown and infinite
// numbers are null.
type Document struct {
	Columns     []columnJSON `json:"columns"`
	Tables      []tableJSON  `json:"tables"`      // benchstat's
	Comparisons []sidesJSON  `json:"comparisons"` // of the first column with each of the others
	Notes       []string     `json:"notes,omitempty"`
	Warnings    []string     `json:"warnings"`
}

type (
	columnJSON struct {
		Label       string                  `json:"label"`
		Run         string                  `json:"run,omitempty"`
		Side        string                  `json:"side,omitempty"` // of the run
		Created     *time.Time              `json:"created,omitempty"`
		Command     []string                `json:"command,omitempty"` // that measured it
		Revision    *experiment.Revision    `json:"revision,omitempty"`
		Environment *experiment.Environment `json:"environment,omitempty"`
	}
	tableJSON struct {
		Config  map[string]string `json:"config"`
		Unit    string            `json:"unit"`
		Columns []string          `json:"columns"`
		Rows    []tableRowJSON    `json:"rows"`
	}
	tableRowJSON struct {
		Benchmark string      `json:"benchmark"`
		Cells     []*cellJSON `json:"cells"`
	}
	cellJSON struct {
		Samples  int      `json:"samples"`
		Median   *float64 `json:"median"`
		Lo       *float64 `json:"lo"`
		Hi       *float64 `json:"hi"`
		Delta    string   `json:"delta,omitempty"`
		P        *float64 `json:"p,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}
	sidesJSON struct {
		Base    string `json:"base"`
		Head    string `json:"head"`
		Summary string `json:"summary"`
		Method  string `json:"method"`
		*experiment.Family
		Unmeasured   []Unmeasured      `json:"unmeasured,omitempty"` // failures of either side
		Explanations []explanationJSON `json:"explanations"`
	}
	explanationJSON struct {
		Package    string  `json:"package,omitempty"`
		Benchmark  string  `json:"benchmark"`
		Unit       string  `json:"unit"` // of all values, per operation
		SampleType string  `json:"sampleType"`
		Base       float64 `json:"base"`
		Head       float64 `json:"head"`
		Ratio      float64 `json:"ratio"` // of the profiles' totals per operation, base to head; 0 if unknown
		// What Functions and Others did themselves, and the Remainder, add up to the
		// Change. Callers are with callees, and none of Functions.
		Change    boundedJSON    `json:"change"`
		Functions []movedJSON    `json:"functions"`
		Others    *othersJSON    `json:"others,omitempty"`
		Remainder *remainderJSON `json:"remainder,omitempty"`
		Callers   []movedJSON    `json:"callers"`
		TooFew    *tooFewJSON    `json:"tooFewSamples,omitempty"` // instead of Functions
		Caveat    string         `json:"caveat,omitempty"`
	}
	boundedJSON struct {
		Value float64  `json:"value"`
		Lo    *float64 `json:"lo"`
		Hi    *float64 `json:"hi"`
	}
	movedJSON struct {
		Name      string       `json:"name"`
		File      string       `json:"file,omitempty"`
		BaseOwn   *float64     `json:"baseOwn"` // null where that side costs something and its profile is empty
		HeadOwn   *float64     `json:"headOwn"`
		BaseCum   *float64     `json:"baseCum"` // with callees
		HeadCum   *float64     `json:"headCum"`
		OwnChange *boundedJSON `json:"ownChange,omitempty"` // of Functions
		CumChange *boundedJSON `json:"cumChange"`
		Yours     bool         `json:"yours,omitempty"` // code of the module
	}
	othersJSON struct {
		Functions int         `json:"functions"` // each within its noise
		OwnChange boundedJSON `json:"ownChange"`
	}
	remainderJSON struct {
		Value float64 `json:"value"`
		Why   string  `json:"why"`
	}
	tooFewJSON struct {
		Base        int64   `json:"base"` // samples
		Head        int64   `json:"head"`
		ProfileTime float64 `json:"profileTime,omitempty"` // seconds that would do
		Text        string  `json:"text"`
	}
)

// FiniteOrNil returns a number for JSON, which has none that are infinite or not a number.
func FiniteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (c *Comparison) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(c.Document())
}

// Document returns the comparison as values.
func (c *Comparison) Document() Document {
	out := Document{Tables: []tableJSON{}, Comparisons: []sidesJSON{}, Notes: c.notes, Warnings: append([]string{}, c.Warnings...)}
	for _, in := range c.inputs {
		col := columnJSON{Label: in.Label}
		if in.run != nil {
			col.Run, col.Side, col.Environment, col.Revision = in.run.ID, in.side.String(), &in.run.Environment, &in.run.Head
			col.Created, col.Command = &in.run.Created, in.run.Command
			if in.side == experiment.Base {
				col.Revision = in.run.Base
			}
		}
		out.Columns = append(out.Columns, col)
	}
	for _, t := range c.tables {
		tj := tableJSON{Config: make(map[string]string), Unit: t.Unit, Columns: t.Columns}
		for _, v := range t.Config {
			tj.Config[v.Key] = v.Value
		}
		for _, r := range t.Rows {
			row := tableRowJSON{Benchmark: r.Benchmark}
			for _, cell := range r.Cells {
				if cell == nil {
					row.Cells = append(row.Cells, nil)
					continue
				}
				cj := &cellJSON{Samples: cell.Samples(), Median: FiniteOrNil(cell.Summary.Center),
					Lo: FiniteOrNil(cell.Summary.Lo), Hi: FiniteOrNil(cell.Summary.Hi), Delta: cell.Delta, Warnings: cell.Warnings}
				for _, e := range cell.Summary.Warnings {
					cj.Warnings = append(cj.Warnings, e.Error())
				}
				if cell.VsBase != nil {
					cj.P = FiniteOrNil(cell.VsBase.P)
				}
				row.Cells = append(row.Cells, cj)
			}
			tj.Rows = append(tj.Rows, row)
		}
		out.Tables = append(out.Tables, tj)
	}
	for _, s := range c.Sides {
		sj := sidesJSON{Base: s.base.Label, Head: s.head.Label, Summary: s.Summary(), Method: s.method(), Family: s.Family, Unmeasured: s.Unmeasured, Explanations: []explanationJSON{}}
		for _, e := range s.explained {
			sj.Explanations = append(sj.Explanations, e.document())
		}
		out.Comparisons = append(out.Comparisons, sj)
	}
	return out
}

func (e *explanation) document() explanationJSON {
	ej := explanationJSON{
		Package: e.key.Package, Benchmark: e.key.Benchmark, Unit: e.unit, SampleType: e.sampleType, Base: e.base, Head: e.head, Ratio: e.ratio,
		Change: e.change.document(), Functions: []movedJSON{}, Callers: []movedJSON{}, Caveat: e.caveat,
	}
	row := func(r *movedRow) movedJSON {
		change := r.cumChange.document()
		return movedJSON{Name: r.name, File: r.file, BaseOwn: FiniteOrNil(r.own[0]), HeadOwn: FiniteOrNil(r.own[1]), BaseCum: FiniteOrNil(r.cum[0]), HeadCum: FiniteOrNil(r.cum[1]), CumChange: &change, Yours: r.yours}
	}
	for i := range e.rows {
		m, change := row(&e.rows[i]), e.rows[i].ownChange.document()
		m.OwnChange = &change
		ej.Functions = append(ej.Functions, m)
	}
	for i := range e.callers {
		ej.Callers = append(ej.Callers, row(&e.callers[i]))
	}
	if e.others > 0 {
		ej.Others = &othersJSON{e.others, e.othersOwn.document()}
	}
	if e.remainder.why != "" {
		ej.Remainder = &remainderJSON{e.remainder.value, e.remainder.why}
	}
	if t := e.tooFew; t != nil {
		ej.TooFew = &tooFewJSON{t.samples[0], t.samples[1], t.long.Seconds(), t.text(e)}
	}
	return ej
}

func (b bounded) document() boundedJSON {
	return boundedJSON{b.value, FiniteOrNil(b.lo), FiniteOrNil(b.hi)}
}
