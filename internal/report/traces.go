package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hone-go/hone/profile"
)

// Trace is one sample.
type Trace struct {
	Labels []TraceLabel `json:"labels,omitempty"`
	Value  Quantity     `json:"value"`
	Stack  []TraceFrame `json:"stack"` // leaf first
}

// TraceLabel is a label key with its values as printed.
type TraceLabel struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// TraceFrame is a frame of a Trace.
type TraceFrame struct {
	Place
	Inline bool `json:"inline,omitempty"` // inlined into the frame that follows
}

// Traces calls yield with every sample that has a stack, in the profile's order,
// until it returns false. The stack's slice is reused between calls.
func (r *Report) Traces(yield func(*Trace) bool) {
	eachTrace(r, func(yield func(int) bool) {
		for s := range r.prof.Stacks {
			if r.stop().at(s) || !yield(s) {
				return
			}
		}
	}, yield)
}

// eachTrace is Traces of some samples, in their order.
func eachTrace(r *Report, samples iter.Seq[int], yield func(*Trace) bool) {
	p := r.prof
	y := newLayout(p, r.frames, false, nil)
	nodes := make([]node, len(y.keys))
	for i := range y.keys {
		nodes[i].nodeKey = &y.keys[i]
	}
	var t Trace
	for s := range samples {
		t.Stack = t.Stack[:0]
		for _, l := range p.Stack(s) {
			at := y.nodes[y.first[l]:y.first[l+1]]
			for k, n := range at {
				t.Stack = append(t.Stack, TraceFrame{nodes[n].place(), k != len(at)-1})
			}
		}
		if len(t.Stack) == 0 {
			continue
		}
		t.Labels = traceLabels(r, p.SampleLabelSet(s))
		v, div := r.weights.of(s)
		t.Value = r.quantity(mean(v, div))
		if !yield(&t) {
			return
		}
	}
}

// traceLabels groups labels by key: string labels in order of their printed
// lines, then numeric ones.
func traceLabels(r *Report, labels []profile.Label) []TraceLabel {
	var out []TraceLabel
	group := func(numeric bool) {
		start := len(out)
		for _, l := range labels {
			if l.Numeric != numeric {
				continue
			}
			key := r.prof.Strings[l.Key]
			value := r.prof.Strings[l.Str]
			if numeric {
				value = formatValue(l.Num, r.units[key], "auto")
			}
			if n := len(out); n > start && out[n-1].Key == key {
				out[n-1].Values = append(out[n-1].Values, value)
			} else {
				out = append(out, TraceLabel{key, []string{value}})
			}
		}
		slices.SortFunc(out[start:], compareLines)
	}
	group(false)
	group(true)
	return out
}

// start returns how the printed line of a label begins; its values follow.
func (l *TraceLabel) start() string { return fmt.Sprintf("%10s:  ", l.Key) }

// compareLines orders labels by their printed lines, of which it makes none: a key may
// have a million values.
func compareLines(a, b TraceLabel) int {
	if c := strings.Compare(a.start(), b.start()); c != 0 {
		return c
	}
	return slices.Compare(a.Values, b.Values)
}

func writeTraces(r *Report, w io.Writer) error {
	const separator = "-----------+-------------------------------------------------------"
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, strings.Join(r.ProfileHeader(), "\n"))
	r.Traces(func(t *Trace) bool {
		_, failed := fmt.Fprintln(b, separator)
		for i := range t.Labels {
			b.WriteString(t.Labels[i].start())
			for k, value := range t.Labels[i].Values {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(value)
			}
			b.WriteByte('\n')
		}
		for i := range t.Stack {
			value := ""
			if i == 0 {
				value = t.Value.Text
			}
			inline := ""
			if t.Stack[i].Inline {
				inline = " (inline)"
			}
			fmt.Fprintf(b, "%10s   ", value)
			b.WriteString(t.Stack[i].Name)
			if _, failed = fmt.Fprintln(b, inline); failed != nil {
				break
			}
		}
		return failed == nil
	})
	fmt.Fprintln(b, separator)
	return b.Flush()
}

