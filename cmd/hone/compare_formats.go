package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
)

// writeCSV prints benchstat's table, a line for each benchmark, unit and column,
// values as they are. Names are not changed: see report's csv.go about
// spreadsheets.
func (c *comparison) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"config", "benchmark", "unit", "column", "samples", "median", "lo", "hi", "change", "p", "samples_base"})
	number := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, t := range c.Tables {
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
					line[8] = number(cell.Summary.Center/r.Cells[0].Summary.Center - 1)
					line[9], line[10] = number(v.P), strconv.Itoa(v.N1)
				}
				out.Write(line)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// The JSON of hone compare. Numbers that are not known, or unbounded, are null.
type (
	comparisonJSON struct {
		Columns     []columnJSON `json:"columns"`
		Tables      []tableJSON  `json:"tables"`      // benchstat's
		Comparisons []sidesJSON  `json:"comparisons"` // of the first column with each of the others
		Notes       []string     `json:"notes,omitempty"`
		Warnings    []string     `json:"warnings"`
	}
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

func finiteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (c *comparison) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(c.values())
}

// values returns what -json prints.
func (c *comparison) values() comparisonJSON {
	out := comparisonJSON{Tables: []tableJSON{}, Comparisons: []sidesJSON{}, Notes: c.Notes, Warnings: append([]string{}, c.Warnings...)}
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
	for _, t := range c.Tables {
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
				cj := &cellJSON{Samples: cell.Samples(), Median: finiteOrNil(cell.Summary.Center),
					Lo: finiteOrNil(cell.Summary.Lo), Hi: finiteOrNil(cell.Summary.Hi), Delta: cell.Delta, Warnings: cell.Warnings}
				for _, e := range cell.Summary.Warnings {
					cj.Warnings = append(cj.Warnings, e.Error())
				}
				if cell.VsBase != nil {
					cj.P = finiteOrNil(cell.VsBase.P)
				}
				row.Cells = append(row.Cells, cj)
			}
			tj.Rows = append(tj.Rows, row)
		}
		out.Tables = append(out.Tables, tj)
	}
	for _, s := range c.Families {
		sj := sidesJSON{Base: s.base.Label, Head: s.head.Label, Summary: s.summary(), Method: s.method(), Family: s.Family, Explanations: []explanationJSON{}}
		for _, e := range s.explained {
			ej := explanationJSON{e.key.Package, e.key.Benchmark, e.unit, e.sampleType, e.base, e.head, []movedJSON{}, e.caveat}
			for _, r := range e.rows {
				ej.Functions = append(ej.Functions, movedJSON{r.name, r.file, r.own[0], r.own[1], r.cum[0], r.cum[1]})
			}
			sj.Explanations = append(sj.Explanations, ej)
		}
		out.Comparisons = append(out.Comparisons, sj)
	}
	return out
}

// writeMarkdown prints what a pull request wants to know: the verdict, what
// changed and why, and the rest folded.
func (c *comparison) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, s := range c.Families {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### Benchmarks: %s\n\n", s.summary())
		fmt.Fprintf(&b, "%s against %s, %s.\n", code(s.head.Label), code(s.base.Label), s.method())
		var changed, same []verdictRow
		for _, r := range s.verdictRows() {
			if r.changed {
				changed = append(changed, r)
			} else {
				same = append(same, r)
			}
		}
		if len(changed) > 0 {
			b.WriteString("\n")
			markdownVerdicts(&b, s, changed)
		}
		for _, e := range s.explained {
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", html.EscapeString(e.title()))
			header, rows := e.table()
			if len(rows) > 0 {
				markdownTable(&b, header, rows, "rrrrc")
			}
			if e.caveat != "" {
				fmt.Fprintf(&b, "\n%s\n", prose(e.caveat))
			}
			b.WriteString("\n</details>\n")
		}
		if len(same) > 0 {
			fmt.Fprintf(&b, "\n<details><summary>%d without a change that can be told from noise</summary>\n\n", len(same))
			markdownVerdicts(&b, s, same)
			b.WriteString("\n</details>\n")
		}
	}
	switch {
	case len(c.Tables) == 0:
		fmt.Fprintf(&b, "### Benchmarks: %s\n", nothingMeasured)
	case len(c.Families) == 0:
		c.markdownTables(&b)
	}
	if len(c.Notes) > 0 {
		b.WriteString("\n")
		for _, note := range c.Notes {
			fmt.Fprintf(&b, "- %s\n", prose(note))
		}
	}
	if env := c.environment(); len(env) > 0 {
		b.WriteString("\n<details><summary>Environment</summary>\n\n")
		for _, line := range env {
			fmt.Fprintf(&b, "- %s: %s\n", prose(line[0]), code(line[1]))
		}
		b.WriteString("\n</details>\n")
	}
	if len(c.Warnings) > 0 {
		b.WriteString("\n**Warnings**\n\n")
		for _, warning := range c.Warnings {
			fmt.Fprintf(&b, "- %s\n", prose(warning))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownVerdicts(b *strings.Builder, s *sides, rows []verdictRow) {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{r.name, r.unit, r.base, r.head, r.change, r.interval, r.verdict})
	}
	markdownTable(b, []string{"benchmark", "unit", s.base.Label, s.head.Label, "change", fmt.Sprintf("%.0f %% interval", 100*(1-s.Alpha)), "verdict"}, cells, "ccrrrrl")
}

