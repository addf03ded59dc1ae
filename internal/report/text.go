package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/profile"
)

// ProfileHeader returns the lines that say what the profile is: file, build id,
// comments, type, time and duration.
func (r *Report) ProfileHeader() []string {
	p := r.prof
	var lines []string
	if len(p.Mappings) > 0 {
		if f := p.Mappings[0].File; f != "" {
			lines = append(lines, "File: "+filepath.Base(f))
		}
		if id := p.Mappings[0].BuildID; id != "" {
			lines = append(lines, "Build ID: "+id)
		}
	}
	for _, c := range p.Comments {
		if !strings.HasPrefix(c, "#") {
			lines = append(lines, c)
		}
	}
	if r.sampleType != "" {
		lines = append(lines, "Type: "+r.sampleType)
	}
	if p.DocURL != "" {
		lines = append(lines, "Doc: "+p.DocURL)
	}
	if p.TimeNanos != 0 {
		lines = append(lines, "Time: "+time.Unix(0, p.TimeNanos).Format("2006-01-02 15:04:05 MST"))
	}
	if p.DurationNanos != 0 {
		share := ""
		if total, unit := profile.Convert(r.total, r.sampleUnit, "nanoseconds"); unit == "ns" && total != 0 {
			share = "(" + percentage(int64(total), p.DurationNanos) + ")"
		}
		lines = append(lines, fmt.Sprintf("Duration: %s, Total samples = %s %s",
			formatValue(p.DurationNanos, "nanoseconds", "auto"), r.format(r.total), share))
	}
	return lines
}

// header returns the lines above a table or in a picture's legend. edges is the
// number of dropped edges to tell of; full is for pictures.
func (r *Report) header(t *trimmed, edges int, full bool) []string {
	var lines []string
	if full || !r.opt.CompactLabels {
		lines = r.ProfileHeader()
	}
	if len(r.filters) > 0 {
		lines = append(lines, "Active filters:")
		for _, f := range r.filters {
			if len(f) > 80 {
				f = f[:80] + "…"
			}
			lines = append(lines, "   "+f)
		}
	}
	var shown int64
	for _, n := range t.order {
		shown += t.nodes[n].flatValue()
	}
	lines = append(lines, fmt.Sprintf("Showing nodes accounting for %s, %s of %s total",
		r.format(shown), strings.TrimSpace(r.percent(shown)), r.format(r.total)))
	if r.total != 0 {
		dropped := func(n int, what, measure string, fraction float64) {
			if n == 0 {
				return
			}
			if n > 1 {
				what += "s"
			}
			cutoff := abs(int64(float64(r.total) * fraction))
			lines = append(lines, fmt.Sprintf("Dropped %d %s (%s <= %s)", n, what, measure, r.format(cutoff)))
		}
		dropped(t.droppedNodes, "node", "cum", r.opt.NodeFraction)
		dropped(edges, "edge", "freq", r.opt.EdgeFraction)
		if n := len(t.order); n > 0 && n < t.survivors {
			lines = append(lines, fmt.Sprintf("Showing top %d nodes out of %d", n, t.survivors))
		}
	}
	if full {
		lines = append(lines, "\nSee https://git.io/JfYMW for how to read the graph")
	}
	return lines
}

// Quantity is a value with the text it is printed as and its share of the total.
type Quantity struct {
	Value   int64   `json:"value"` // in the sample type's unit
	Text    string  `json:"text"`
	Percent float64 `json:"percent"` // of Total, 0 to 100; signed
}

func (r *Report) quantity(v int64) Quantity {
	q := Quantity{Value: v, Text: r.format(v)}
	if r.total != 0 {
		q.Percent = 100 * float64(v) / float64(r.total)
	}
	return q
}

// About tells what a report is of.
type About struct {
	Header     []string `json:"header"` // as printed above the report
	SampleType string   `json:"sampleType"`
	Unit       string   `json:"unit"` // of all values
	Total      Quantity `json:"total"`
}

func (r *Report) about(header []string) About {
	if header == nil {
		header = []string{} // in JSON, too
	}
	return About{Header: header, SampleType: r.sampleType, Unit: r.sampleUnit, Total: r.quantity(r.total)}
}