// Tags is a table of the samples' labels.
type Tags struct {
	About
	Keys []TagKey `json:"keys"`
}

// TagKey is a label key.
type TagKey struct {
	Key    string     `json:"key"`
	Total  Quantity   `json:"total"` // of all values
	Values []TagValue `json:"values"`
}

// TagValue is a value of a label key with the samples that have it.
type TagValue struct {
	Value string   `json:"value"`
	Sum   Quantity `json:"sum"`
}

// Tags returns the report of command tags.
func (r *Report) Tags() *Tags {
	p := r.prof
	bySet := make([]int64, len(p.LabelSets))
	used := make([]bool, len(p.LabelSets))
	for s, set := range p.SampleLabels {
		bySet[set] += r.weights.values[s]
		used[set] = true
	}
	sums := map[string]map[string]int64{}
	totals := map[string]int64{}
	for i, set := range p.LabelSets {
		if r.stop().at(i) {
			break
		}
		if !used[i] {
			continue
		}
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			key := p.Strings[l.Key]
			value := labelText(p, l, r.units[key], r.outputUnit)
			if sums[key] == nil {
				sums[key] = map[string]int64{}
			}
			sums[key][value] += bySet[i]
			totals[key] += bySet[i]
		}
	}
	t := &Tags{About: r.about(r.ProfileHeader()), Keys: []TagKey{}}
	for key, values := range sums {
		k := TagKey{Key: key, Total: r.quantity(totals[key])}
		for value, sum := range values {
			k.Values = append(k.Values, TagValue{value, r.quantity(sum)})
		}
		slices.SortFunc(k.Values, func(a, b TagValue) int {
			if a.Sum.Value != b.Sum.Value {
				return compareAbs(a.Sum.Value, b.Sum.Value)
			}
			return strings.Compare(a.Value, b.Value)
		})
		t.Keys = append(t.Keys, k)
	}
	sort.Slice(t.Keys, func(i, j int) bool { return t.Keys[i].Key < t.Keys[j].Key })
	return t
}

