package compare

import (
	"encoding/json"
	"io"
	"math"

	"github.com/hone-go/hone/internal/experiment"
)

// A Document is a comparison for programs, to be marshalled as JSON; doc/api.md
// describes it. Numbers that are not known, or unbounded, are null.
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
		Explanations []explanationJSON `json:"explanations"`
	}
	explanationJSON struct {
		Package    string      `json:"package,omitempty"`
		Benchmark  string      `json:"benchmark"`
		Unit       string      `json:"unit"` // of all values, per operation
		SampleType string      `json:"sampleType"`
		Base       float64     `json:"base"`
		Head       float64     `json:"head"`
		Ratio      float64     `json:"ratio"` // of the profiles' totals per operation, base to head; 0 if unknown
		Functions  []movedJSON `json:"functions"`
		Caveat     string      `json:"caveat,omitempty"`
	}
	movedJSON struct {
		Name    string  `json:"name"`
		File    string  `json:"file,omitempty"`
		BaseOwn float64 `json:"baseOwn"`
		HeadOwn float64 `json:"headOwn"`
		BaseCum float64 `json:"baseCum"` // with callees
		HeadCum float64 `json:"headCum"`
	}
)

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
		sj := sidesJSON{Base: s.base.Label, Head: s.head.Label, Summary: s.summary(), Method: s.method(), Family: s.Family, Explanations: []explanationJSON{}}
		for _, e := range s.explained {
			ej := explanationJSON{e.key.Package, e.key.Benchmark, e.unit, e.sampleType, e.base, e.head, e.ratio, []movedJSON{}, e.caveat}
			for _, r := range e.rows {
				ej.Functions = append(ej.Functions, movedJSON{r.name, r.file, r.own[0], r.own[1], r.cum[0], r.cum[1]})
			}
			sj.Explanations = append(sj.Explanations, ej)
		}
		out.Comparisons = append(out.Comparisons, sj)
	}
	return out
}
