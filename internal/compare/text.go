package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/experiment"
)

// writeText prints benchstat's table, and below it, for runs, what hone knows
// beyond it.
func (c *Comparison) writeText(w io.Writer) error {
	var b bytes.Buffer
	if err := experiment.WriteTables(&b, c.tables); err != nil {
		return err
	}
	if len(c.tables) == 0 {
		fmt.Fprintf(&b, "%s\n", nothingMeasured)
		for _, n := range c.notes {
			fmt.Fprintf(&b, "%s\n", printable(n))
		}
	}
	for _, s := range c.Sides {
		s.writeVerdicts(&b)
		for _, e := range s.explained {
			fmt.Fprintf(&b, "\n%s\n", e.title())
			e.writeText(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// textRows and textCallers are how many functions a text has room for.
const (
	textRows    = 8
	textCallers = 3
)

// writeText prints what adds up, and below it, in the same columns, what does not.
func (e *explanation) writeText(b *bytes.Buffer) {
	var rows [][]string
	lines, callers := e.lines(textRows), e.callerLines(textCallers)
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
		fmt.Fprintf(b, "(%s)\n", printable(n))
	}
}

// writeVerdicts prints what hone says beyond benchstat's table, where at least
// one side is a run: files alone get that table and nothing else.
func (s *Sides) writeVerdicts(b *bytes.Buffer) {
	if s.base.run == nil && s.head.run == nil {
		return
	}
	fmt.Fprintf(b, "\n%s against %s, %s\n", printable(s.head.Label), printable(s.base.Label), s.method())
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range s.Rows() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", printable(r.name), printable(r.Unit), r.Change, r.Interval, printable(r.Verdict))
	}
	w.Flush()
	for line := range strings.Lines(text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}