// Place is what a row of a report is about.
type Place struct {
	Name    string `json:"name"` // as printed: address, function and place
	Func    string `json:"function,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int64  `json:"line,omitempty"`
	Column  int64  `json:"column,omitempty"`
	Address uint64 `json:"address,omitempty"`
}

func (n *node) place() Place {
	return Place{n.printableName(), n.name, n.file, n.line, n.column, n.address}
}

// Top is a table of the places where the values are.
type Top struct {
	About
	Rows []TopRow `json:"rows"`
}

// TopRow is one line of a Top.
type TopRow struct {
	Place
	Flat   Quantity `json:"flat"`             // of the place alone
	Sum    Quantity `json:"sum"`              // Flat of this row and all above, in the report's own order
	Cum    Quantity `json:"cum"`              // of the place and all it calls
	Inline string   `json:"inline,omitempty"` // "inline" or "partial-inline"
}

// Top returns the report of command top.
func (r *Report) Top() *Top {
	t := r.graph(r.hasInlines())
	top := &Top{About: r.about(r.header(t, 0, false)), Rows: make([]TopRow, 0, len(t.order))}
	var sum int64
	for _, i := range t.order {
		n := &t.nodes[i]
		sum += n.flatValue()
		row := TopRow{Place: n.place(), Flat: r.quantity(n.flatValue()), Sum: r.quantity(sum), Cum: r.quantity(n.cumValue())}
		inline, called := false, false
		for _, e := range t.alive(n.in) {
			if t.edges[e].inline {
				inline = true
			} else {
				called = true
			}
		}
		switch {
		case inline && called:
			row.Inline = "partial-inline"
		case inline:
			row.Inline = "inline"
		}
		top.Rows = append(top.Rows, row)
	}
	return top
}

// hasInlines reports whether any location has inlined functions.
func (r *Report) hasInlines() bool {
	for i := range r.prof.Locations {
		if r.frames.Inlines && r.prof.Locations[i].NumLines > 1 {
			return true
		}
	}
	return false
}

// WriteText writes the table as `go tool pprof -top` does.
func (t *Top) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, strings.Join(t.Header, "\n"))
	fmt.Fprintf(b, "%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum")
	total := t.Total.Value
	for i := range t.Rows {
		row := &t.Rows[i]
		inline := ""
		if row.Inline != "" {
			inline = " (" + row.Inline + ")"
		}
		fmt.Fprintf(b, "%10s %s %s %10s %s  %s%s\n", row.Flat.Text, percentage(row.Flat.Value, total),
			percentage(row.Sum.Value, total), row.Cum.Text, percentage(row.Cum.Value, total), row.Name, inline)
	}
	return b.Flush()
}

// Tree is a table of places with their callers and callees.
type Tree struct {
	About
	Rows []TreeRow `json:"rows"`
}

// TreeRow is one block of a Tree.
type TreeRow struct {
	Place
	Flat    Quantity `json:"flat"`
	Sum     Quantity `json:"sum"`
	Cum     Quantity `json:"cum"`
	Callers []Call   `json:"callers"`
	Callees []Call   `json:"callees"`
}

// Call is an edge of the call graph seen from one of its ends.
type Call struct {
	Place
	Weight Quantity `json:"weight"`
	Share  float64  `json:"share"` // Weight in percent of the row's Cum
	Inline bool     `json:"inline,omitempty"`
}

// Tree returns the report of commands tree and peek; the latter's argument
// selects rows. It fails when that matches none.
func (r *Report) Tree() (*Tree, error) {
	t := r.graph(true)
	tree := &Tree{About: r.about(r.header(t, 0, false)), Rows: []TreeRow{}}
	var sum int64
	calls := func(n *node, edges []int32, end func(*edge) int32) []Call {
		calls := []Call{}
		for _, e := range t.sortedEdges(edges) {
			ed := &t.edges[e]
			c := Call{Place: t.nodes[end(ed)].place(), Weight: r.quantity(ed.weight), Inline: ed.inline}
			if cum := n.cumValue(); cum != 0 {
				c.Share = 100 * float64(ed.weight) / float64(cum)
			}
			calls = append(calls, c)
		}
		return calls
	}
	for _, i := range t.order {
		n := &t.nodes[i]
		if r.symbol != nil && !r.symbol.MatchString(n.printableName()) {
			continue
		}
		sum += n.flatValue()
		tree.Rows = append(tree.Rows, TreeRow{
			Place: n.place(), Flat: r.quantity(n.flatValue()), Sum: r.quantity(sum), Cum: r.quantity(n.cumValue()),
			Callers: calls(n, n.in, func(e *edge) int32 { return e.src }),
			Callees: calls(n, n.out, func(e *edge) int32 { return e.dst }),
		})
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.symbol != nil && len(tree.Rows) == 0 {
		return nil, fmt.Errorf("no matches found for regexp: %s", r.symbol)
	}
	return tree, nil
}

// WriteText writes the blocks as `go tool pprof -tree` does.
func (t *Tree) WriteText(w io.Writer) error {
	const (
		separator = "----------------------------------------------------------+-------------"
		legend    = "      flat  flat%   sum%        cum   cum%   calls calls% + context 	 	 "
	)
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, strings.Join(t.Header, "\n"))
	fmt.Fprintln(b, separator)
	fmt.Fprintln(b, legend)
	total := t.Total.Value
	calls := func(row *TreeRow, calls []Call) {
		for i := range calls {
			c := &calls[i]
			inline := ""
			if c.Inline {
				inline = " (inline)"
			}
			fmt.Fprintf(b, "%50s %s |   %s%s\n", c.Weight.Text, percentage(c.Weight.Value, row.Cum.Value), c.Name, inline)
		}
	}
	for i := range t.Rows {
		row := &t.Rows[i]
		fmt.Fprintln(b, separator)
		calls(row, row.Callers)
		fmt.Fprintf(b, "%10s %s %s %10s %s                | %s\n", row.Flat.Text, percentage(row.Flat.Value, total),
			percentage(row.Sum.Value, total), row.Cum.Text, percentage(row.Cum.Value, total), row.Name)
		calls(row, row.Callees)
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(b, separator)
	}
	return b.Flush()
}
