package compare

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/report"
)

// writeCSV prints benchstat's table, a line for each benchmark, unit and column,
// values as they are.
func (c *Comparison) writeCSV(w io.Writer) error {
	rows := [][]string{{"config", "benchmark", "unit", "column", "samples", "median", "lo", "hi", "change", "p", "samples_base"}}
	number := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, t := range c.tables {
		var config []string
		for _, v := range t.Config {
			if v.Value != "" {
				config = append(config, v.Key+": "+v.Value)
			}
		}
		for _, r := range t.Rows {
			for i, cell := range r.Cells {
				if cell == nil {
					continue
				}
				line := []string{strings.Join(config, "; "), r.Benchmark, t.Unit, t.Columns[i], strconv.Itoa(cell.Samples()),
					number(cell.Summary.Center), number(cell.Summary.Lo), number(cell.Summary.Hi), "", "", ""}
				if v := cell.VsBase; v != nil {
					change := cell.Summary.Center/r.Cells[0].Summary.Center - 1
					if r.Cells[0].Summary.Center < 0 {
						change = -change // a part of the base's size
					}
					line[8] = number(change)
					line[9], line[10] = number(v.P), strconv.Itoa(v.N1)
				}
				rows = append(rows, line)
			}
		}
	}
	return report.WriteCSV(w, slices.Values(rows))
}
