package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

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
	t := graphOf(r, hasInlines(r))
	top := &Top{About: r.about(tableHeader(r, t, 0, false)), Rows: make([]TopRow, 0, len(t.order))}
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
func hasInlines(r *Report) bool {
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
	Flat   Quantity `json:"flat"`  // the part of Weight in the called place itself
	Share  float64  `json:"share"` // Weight in percent of the row's Cum
	Inline bool     `json:"inline,omitempty"`
}

// Tree returns the report of commands tree and peek; the latter's argument
// selects rows. It fails when that matches none.
func (r *Report) Tree() (*Tree, error) {
	t := graphOf(r, true)
	tree := &Tree{About: r.about(tableHeader(r, t, 0, false)), Rows: []TreeRow{}}
	var sum int64
	calls := func(n *node, edges []int32, end func(*edge) int32) []Call {
		calls := []Call{}
		for _, e := range t.sortedEdges(edges) {
			ed := &t.edges[e]
			c := Call{Place: t.nodes[end(ed)].place(), Weight: r.quantity(ed.weight), Flat: r.quantity(ed.flat), Inline: ed.inline}
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
