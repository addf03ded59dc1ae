// Package benchstat compares files of benchmark results by benchstat's method, and
// prints what benchstat prints. It also says what a file was to measure and did not.
package benchstat

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// A Table compares the columns in one unit: benchstat's table. Results with
// different configuration (goos, pkg, cpu and the like) are in different tables.
type Table struct {
	Config  []ConfigValue // in the order in which benchstat prints it
	Unit    string        // tidied: "sec/op"
	Columns []string
	Rows    []TableRow
	Geomean []Geomean // by column
}

// A ConfigValue is a configuration line of the results in a table.
type ConfigValue struct{ Key, Value string }

// A TableRow is one benchmark. Cells are by column; nil where a file has no
// such benchmark.
type TableRow struct {
	Benchmark string
	Cells     []*TableCell
}

// A TableCell sums up the results of a benchmark in a column.
type TableCell struct {
	Summary benchmath.Summary
	// VsBase compares with the first column of the row; nil in that column and
	// where it is empty. Delta is how benchstat prints the change: "+3.00%", "~".
	VsBase   *benchmath.Comparison
	Delta    string
	Warnings []string // of the results; Summary and VsBase have their own

	sample *benchmath.Sample
}

// A Geomean is the last row's cell. Ratio is the geometric mean of the
// quotients with the first column, not the quotient of means: they are the
// same unless the columns have different benchmarks. NaN where there is none.
type Geomean struct {
	Value, Ratio float64
	Warnings     []string
}

