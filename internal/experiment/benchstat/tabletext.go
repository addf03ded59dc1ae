package benchstat

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"
)

// WriteTables prints tables as benchstat does, to the byte. What prints them there is
// internal to golang.org/x/perf.
func WriteTables(w io.Writer, tables []Table) error {
	var b strings.Builder
	shown := make(map[string]string)
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, c := range t.Config {
			if old, ok := shown[c.Key]; !ok || old != c.Value {
				fmt.Fprintf(&b, "%s: %s\n", c.Key, c.Value)
			}
			shown[c.Key] = c.Value
		}
		t.print(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Columns of the grid: the benchmark; per column of the table its centre,
// interval and footnotes; and, but for the first, change, p and footnotes.
const (
	centerCells = 3
	deltaCells  = 3
)

func firstCell(column int) int {
	if column == 0 {
		return 1
	}
	return 1 + centerCells + (column-1)*(centerCells+deltaCells)
}

func (t *Table) print(b *strings.Builder) {
	g := grid{fixed: make(map[int]bool)}
	var notes []string
	// Footnotes are numbered in the order of the table, each once.
	footnotes := func(col int, groups ...[]string) {
		var marks []string
		for _, group := range groups {
			for _, n := range group {
				i := slices.Index(notes, n)
				if i < 0 {
					i = len(notes)
					notes = append(notes, n)
				}
				marks = append(marks, superscript(i+1))
			}
		}
		g.cell(col, 1, strings.Join(marks, " "), left, " ")
	}
	edge := firstCell(len(t.Columns) + 1)
	for i, label := range t.Columns {
		start := firstCell(i)
		g.cell(start, firstCell(i+1)-start, label, center, " │ ")
	}
	g.cell(edge, 1, "", left, " │")
	g.row++
	for i := range t.Columns {
		start, end := firstCell(i), firstCell(i+1)
		g.cell(start, centerCells, t.Unit, center, " │ ")
		if i > 0 {
			g.cell(start+centerCells, deltaCells, "vs base", left, "  ")
		}
		for c := start + 1; c < end; c++ {
			g.fixed[c] = true
		}
	}
	g.cell(edge, 1, "", left, " │")

	class := benchunit.ClassOf(t.Unit)
	for _, r := range t.Rows {
		g.row++
		g.cell(0, 1, r.Benchmark, left, "")
		var centers []float64
		for _, c := range r.Cells {
			if c != nil {
				centers = append(centers, c.Summary.Center)
			}
		}
		scaler := benchunit.CommonScale(centers, class)
		for i, c := range r.Cells {
			if c == nil {
				continue
			}
			start := firstCell(i)
			g.cell(start, 1, scaler.Format(c.Summary.Center), right, " ")
			g.cell(start+1, 1, c.Spread(), right, " ± ")
			footnotes(start+2, c.Warnings, errorTexts(c.Summary.Warnings))
			if c.VsBase != nil {
				g.cell(start+3, 1, c.Delta, right, " ")
				g.cell(start+4, 1, "("+c.VsBase.String()+")", left, " ")
				footnotes(start+5, errorTexts(c.VsBase.Warnings))
			}
		}
	}
	if len(t.Rows) > 1 {
		g.row++
		g.cell(0, 1, "geomean", left, "")
		for i, m := range t.Geomean {
			start := firstCell(i)
			if m.Value == m.Value { // not NaN
				g.cell(start, 1, benchunit.Scale(m.Value, class), right, " ")
			}
			switch {
			case i > 0 && m.Ratio == m.Ratio:
				g.cell(start+centerCells, 1, fmt.Sprintf("%+.2f%%", (m.Ratio-1)*100), right, " ")
			case i > 0:
				g.cell(start+centerCells, 1, "?", left, " ")
			}
			footnotes(firstCell(i+1)-1, m.Warnings)
		}
	}
	g.print(b)
	for i, n := range notes {
		fmt.Fprintf(b, "%s %s\n", superscript(i+1), n)
	}
}

func errorTexts(errs []error) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

func superscript(i int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return strings.Map(func(r rune) rune { return digits[r-'0'] }, strconv.Itoa(i))
}

// A grid lays cells out: a column is as wide as its widest cell; what a cell
// over several columns needs beyond them is shared by those that may grow.
type grid struct {
	cells []gridCell
	row   int
	fixed map[int]bool // columns that a wide cell does not widen
}

type gridCell struct {
	row, col, span int
	text           string
	align          alignment
	margin         string // what stands left of the text
}

type alignment uint8

const (
	left alignment = iota
	center
	right
)

func (g *grid) cell(col, span int, text string, a alignment, margin string) {
	if text == "" && margin == " " {
		margin = ""
	}
	g.cells = append(g.cells, gridCell{g.row, col, span, text, a, margin})
}

func (g *grid) print(b *strings.Builder) {
	columns := 0
	for _, c := range g.cells {
		columns = max(columns, c.col+c.span)
	}
	margins, widths := make([]int, columns), make([]int, columns)
	for _, c := range g.cells {
		margins[c.col] = max(margins[c.col], utf8.RuneCountInString(c.margin))
	}
	bySpan := slices.Clone(g.cells)
	slices.SortStableFunc(bySpan, func(a, b gridCell) int { return cmp.Compare(a.span, b.span) })
	for _, c := range bySpan {
		g.widen(widths, c, utf8.RuneCountInString(c.text)+margins[c.col])
	}
	starts := make([]int, columns+1)
	for i, w := range widths {
		starts[i+1] = starts[i] + w
	}
	row, at := 0, 0
	for _, c := range g.cells {
		if strings.TrimSpace(c.text) == "" && strings.TrimSpace(c.margin) == "" {
			continue // no blanks at the end of a line
		}
		for ; row < c.row; row++ {
			b.WriteByte('\n')
			at = 0
		}
		begin := starts[c.col] + margins[c.col]
		fmt.Fprintf(b, "%*s", begin-at, c.margin)
		width, length := starts[c.col+c.span]-begin, utf8.RuneCountInString(c.text)
		pad := 0
		switch c.align {
		case center:
			pad = (width - length) / 2
		case right:
			pad = width - length
		}
		fmt.Fprintf(b, "%*s%s", max(pad, 0), "", c.text)
		at = begin + max(pad, 0) + length
	}
	b.WriteByte('\n')
}

// widen makes room for a cell. Columns that may grow are brought to a common
// width, wider ones keeping theirs.
func (g *grid) widen(widths []int, c gridCell, need int) {
	if c.span == 1 {
		widths[c.col] = max(widths[c.col], need)
		return
	}
	have := 0
	var grow []int
	for col := c.col; col < c.col+c.span; col++ {
		have += widths[col]
		if !g.fixed[col] {
			grow = append(grow, col)
		}
	}
	if have >= need {
		return
	}
	for col := c.col; col < c.col+c.span; col++ {
		if g.fixed[col] {
			need -= widths[col]
		}
	}
	slices.SortStableFunc(grow, func(a, b int) int { return cmp.Compare(widths[b], widths[a]) })
	for i, col := range grow {
		left := len(grow) - i
		widths[col] = max(widths[col], (need+left-1)/left)
		need -= widths[col]
	}
}