// WriteText writes the table as `go tool pprof -tags` does.
func (t *Tags) WriteText(w io.Writer) error {
	b := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	total := t.Total.Value
	share := func(v int64) string {
		if total <= 0 {
			return ""
		}
		return " (" + percentage(v, total) + ")"
	}
	for _, k := range t.Keys {
		fmt.Fprintf(b, "%s:\t Total %s of %s%s\n", k.Key, k.Total.Text, t.Total.Text, share(k.Total.Value))
		for _, v := range k.Values {
			fmt.Fprintf(b, " \t%s%s:\t %s\n", v.Sum.Text, share(v.Sum.Value), v.Value)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// writeCallgrind writes the graph in the format of Callgrind,
// https://valgrind.org/docs/manual/cl-format.html, with its name compression and
// relative addresses.
func writeCallgrind(r *Report, w io.Writer) error {
	t := graphOf(r, true)
	b := bufio.NewWriter(w)
	names := callgrindNames(r, t)
	fmt.Fprintln(b, "positions: instr line")
	fmt.Fprintln(b, "events:", r.sampleType+"("+r.outputUnit+")")
	objIDs, fileIDs, nameIDs := idList{}, idList{}, idList{}
	scaled := func(v int64) int64 {
		f, _ := profile.Convert(v, r.sampleUnit, r.outputUnit)
		return int64(f)
	}
	var prev *node
	for _, i := range t.order {
		n := &t.nodes[i]
		if prev == nil || n.obj != prev.obj || n.file != prev.file || n.name != prev.name {
			fmt.Fprintf(b, "\nob=%s\nfl=%s\nfn=%s\n", objIDs.ref(n.obj), fileIDs.ref(n.file), nameIDs.ref(n.name))
		}
		fmt.Fprintf(b, "%s %d %d\n", callgrindAddress(prev, n.address), n.line, scaled(n.flatValue()))
		for _, e := range t.sortedEdges(n.out) {
			ed := &t.edges[e]
			callee := &t.nodes[ed.dst]
			fmt.Fprintf(b, "cfl=%s\ncfn=%s\ncalls=0 %s %d\n* * %d\n", fileIDs.ref(callee.file), nameIDs.ref(names[ed.dst]),
				callgrindAddress(prev, callee.address), callee.line, scaled(ed.weight))
		}
		prev = n
	}
	return b.Flush()
}

// idList numbers names as they come up.
type idList map[string]int

// ref returns "(id) name" for a name's first use and "(id)" after that.
func (l idList) ref(name string) string {
	if name == "" {
		return ""
	}
	if id, ok := l[name]; ok {
		return "(" + strconv.Itoa(id) + ")"
	}
	l[name] = len(l) + 1
	return fmt.Sprintf("(%d) %s", len(l), name)
}

// callgrindAddress returns an address relative to the previous node's where
// that is shorter.
func callgrindAddress(prev *node, addr uint64) string {
	absolute := fmt.Sprintf("%#x", addr)
	if prev == nil {
		return absolute
	}
	if prev.address == addr {
		return "*"
	}
	if relative := fmt.Sprintf("%+d", int64(addr-prev.address)); len(relative) < len(absolute) {
		return relative
	}
	return absolute
}

// callgrindNames returns a name for each shown node. Callgrind takes functions
// of one file and name for the same, so those that are not are numbered.
func callgrindNames(r *Report, t *trimmed) map[int32]string {
	type function struct {
		nodeKey
		caller int32 // tells functions of a call tree apart
	}
	type fileName struct{ file, name string }
	of := func(i int32) function {
		f := function{nodeKey: *t.nodes[i].nodeKey, caller: -1}
		f.address, f.line, f.column = 0, 0, 0
		if r.opt.CallTree {
			for _, e := range t.nodes[i].in {
				f.caller = t.edges[e].src
			}
		}
		return f
	}
	numbers := map[fileName]map[function]int{}
	for _, i := range t.order {
		at := fileName{t.nodes[i].file, t.nodes[i].name}
		if numbers[at] == nil {
			numbers[at] = map[function]int{}
		}
		if f := of(i); numbers[at][f] == 0 {
			numbers[at][f] = len(numbers[at]) + 1
		}
	}
	names := make(map[int32]string, len(t.order))
	for _, i := range t.order {
		n := &t.nodes[i]
		names[i] = n.name
		if all := numbers[fileName{n.file, n.name}]; len(all) > 1 {
			names[i] = fmt.Sprintf("%s [%d/%d]", n.name, all[of(i)], len(all))
		}
	}
	return names
}

// topProto returns the nodes of a listing as a profile with a sample each, with
// cumulative and flat values.
func topProto(r *Report) *profile.Profile {
	t := graphOf(r, false)
	src := r.prof
	b := profile.NewBuilder(profile.ValueType{Type: "cum", Unit: r.outputUnit}, profile.ValueType{Type: "flat", Unit: r.outputUnit})
	p := &profile.Profile{
		SampleTypes: []profile.ValueType{{Type: "cum", Unit: r.outputUnit}, {Type: "flat", Unit: r.outputUnit}},
		TimeNanos:   src.TimeNanos, DurationNanos: src.DurationNanos,
		PeriodType: src.PeriodType, Period: src.Period,
		Values: make([][]int64, 2),
	}
	for k, i := range t.order {
		n := &t.nodes[i]
		fn := b.Function(n.name, "", n.file, n.startLine)
		p.Lines = append(p.Lines, profile.Line{Function: fn, Line: n.line, Column: n.column})
		p.Locations = append(p.Locations, profile.Location{ID: uint64(k) + 1, Address: n.address, FirstLine: uint32(k), NumLines: 1})
		p.Frames = append(p.Frames, uint32(k))
		p.Stacks = append(p.Stacks, profile.Stack{Start: uint32(k), Len: 1})
		for c, v := range [...]int64{n.cumValue(), n.flatValue()} {
			f, _ := profile.Convert(v, r.sampleUnit, r.outputUnit)
			p.Values[c] = append(p.Values[c], int64(f))
		}
	}
	built := b.Profile()
	p.Strings, p.Functions = built.Strings, built.Functions
	return p
}