// Tabulate compares columns by benchstat's method: medians with their 95 %
// interval, and the Mann–Whitney U test of each column with the first. It knows
// neither pairs nor the number of comparisons: Compare does.
func Tabulate(columns []Column, units benchfmt.UnitMetadataMap) ([]Table, error) {
	var parser benchproc.ProjectionParser
	filter, err := benchproc.NewFilter("*")
	if err != nil {
		return nil, err
	}
	byTable, unitField, err := parser.ParseWithUnit(".config", filter)
	if err != nil {
		return nil, err
	}
	byRow, err := parser.Parse(".fullname", filter)
	if err != nil {
		return nil, err
	}
	tables := groupResults(columns, byTable, byRow, parser.Residue())
	if len(tables) == 0 {
		return nil, errors.New("no benchmark results")
	}
	keys := slices.Collect(maps.Keys(tables))
	benchproc.SortKeys(keys)
	var out []Table
	for _, key := range keys {
		unit := key.Get(unitField)
		t := tables[key].compare(columns, units.GetAssumption(unit))
		t.Unit = unit
		for _, f := range key.Projection().FlattenedFields() {
			if f != unitField && f.Name != ".unit" {
				t.Config = append(t.Config, ConfigValue{f.Name, key.Get(f)})
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// tableResults are the results of one table.
type tableResults struct {
	rows  []benchproc.Key
	cells map[cellKey]*cellResults
}

type cellKey struct {
	row    benchproc.Key
	column int
}

// cellResults are a benchmark's values in a column, each with what the table
// doesn't tell apart.
type cellResults struct {
	values  []float64
	residue []benchproc.Key
}

// groupResults puts the results of columns into tables, rows and cells.
func groupResults(columns []Column, byTable, byRow, residue *benchproc.Projection) map[benchproc.Key]*tableResults {
	tables := make(map[benchproc.Key]*tableResults)
	for column, c := range columns {
		for _, result := range c.Results {
			row, rest := byRow.Project(result), residue.Project(result)
			for i, key := range byTable.ProjectValues(result) {
				t := tables[key]
				if t == nil {
					t = &tableResults{cells: make(map[cellKey]*cellResults)}
					tables[key] = t
				}
				if !slices.Contains(t.rows, row) {
					t.rows = append(t.rows, row)
				}
				at := cellKey{row, column}
				if t.cells[at] == nil {
					t.cells[at] = new(cellResults)
				}
				t.cells[at].values = append(t.cells[at].values, result.Values[i].Value)
				t.cells[at].residue = append(t.cells[at].residue, rest)
			}
		}
	}
	return tables
}

// compare makes a table of the results, but for its unit and configuration.
func (t *tableResults) compare(columns []Column, assumption benchmath.Assumption) (made Table) {
	// Columns without any result in this table are left out, as in benchstat.
	var used []int
	for column, c := range columns {
		if slices.ContainsFunc(t.rows, func(row benchproc.Key) bool { return t.cells[cellKey{row, column}] != nil }) {
			used = append(used, column)
			made.Columns = append(made.Columns, c.Label)
		}
	}
	benchproc.SortKeys(t.rows)
	for _, row := range t.rows {
		r := TableRow{Benchmark: row.StringValues()}
		for _, column := range used {
			from := t.cells[cellKey{row, column}]
			if from == nil {
				r.Cells = append(r.Cells, nil)
				continue
			}
			c := newTableCell(from.values, assumption)
			if vary := benchproc.NonSingularFields(unique(from.residue)); len(vary) > 0 {
				c.Warnings = append(c.Warnings, "benchmarks vary in "+fieldNames(vary))
			}
			if len(r.Cells) > 0 && r.Cells[0] != nil {
				c.compare(r.Cells[0], assumption)
			}
			r.Cells = append(r.Cells, c)
		}
		made.Rows = append(made.Rows, r)
	}
	for column := range used {
		made.Geomean = append(made.Geomean, geomean(made.Rows, column))
	}
	return made
}

func unique(keys []benchproc.Key) []benchproc.Key {
	var u []benchproc.Key
	for _, k := range keys {
		if !slices.Contains(u, k) {
			u = append(u, k)
		}
	}
	return u
}

func fieldNames(fields []*benchproc.Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

func newTableCell(values []float64, assumption benchmath.Assumption) *TableCell {
	c := &TableCell{sample: benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)}
	c.Summary = assumption.Summary(c.sample, 0.95)
	return c
}

func (c *TableCell) compare(base *TableCell, assumption benchmath.Assumption) {
	vs := assumption.Compare(base.sample, c.sample)
	c.VsBase = &vs
	// The change is a part of the base's size, so that −3 → −1 is +66.67%: benchstat
	// says −66.67%.
	from := math.Abs(base.Summary.Center)
	c.Delta = vs.FormatDelta(from, from+(c.Summary.Center-base.Summary.Center))
}

// Samples is the number of results in the cell.
func (c *TableCell) Samples() int { return len(c.sample.Values) }

// Spread prints how far the interval of the median reaches, as benchstat does but for
// negative values: ±3%.
func (c *TableCell) Spread() string {
	s := c.Summary
	if s.Center < 0 {
		s.Center, s.Lo, s.Hi = -s.Center, -s.Hi, -s.Lo
	}
	return s.PctRangeString()
}

func geomean(rows []TableRow, column int) Geomean {
	var values, ratios []float64
	paired, bases := 0, 0
	badRatio := false
	for _, r := range rows {
		if r.Cells[0] != nil {
			bases++
		}
		c := r.Cells[column]
		if c == nil {
			continue
		}
		values = append(values, c.Summary.Center)
		if c.VsBase == nil {
			continue
		}
		paired++
		switch a, b := c.Summary.Center, r.Cells[0].Summary.Center; {
		case a == b:
			ratios = append(ratios, 1) // 0/0 too
		case b == 0:
			badRatio = true
		default:
			ratios = append(ratios, a/b)
		}
	}
	g := Geomean{Value: geometricMean(values), Ratio: math.NaN()}
	if column > 0 && paired != bases {
		g.Warnings = append(g.Warnings, "benchmark set differs from baseline; geomeans may not be comparable")
	}
	if math.IsNaN(g.Value) {
		g.Warnings = append(g.Warnings, "summaries must be >0 to compute geomean")
	}
	if column > 0 && !badRatio {
		g.Ratio = geometricMean(ratios)
		if math.IsNaN(g.Ratio) {
			g.Warnings = append(g.Warnings, "ratios must be >0 to compute geomean")
		}
	}
	return g
}

func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if !(v > 0) {
			return math.NaN()
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
