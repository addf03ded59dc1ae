package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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

func (e *explanation) writeText(b *bytes.Buffer) {
	if len(e.rows) > 0 {
		var text bytes.Buffer
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
		header, rows := e.table()
		for _, cells := range append([][]string{header}, rows...) {
			last := len(cells) - 1
			fmt.Fprintf(w, "%s\t  %s\n", strings.Join(cells[:last], "\t"), cells[last])
		}
		w.Flush()
		b.Write(text.Bytes())
	}
	if e.caveat != "" {
		fmt.Fprintf(b, "(%s)\n", printable(e.caveat))
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
