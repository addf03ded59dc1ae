package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// A twin is a report command with what extracts the figures, as printed, from
// its text and from its JSON. Both must give the same.
type twin struct {
	verb, param string
	args        []string
	ofText      func(text string) []string
	ofJSON      func(t *testing.T, data []byte) []string
}

var twins = []twin{
	{verb: "top", ofText: topText, ofJSON: figures(topFigures)},
	{verb: "top", args: []string{"-cum", "-lines", "-nodecount=20"}, ofText: topText, ofJSON: figures(topFigures)},
	{verb: "tree", ofText: treeText, ofJSON: figures(treeFigures)},
	{verb: "peek", param: "^runtime|^main", ofText: treeText, ofJSON: figures(treeFigures)},
	{verb: "list", param: `mallocgc|^main\.|sync\.\(`, ofText: listText, ofJSON: figures(listFigures)},
	{verb: "tags", ofText: tagsText, ofJSON: figures(tagsFigures)},
	{verb: "traces", ofText: tracesText, ofJSON: figures(tracesFigures)},
	{verb: "dot", ofText: dotText, ofJSON: figures(graphFigures)},
	{verb: "dot", args: []string{"-call_tree", "-nodecount=30"}, ofText: dotText, ofJSON: figures(graphFigures)},
	{verb: "callgrind", ofText: callgrindText, ofJSON: figures(callgrindFigures)},
	{verb: "raw", ofText: rawText, ofJSON: figures(rawFigures)},
	{verb: "comments", args: []string{"-add_comment=slow again"}, ofText: strings.Fields, ofJSON: figures(func(c *[]string) []string {
		return strings.Fields(strings.Join(*c, "\n"))
	})},
	{verb: "proto", args: []string{"-divide_by=2"}, ofText: protoText, ofJSON: figures(protoFigures)},
	{verb: "topproto", ofText: protoText, ofJSON: figures(protoFigures)},
	{verb: "weblist", param: `mallocgc|^main\.|sync\.\(`, ofText: weblistText, ofJSON: figures(weblistFigures)},
}

func TestJSON(t *testing.T) {
	for _, name := range []string{"cpu.labels.pb.gz", "heap.json-decode.pb.gz", "mutex.accounts.pb.gz", "goroutine.http-server.pb.gz"} {
		for _, tw := range twins {
			t.Run(name+"/"+strings.Join(append([]string{tw.verb}, tw.args...), " "), func(t *testing.T) {
				tw.compare(t, testdata(name))
			})
		}
	}
}

// TestJSONOfPictures checks that a picture's JSON is that of its graph.
func TestJSONOfPictures(t *testing.T) {
	file := testdata("mutex.accounts.pb.gz")
	want := succeed(t, "dot", "-json", file)
	for _, verb := range []string{"svg", "png", "gif", "pdf", "ps"} {
		if got := succeed(t, verb, "-json", file); got != want {
			t.Errorf("%s: %d bytes of JSON, want the %d of dot", verb, len(got), len(want))
		}
	}
}

// compare runs the command on sources both ways.
func (tw twin) compare(t *testing.T, sources ...string) {
	t.Helper()
	args := append([]string{tw.verb}, tw.args...)
	if tw.param != "" {
		args = append(args, tw.param)
	}
	args = append(args, sources...)
	text := tw.ofText(succeed(t, args...))
	data := succeed(t, append(args, "-json")...)
	figures := tw.ofJSON(t, []byte(data))
	if len(text) == 0 && tw.verb != "tags" {
		t.Fatal("the text has no figures")
	}
	for i := range max(len(text), len(figures)) {
		got, want := "nothing", "nothing"
		if i < len(figures) {
			got = figures[i]
		}
		if i < len(text) {
			want = text[i]
		}
		if got != want {
			t.Fatalf("figure %d of %d: JSON has %q, text (of %d) %q", i+1, len(figures), got, len(text), want)
		}
	}
}

// figures decodes JSON for a function that takes the figures from it.
func figures[V any](of func(*V) []string) func(*testing.T, []byte) []string {
	return func(t *testing.T, data []byte) []string {
		var v V
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%v in %.200s", err, data)
		}
		return of(&v)
	}
}