// markdownTables prints the only column's values.
func (c *comparison) markdownTables(b *strings.Builder) {
	fmt.Fprintf(b, "### Benchmarks of %s\n\n", code(c.inputs[0].Label))
	var rows [][]string
	for _, t := range c.Tables {
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				rows = append(rows, []string{r.Benchmark, t.Unit, tidied(cell.Summary.Center, t.Unit), "± " + strings.TrimSpace(cell.Summary.PctRangeString()), strconv.Itoa(cell.Samples())})
			}
		}
	}
	markdownTable(b, []string{"benchmark", "unit", "median", "", "samples"}, rows, "ccrrr")
}

// markdownTable prints a table. align has a letter for each column: r for
// numbers, which are ours and stay as they are, l for words, and c for names,
// which are code.
func markdownTable(b *strings.Builder, header []string, rows [][]string, align string) {
	var heads, rules []string
	for i, h := range header {
		heads = append(heads, prose(h))
		rules = append(rules, map[byte]string{'r': "--:", 'l': "---", 'c': "---"}[align[i]])
	}
	fmt.Fprintf(b, "| %s |\n| %s |\n", strings.Join(heads, " | "), strings.Join(rules, " | "))
	for _, cells := range rows {
		out := make([]string, len(cells))
		for i, text := range cells {
			switch align[i] {
			case 'c':
				out[i] = code(text)
			case 'r':
				out[i] = text
			default:
				out[i] = prose(text)
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(out, " | "))
	}
}

// code prints a name as code. Benchmarks and labels may be called anything. In a
// code span only backticks mean something, and in a table |, which a table takes
// for the end of a cell even there; what has either goes as HTML, every sign
// of Markdown as a character reference.
func code(name string) string {
	name = oneWord(name)
	if name == "" {
		return ""
	}
	if strings.ContainsAny(name, "`|") || strings.TrimSpace(name) != name {
		return "<code>" + prose(name) + "</code>"
	}
	return "`" + name + "`"
}

// prose prints text so that Markdown finds nothing in it to obey: no HTML, link,
// mention or cell.
func prose(text string) string {
	var b strings.Builder
	for _, r := range oneWord(text) {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|&@!~$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// Addresses become links by themselves.
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "://", "&#58;//"), "www.", "www&#46;")
}

// environment lists what the runs were measured with, one line per thing.
func (c *comparison) environment() [][2]string {
	var lines [][2]string
	seen := make(map[string]bool)
	for _, in := range c.inputs {
		if in.run == nil || seen[in.run.ID] {
			continue
		}
		seen[in.run.ID] = true
		prefix := ""
		if len(c.inputs) > 2 || c.inputs[0].run != c.inputs[len(c.inputs)-1].run {
			prefix = in.Label + ", "
		}
		e := in.run.Environment
		for _, f := range [][2]string{
			{"run", in.run.ID}, {"command", commandLine(in.run.Command)}, {"measured", in.run.Created.Format("2006-01-02 15:04 MST")},
			{"revision", revisions(&in.run.Head, in.run.Base)},
			{"system", strings.Trim(e.GOOS+"/"+e.GOARCH, "/")}, {"CPU", e.CPU}, {"cores", strconv.Itoa(e.Cores)}, {"governor", e.Governor}, {"load", e.Load},
			{"Go", e.Go}, {"GOGC", e.GOGC}, {"GOMEMLIMIT", e.GOMEMLIMIT}, {"GOMAXPROCS", e.GOMAXPROCS}, {"GODEBUG", e.GODEBUG}, {"GOFLAGS", e.GOFLAGS},
		} {
			if f[1] != "" && f[1] != "0" && f[1] != "-" {
				lines = append(lines, [2]string{prefix + f[0], f[1]})
			}
		}
	}
	return lines
}
