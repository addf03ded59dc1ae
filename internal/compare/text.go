package compare

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
	"github.com/hone-go/hone/internal/report"
)

// writeText prints what changed, and by which functions, on a screen; or all there
// is: benchstat's tables, and below them, for runs, what hone knows beyond those.
func (c *Comparison) writeText(w io.Writer, all bool) error {
	var b bytes.Buffer
	if all || len(c.Sides) == 0 { // of what is not compared, there is nothing else
		if err := benchstat.WriteTables(&b, c.tables); err != nil {
			return err
		}
	}
	if len(c.tables) == 0 {
		fmt.Fprintf(&b, "%s\n", nothingMeasured)
		for _, n := range c.notes {
			fmt.Fprintf(&b, "%s\n", Printable(n))
		}
	}
	for _, s := range c.Sides {
		if all {
			s.writeAll(&b)
		} else {
			s.writeChanges(&b)
		}
		if s.base.run == s.head.run && s.head.run != nil {
			s.writeCode(&b, all)
		}
	}
	_, err := io.WriteString(w, report.NoCommands(b.String())) // benchstat's tables have names as they are
	return err
}

// writeAll prints every verdict, where at least one side is a run: files alone
// get benchstat's tables and nothing else.
func (s *Sides) writeAll(b *bytes.Buffer) {
	if s.base.run == nil && s.head.run == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n", s.title())
	writeRows(b, s.Rows())
	for _, e := range s.explained {
		b.WriteByte('\n')
		e.writeText(b, len(e.rows), textCallers)
	}
}

// A text is to fit on a screen, of which it takes so many lines.
const (
	screenLines  = 40
	screenSeries = 15 // that changed
	screenRows   = 5  // functions of each
	textCallers  = 3
)

// writeChanges prints what changed, the worse first, and counts the rest.
func (s *Sides) writeChanges(b *bytes.Buffer) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	start := b.Len()
	fmt.Fprintf(b, "%s\n", s.title())
	var changed []Row
	same, alone := 0, 0
	for _, r := range s.Rows() {
		switch {
		case r.changed:
			changed = append(changed, r)
		case r.outcome == experiment.OneSided:
			alone++
		case r.outcome != experiment.OtherClock:
			same++
		}
	}
	slices.SortStableFunc(changed, func(x, y Row) int { return worseFirst(x.outcome) - worseFirst(y.outcome) })
	writeRows(b, changed[:min(screenSeries, len(changed))])
	if more := len(changed) - screenSeries; more > 0 {
		fmt.Fprintf(b, "%d more changed: -v lists them\n", more)
	}
	if same > 0 {
		fmt.Fprintf(b, "%d without a change that can be told from noise: %s; -v lists them\n", same, s.count(experiment.Inconclusive, experiment.WithinBudget, experiment.NoChange, experiment.SameCode))
	}
	if alone > 0 {
		fmt.Fprintf(b, "%d not compared: %s\n", alone, s.count(experiment.OneSided))
	}
	if n := len(s.Unmeasured); n > 0 {
		fmt.Fprintf(b, "%d failed or cut short, so results may be missing\n", n)
	}
	left := 0
	for i, e := range s.explained {
		var text bytes.Buffer
		e.writeText(&text, screenRows, textCallers)
		if lines := bytes.Count(b.Bytes()[start:], []byte("\n")) + bytes.Count(text.Bytes(), []byte("\n")); i > 0 && lines >= screenLines {
			left++
			continue
		}
		b.WriteByte('\n')
		b.Write(text.Bytes())
	}
	if left > 0 {
		fmt.Fprintf(b, "\n-v explains %s\n", Counted(left, "more change"))
	}
}

func worseFirst(v experiment.Verdict) int {
	if v == experiment.Worse {
		return 0
	}
	return 1
}

// writeText prints what adds up, and below it, in the same columns, what does not.
func (e *explanation) writeText(b *bytes.Buffer, most, mostCallers int) {
	fmt.Fprintf(b, "%s\n", e.title())
	var rows [][]string
	lines, callers := e.lines(most), e.callerLines(mostCallers)
	if len(lines) > 0 {
		rows = append(rows, movedHeader)
	}
	for _, l := range append(lines, callers...) {
		rows = append(rows, []string{l.change, l.interval, l.callees, strings.TrimSpace(l.name + " " + l.words)})
	}
	var widths [3]int
	for _, cells := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
	}
	for i, cells := range rows {
		if i == len(rows)-len(callers) {
			fmt.Fprintf(b, "  %s:\n", callersTitle)
		}
		for j, w := range widths {
			fmt.Fprintf(b, "  %*s", w, cells[j])
		}
		fmt.Fprintf(b, "  %s\n", cells[3])
	}
	for _, n := range e.notes() {
		fmt.Fprintf(b, "(%s)\n", Printable(n))
	}
}

// writeCode prints what is known of the code without measuring, and what is of all that
// was measured.
func (s *Sides) writeCode(b *bytes.Buffer, all bool) {
	notes := s.head.run.CodeNotes(all)
	if s.Layout != nil {
		notes = append(notes, s.Layout.String())
	}
	if len(notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range notes {
		fmt.Fprintf(b, "%s\n", Printable(n))
	}
}

// title says what is compared, and how.
func (s *Sides) title() string {
	return fmt.Sprintf("%s against %s, %s", Printable(s.head.Label), Printable(s.base.Label), s.method())
}

func writeRows(b *bytes.Buffer, rows []Row) {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		values := r.Base + " → " + r.Head
		if r.Base == r.Head {
			values = r.Head
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", Printable(r.name), Printable(r.Unit), values, r.Change, r.Interval, Printable(r.Verdict))
	}
	w.Flush()
	for line := range strings.Lines(text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}