// matches returns what the groups of a regexp match in each line, with a blank
// between them.
func matches(text, re string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)`+re).FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join(m[1:], " "))
	}
	return all
}

// inlined is how text marks what was inlined.
func inlined(mark string) string {
	if mark == "" {
		return ""
	}
	return " (" + mark + ")"
}

func orDot(q report.Quantity) string {
	if q.Value == 0 {
		return "."
	}
	return q.Text
}

func topText(text string) []string {
	return matches(text, `^ *(\S+) +(\S+%) +(\S+%) +(\S+) +(\S+%)  (.*)$`)
}

func topFigures(top *report.Top) (all []string) {
	share := func(q report.Quantity) string {
		switch p := math.Abs(q.Percent); {
		case p >= 99.95 && p <= 100.05:
			return "100%"
		case p >= 1:
			return fmt.Sprintf("%.2f%%", p)
		default:
			return fmt.Sprintf("%.2g%%", p)
		}
	}
	for _, r := range top.Rows {
		all = append(all, strings.Join([]string{r.Flat.Text, share(r.Flat), share(r.Sum), r.Cum.Text, share(r.Cum), r.Name + inlined(r.Inline)}, " "))
	}
	return all
}

func treeText(text string) []string {
	return matches(text, `^ *(\S+)(?: +\S+%)? +\S+%(?: +(\S+) +\S+%)? +\| +(.*)$`)
}

func treeFigures(tree *report.Tree) (all []string) {
	calls := func(calls []report.Call) {
		for _, c := range calls {
			mark := ""
			if c.Inline {
				mark = "inline"
			}
			all = append(all, c.Weight.Text+"  "+c.Name+inlined(mark))
		}
	}
	for _, r := range tree.Rows {
		calls(r.Callers)
		all = append(all, r.Flat.Text+" "+r.Cum.Text+" "+r.Name)
		calls(r.Callees)
	}
	return all
}

func listText(text string) []string {
	all := matches(text, `^ROUTINE =+ (.*) in .*\n *(\S+) +(\S+) \(flat, cum\)`)
	return append(all, matches(text, `^ *(\S+) +(\S+) +(\d+):(.*)$`)...)
}

func listFigures(l *report.Listing) (all []string) {
	for _, r := range l.Routines {
		all = append(all, r.Name+" "+r.Flat.Text+" "+r.Cum.Text)
	}
	for _, r := range l.Routines {
		for _, ln := range r.Lines {
			all = append(all, fmt.Sprintf("%s %s %d %s", orDot(ln.Flat), orDot(ln.Cum), ln.Line, ln.Text))
		}
	}
	return all
}

func tagsText(text string) []string {
	all := matches(text, `^ *(.*): +Total (\S+) of (\S+)`)
	return append(all, matches(text, `^ +(\S+)(?: \( *\S+%\)): +(\S.*)$`)...)
}

func tagsFigures(tags *report.Tags) (all []string) {
	for _, k := range tags.Keys {
		all = append(all, k.Key+" "+k.Total.Text+" "+tags.Total.Text)
	}
	for _, k := range tags.Keys {
		for _, v := range k.Values {
			all = append(all, v.Sum.Text+" "+v.Value)
		}
	}
	return all
}

func tracesText(text string) []string {
	_, text, _ = strings.Cut(text, "-----------+---") // the first sample
	return matches(text, `^ *(\S+:|\S*)   ?(\S.*)$`)
}

type traces struct {
	report.About
	Traces []report.Trace `json:"traces"`
}

func tracesFigures(ts *traces) (all []string) {
	for _, tr := range ts.Traces {
		for _, l := range tr.Labels {
			all = append(all, l.Key+": "+strings.Join(l.Values, " "))
		}
		for i, f := range tr.Stack {
			value, mark := "", ""
			if i == 0 {
				value = tr.Value.Text
			}
			if f.Inline {
				mark = "inline"
			}
			all = append(all, value+" "+f.Name+inlined(mark))
		}
	}
	return all
}

// dotText returns the nodes with their cumulative values, then the edges, sorted.
func dotText(text string) []string {
	all := matches(text, `^N\d+ \[label=.* tooltip=".* \(([^ ()]+)\)"`)
	edges := matches(text, `^N(\d+) -> N(\d+) \[label=" ([^"\\]*)(\\n \(inline\))?"`)
	slices.Sort(edges)
	return append(all, edges...)
}

func graphFigures(g *report.Graph) (all []string) {
	for _, n := range g.Nodes {
		all = append(all, n.Cum.Text)
	}
	var edges []string
	for _, e := range g.Edges {
		mark := ""
		if e.Inline {
			mark = `\n (inline)`
		}
		edges = append(edges, fmt.Sprintf("%d %d %s %s", e.Caller+1, e.Callee+1, e.Weight.Text, mark))
	}
	slices.Sort(edges)
	return append(all, edges...)
}

