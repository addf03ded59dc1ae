package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Generate writes the report of a command of `go tool pprof`. Formats made from
// another program's output (svg, png, …) are written as what they are made
// from: DOT. param is the argument of commands that have one.
func Generate(w io.Writer, p *profile.Profile, command, param string, o Options, env Env) error {
	r, err := New(p, command, param, o, env)
	if err != nil {
		return err
	}
	return r.WriteText(w)
}

// textWriter is a report as a value.
type textWriter interface {
	WriteText(io.Writer) error
}

// valueOf computes the report's value for the commands that have one.
func valueOf(r *Report) (textWriter, error) {
	switch r.command {
	case "top", "text":
		return r.Top(), nil
	case "tree", "peek":
		return r.Tree()
	case "list":
		return r.List()
	case "tags":
		return r.Tags(), nil
	case "disasm":
		return r.Disasm()
	case "weblist":
		return r.WebList()
	}
	return nil, nil
}

// WriteText writes the report as `go tool pprof` does.
func (r *Report) WriteText(w io.Writer) error {
	if err := writeReport(r, stoppedWriter{r.stop(), w}); err != nil {
		return err
	}
	return r.Err()
}

func writeReport(r *Report, w io.Writer) error {
	switch r.command {
	case "comments", "proto", "topproto", "weblist": // texts of several lines, profiles, a page
	default:
		if !r.picture() {
			r = byLines(r)
		}
	}
	switch r.command {
	case "comments":
		for _, c := range r.prof.Comments {
			if _, err := fmt.Fprintln(w, c); err != nil {
				return err
			}
		}
		return nil
	case "raw":
		return r.prof.WriteRaw(w)
	case "traces":
		return writeTraces(r, w)
	case "callgrind", "kcachegrind":
		return writeCallgrind(r, w)
	case "proto":
		return r.Scaled().Encode(w)
	case "topproto":
		return topProto(r).Encode(w)
	}
	if r.picture() {
		return writeDot(r, w)
	}
	v, err := valueOf(r)
	if err != nil {
		return err
	}
	if v == nil {
		return fmt.Errorf("unexpected report %q", r.command)
	}
	if err := r.Err(); err != nil {
		return err
	}
	return v.WriteText(w)
}

// Scaled returns the profile with values divided as the options ask for: what the report
// "proto" is. It shares its parts with the report.
func (r *Report) Scaled() *profile.Profile {
	if r.ratio <= 0 || r.ratio == 1 {
		return r.prof
	}
	q := *r.prof
	q.Values = make([][]int64, len(r.prof.Values))
	for t, col := range r.prof.Values {
		scaled := make([]int64, len(col))
		for s, v := range col {
			scaled[s] = int64(float64(v) * r.ratio)
		}
		q.Values[t] = scaled
	}
	return &q
}

// WriteJSON writes the report as JSON: the value of the report where it has
// one, its parts otherwise.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := writeReportJSON(r, stoppedWriter{r.stop(), w}); err != nil {
		return err
	}
	return r.Err()
}

func writeReportJSON(r *Report, w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	v, err := valueOf(r)
	if err != nil {
		return err
	}
	if v != nil {
		return e.Encode(v)
	}
	switch {
	case r.command == "comments":
		return e.Encode(append([]string{}, r.prof.Comments...))
	case r.command == "traces":
		return writeTracesJSON(r, w)
	case r.command == "raw" || r.command == "proto" || r.command == "topproto":
		p := r.prof
		switch r.command {
		case "proto":
			p = r.Scaled()
		case "topproto":
			p = topProto(r)
		}
		raw := newRawProfile(p, r.stop())
		if err := r.Err(); err != nil {
			return err
		}
		return e.Encode(raw)
	}
	return e.Encode(r.Graph())
}

// writeTracesJSON writes the traces one at a time, so that a large profile
// needs no more memory than a small one.
func writeTracesJSON(r *Report, w io.Writer) error {
	about, err := json.Marshal(r.about(r.ProfileHeader()))
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s,\"traces\":[", about[:len(about)-1])
	sep := "\n"
	r.Traces(func(t *Trace) bool {
		// Frame by frame: a stack can name a long text thousands of times.
		stack := t.Stack
		bare := Trace{Labels: t.Labels, Value: t.Value, Stack: []TraceFrame{}}
		var text []byte
		if text, err = json.Marshal(&bare); err != nil {
			return false
		}
		fmt.Fprintf(b, "%s%s", sep, bytes.TrimSuffix(text, []byte("]}")))
		for i := range stack {
			if i > 0 {
				b.WriteByte(',')
			}
			if text, err = json.Marshal(&stack[i]); err != nil {
				return false
			}
			b.Write(text)
		}
		_, err = b.WriteString("]}")
		sep = ",\n"
		return err == nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(b, "\n]}")
	return b.Flush()
}

// Graph is a call graph.
type Graph struct {
	About
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
}

// GraphNode is a node of a Graph.
type GraphNode struct {
	Place
	Flat Quantity   `json:"flat"`
	Cum  Quantity   `json:"cum"`
	Tags []GraphTag `json:"tags,omitempty"`

	whole bool // its name has no import path to leave out
}

// GraphTag is a label of samples at a node, or several labels that always stand
// together: one of the boxes beside the node's in a picture.
type GraphTag struct {
	Name string   `json:"name"`
	Flat Quantity `json:"flat"`
	Cum  Quantity `json:"cum"`
}

// GraphEdge is a call between nodes, given by their place in Graph.Nodes.
type GraphEdge struct {
	Caller   int      `json:"caller"`
	Callee   int      `json:"callee"`
	Weight   Quantity `json:"weight"`
	Residual bool     `json:"residual,omitempty"` // over nodes that are not shown
	Inline   bool     `json:"inline,omitempty"`
}

// Graph returns the call graph that the picture and Callgrind formats draw.
func (r *Report) Graph() *Graph {
	t := graphOf(r, true)
	g := &Graph{About: r.about(tableHeader(r, t, t.droppedEdges, true)), Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	at := map[int32]int{}
	for i, n := range t.order {
		at[n] = i
	}
	whole := wholeNames(r)
	for _, i := range t.order {
		n := &t.nodes[i]
		gn := GraphNode{Place: n.place(), Flat: r.quantity(n.flatValue()), Cum: r.quantity(n.cumValue()), whole: whole[n.name]}
		if n.tags != nil {
			for _, tag := range slices.Concat(n.tags.text, n.tags.numeric[""]) {
				gn.Tags = append(gn.Tags, GraphTag{tag.name, r.quantity(tag.flatValue()), r.quantity(tag.cumValue())})
			}
		}
		g.Nodes = append(g.Nodes, gn)
		for _, e := range t.sortedEdges(n.out) {
			ed := &t.edges[e]
			if callee, ok := at[ed.dst]; ok {
				g.Edges = append(g.Edges, GraphEdge{at[i], callee, r.quantity(ed.value()), ed.residual, ed.inline})
			}
		}
	}
	return g
}

// wholeNames returns the names of functions that are no code of Go's, such as labels
// that became frames: users/v1.Get is one, and not a function of a package v1.
func wholeNames(r *Report) map[string]bool {
	names := map[string]bool{}
	for f := range r.prof.Functions {
		frame := r.prof.FunctionFrame(uint32(f))
		if frame.Origin() == profile.OriginOther && !strings.Contains(frame.Name, "::") {
			names[frame.Name] = true
		}
	}
	return names
}
