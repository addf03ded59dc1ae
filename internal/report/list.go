package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Listing is annotated source.
type Listing struct {
	About
	Routines []Routine `json:"routines"`
}

// Routine is the source of one function.
type Routine struct {
	Name  string       `json:"name"`
	File  string       `json:"file,omitempty"` // "" if the profile doesn't tell
	Flat  Quantity     `json:"flat"`
	Cum   Quantity     `json:"cum"`
	Lines []SourceLine `json:"lines,omitempty"`
	SourceFile
}

// SourceLine is a line of source with what was measured in it.
type SourceLine struct {
	Line int64    `json:"line"`
	Flat Quantity `json:"flat"`
	Cum  Quantity `json:"cum"`
	Text string   `json:"text"`
}

// lineMargin is how many lines are shown around those with samples.
const lineMargin = 5

// List returns the report of command list: the functions that match its argument.
func (r *Report) List() (*Listing, error) {
	y := r.newLayout()
	g := y.build(r.prof, r.weights, buildOptions{stop: r.stop()})
	if err := r.Err(); err != nil {
		return nil, err
	}
	g.selectNodes(r.opt.DropNegative)
	byName := map[string][]*node{}
	for _, i := range g.order {
		if n := &g.nodes[i]; r.symbol == nil || r.symbol.MatchString(n.name) {
			byName[n.name] = append(byName[n.name], n)
		}
	}
	if len(byName) == 0 {
		return nil, fmt.Errorf("no matches found for regexp: %v", r.symbol)
	}
	l := &Listing{About: r.about(r.ProfileHeader()), Routines: []Routine{}}
	cum := placeCum(r, y, g)
	inlined := inlineMappings(r.prof)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		byFile := map[string][]*node{}
		for _, n := range byName[name] {
			if n.file != "" {
				byFile[n.file] = append(byFile[n.file], n)
			}
		}
		if len(byFile) == 0 {
			l.Routines = append(l.Routines, Routine{Name: name})
		}
		for _, file := range slices.Sorted(maps.Keys(byFile)) {
			l.Routines = append(l.Routines, routineOf(r, name, file, byFile[file], cum, inlined))
		}
	}
	return l, nil
}

// A lineKey identifies a line of a function, or with wholeRoutine all of it.
type lineKey struct {
	name, file string
	line       int64
}

const wholeRoutine = -1

// placeCum returns the cumulative values of functions and their lines, counting each
// sample once. It is nil with Compat, where nodes are added up instead.
func placeCum(r *Report, y *layout, g *graph) map[lineKey]int64 {
	if r.env.Compat {
		return nil
	}
	cum := make(map[lineKey]int64)
	group := make([]int32, len(g.nodes))
	for _, lines := range []bool{false, true} {
		for i := range group {
			group[i] = -1
		}
		index := make(map[lineKey]int32)
		for _, i := range g.order {
			n := &g.nodes[i]
			at := lineKey{n.name, n.file, wholeRoutine}
			if lines {
				at.line = n.line
			}
			if _, ok := index[at]; !ok {
				index[at] = int32(len(index))
			}
			group[i] = index[at]
		}
		sums := y.cumBy(r.prof, r.weights, group, len(index))
		for at, i := range index {
			cum[at] = sums[i]
		}
	}
	return cum
}

// routineOf lists the lines of a function from its start, or five lines before
// the first with samples, to five lines behind the last.
func routineOf(r *Report, name, file string, nodes []*node, cum map[lineKey]int64, inlined map[string]bool) Routine {
	type sums struct{ flat, cum int64 }
	var all sums
	byLine := map[int64]sums{}
	start := func(n *node) int64 { return cmp.Or(n.startLine, n.line-lineMargin) }
	first, last := start(nodes[0]), nodes[0].line
	claim := newSourceClaim(name)
	for _, n := range nodes {
		claim.add(n.startLine, n.line, n.cum, inlined[n.obj])
		first, last = min(first, start(n)), max(last, n.line)
		all.flat += n.flat
		all.cum += n.cum
		s := byLine[n.line]
		byLine[n.line] = sums{s.flat + n.flat, s.cum + n.cum}
	}
	if cum != nil {
		all.cum = cum[lineKey{name, file, wholeRoutine}]
		for n, s := range byLine {
			byLine[n] = sums{s.flat, cum[lineKey{name, file, n}]}
		}
	}
	ro := Routine{Name: name, File: file, Flat: r.quantity(all.flat), Cum: r.quantity(all.cum)}
	var text []string
	text, ro.SourceFile = sourceOf(r, file, claim, true)
	for n := max(1, first); n <= last+lineMargin && n <= int64(len(text)); n++ {
		s := byLine[n]
		ro.Lines = append(ro.Lines, SourceLine{n, r.quantity(s.flat), r.quantity(s.cum), text[n-1]})
	}
	return ro
}

// WriteText writes the listing as `go tool pprof -list` does.
func (l *Listing) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Total: %s\n", l.Total.Text)
	for i := range l.Routines {
		ro := &l.Routines[i]
		if ro.File == "" {
			fmt.Fprintf(b, "No source information for %s\n", ro.Name)
			continue
		}
		fmt.Fprintf(b, "ROUTINE ======================== %s in %s\n", ro.Name, ro.File)
		fmt.Fprintf(b, "%10s %10s (flat, cum) %s of Total\n", ro.Flat.Text, ro.Cum.Text, percentage(ro.Cum.Value, l.Total.Value))
		if ro.Err != "" {
			fmt.Fprintf(b, " Error: %s\n", ro.Err)
			continue
		}
		for _, ln := range ro.Lines {
			fmt.Fprintf(b, "%10s %10s %6d:%s\n", orDot(ln.Flat), orDot(ln.Cum), ln.Line, strings.TrimRight(ln.Text, "\n"))
		}
	}
	return b.Flush()
}

// orDot prints a quantity, or a dot for zero.
func orDot(q Quantity) string {
	if q.Value == 0 {
		return "."
	}
	return q.Text
}