// callgrindText returns the unit, the values of nodes, and those of edges.
func callgrindText(text string) []string {
	all := matches(text, `^events: .*\((.*)\)$`)
	all = append(all, matches(text, `^(?:\*|[+-]\d+|0x[0-9a-f]+) \d+ (-?\d+)$`)...)
	return append(all, matches(text, `^\* \* (-?\d+)$`)...)
}

func callgrindFigures(g *report.Graph) (all []string) {
	unit := g.Unit
	for _, n := range g.Nodes {
		// Any value is printed in the report's unit, counts without one.
		if u := strings.TrimLeft(n.Flat.Text, "-.0123456789"); u != "" {
			unit = u
			break
		}
	}
	all = append(all, unit)
	scaled := func(q report.Quantity) string {
		v, _ := profile.Convert(q.Value, g.Unit, unit)
		return fmt.Sprint(int64(v))
	}
	for _, n := range g.Nodes {
		all = append(all, scaled(n.Flat))
	}
	for _, e := range g.Edges {
		all = append(all, scaled(e.Weight))
	}
	return all
}

func rawText(text string) []string {
	samples := matches(text, `^ *(-?\d+(?: +-?\d+)*): ([\d ]*)$`)
	for i, s := range samples {
		samples[i] = strings.Join(strings.Fields(s), " ")
	}
	all := append(samples, matches(text, `^ *(\d+): 0x([0-9a-f]+) M=(\d+) `)...)
	return append(all, matches(text, `^(\d+): 0x([0-9a-f]+)/0x([0-9a-f]+)/`)...)
}

// rawProfile is as much of a profile's JSON as the tests look at.
type rawProfile struct {
	Samples []struct {
		Values    []int64
		Locations []uint64
	}
	Locations []struct{ ID, Address, Mapping uint64 }
	Mappings  []struct{ ID, Start, Limit uint64 }
}

func rawFigures(p *rawProfile) (all []string) {
	for _, s := range p.Samples {
		all = append(all, strings.Trim(fmt.Sprint(s.Values), "[]")+" "+strings.Trim(fmt.Sprint(s.Locations), "[]"))
	}
	for _, l := range p.Locations {
		all = append(all, fmt.Sprintf("%d %x %d", l.ID, l.Address, l.Mapping))
	}
	for _, m := range p.Mappings {
		all = append(all, fmt.Sprintf("%d %x %x", m.ID, m.Start, m.Limit))
	}
	return all
}

func protoText(text string) (all []string) {
	p, err := gprofile.ParseData([]byte(text))
	if err != nil {
		return []string{err.Error()}
	}
	for _, s := range p.Sample {
		all = append(all, fmt.Sprint(s.Value, len(s.Location)))
	}
	return all
}

func protoFigures(p *rawProfile) (all []string) {
	for _, s := range p.Samples {
		all = append(all, fmt.Sprint(s.Values, len(s.Locations)))
	}
	return all
}

func weblistText(text string) []string {
	return matches(text, `<span class="v">(\S+)</span> <span class="v">(\S+)</span> <span class="n">(\d*)</span>`)
}

func weblistFigures(l *report.WebListing) (all []string) {
	for _, f := range l.Funcs {
		for _, ln := range f.Lines {
			all = append(all, fmt.Sprintf("%s %s %d", orDot(ln.Flat), orDot(ln.Cum), ln.Line))
			for _, in := range ln.Insts {
				all = append(all, fmt.Sprintf("%s %s ", orDot(in.Flat), orDot(in.Cum)))
			}
		}
	}
	return all
}

// disasmText returns the routines, then the instructions with their addresses.
func disasmText(text string) []string {
	all := matches(text, `^ROUTINE =+ (.*)\n *(\S+) +(\S+) \(flat, cum\)`)
	return append(all, matches(text, `^ *(\S+) +(\S+) +([0-9a-f]+): (.*?) *(?:;.*)?$`)...)
}

func disasmFigures(d *report.Disassembly) (all []string) {
	for _, r := range d.Routines {
		all = append(all, r.Name+" "+r.Flat.Text+" "+r.Cum.Text)
	}
	for _, r := range d.Routines {
		for _, in := range r.Insts {
			all = append(all, fmt.Sprintf("%s %s %x %s", orDot(in.Flat), orDot(in.Cum), in.Addr, in.Text))
		}
	}
	return all
}
