package report

import (
	"cmp"
	"io"
	"math"
	"time"

	"github.com/hone-go/hone/profile"
)

// firefoxVersion is that of the "processed profile format" written: the first whose
// threads share their stacks. Later profilers convert it as they open it; what they
// changed is in docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler.
const firefoxVersion = 60

// FirefoxProfile writes a tree as a file of the Firefox Profiler. A sample type is
// a thread, the o.Column-th the one selected; of a comparison there are three for
// each: before, after, and the difference, whose weights may be negative.
//
// The format wants to know when a sample was. Stacks have no time of their own, so
// they share out the profile's duration by their weight, the widest first.
func FirefoxProfile(w io.Writer, t *profile.Tree, o FlameOptions) error {
	f := firefoxFile{jsonWriter: newJSONWriter(w), t: t, span: cmp.Or(o.Duration, time.Second)}
	walkTree(t, func(n uint32, _ int) { f.order = append(f.order, n) })
	threads := f.threads()
	f.meta(o, threads)
	f.shared()
	f.text(`,"threads":`)
	f.array(len(threads), func(i int) { f.thread(i, &threads[i], o) })
	f.text("}\n")
	return f.flush()
}

type firefoxFile struct {
	*jsonWriter
	t     *profile.Tree
	span  time.Duration // of all samples
	order []uint32      // the nodes, depth first
}

// firefoxCategories colour frames by where their code comes from. The first grey
// one is that of whatever has none.
var firefoxCategories = [...]struct{ name, color string }{
	profile.OriginOther:      {"Other", "grey"},
	profile.OriginOwn:        {"Your code", "orange"},
	profile.OriginThirdParty: {"Third party", "blue"},
	profile.OriginStandard:   {"Standard library", "green"},
	profile.OriginRuntime:    {"Runtime", "purple"},
}

// meta begins the file.
func (f *firefoxFile) meta(o FlameOptions, threads []firefoxThread) {
	f.text(`{"meta":{"interval":1,"startTime":`)
	if o.Time.IsZero() {
		f.int(0)
	} else {
		f.int(o.Time.UnixMilli())
	}
	f.text(`,"profilingStartTime":0,"profilingEndTime":`)
	f.number(milliseconds(f.span))
	f.text(`,"processType":0,"product":`)
	f.string(cmp.Or(o.Title, "hone"))
	f.text(`,"importedFrom":"hone","stackwalk":1,"version":27,"preprocessedProfileVersion":`)
	f.int(firefoxVersion)
	f.text(`,"symbolicated":true,"symbolicationNotSupported":true,"usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true`)
	f.text(`,"markerSchema":[],"keepProfileThreadOrder":true,"initialSelectedThreads":[`)
	f.int(int64((o.Column+1)*len(threads)/len(f.t.Types)) - 1)
	f.text(`],"initialVisibleThreads":`)
	f.array(len(threads), func(i int) { f.int(int64(i)) })
	f.text(`,"categories":`)
	f.array(len(firefoxCategories), func(i int) {
		c := firefoxCategories[i]
		f.text(`{"name":"` + c.name + `","color":"` + c.color + `","subcategories":["Other"]}`)
	})
	f.text(`},"libs":[]`)
}

// shared writes the tables that threads have in common.
func (f *firefoxFile) shared() {
	t, names := f.t, newNumbering[string]()
	functions, ofFrame := firefoxFunctions(t.Frames)
	// A frame is one of the tree's, as it is or as it is inlined.
	type frame struct {
		frame   uint32
		inlined bool
	}
	frames := newNumbering[frame]()
	f.text(`,"shared":{"stackTable":{"frame":`)
	nodes := t.NumNodes() - 1
	f.array(nodes, func(i int) { f.int(int64(frames.of(frame{t.Frame[i+1], t.Inlined[i+1]}))) })
	f.text(`,"prefix":`)
	f.array(nodes, func(i int) {
		if parent := t.Parent[i+1]; parent > 0 {
			f.int(int64(parent) - 1)
		} else {
			f.text("null")
		}
	})
	f.endTable(nodes)

	n := len(frames.all)
	column := func(name string, value func(fr frame) int64) {
		f.text(`,"` + name + `":`)
		f.array(n, func(i int) { f.int(value(frames.all[i])) })
	}
	f.text(`,"frameTable":{"line":`)
	f.array(n, func(i int) { f.positive(t.Frames[frames.all[i].frame].Line) })
	column("func", func(fr frame) int64 { return int64(ofFrame[fr.frame]) })
	column("category", func(fr frame) int64 { return int64(t.Frames[fr.frame].Origin()) })
	column("subcategory", func(frame) int64 { return 0 })
	column("inlineDepth", func(fr frame) int64 {
		if fr.inlined {
			return 1
		}
		return 0
	})
	column("address", func(frame) int64 { return -1 })
	f.nulls(n, "column", "nativeSymbol", "innerWindowID")
	f.endTable(n)

	n = len(functions)
	sources := newNumbering[string]()
	f.text(`,"funcTable":{"name":`)
	f.array(n, func(i int) { f.int(int64(names.of(functions[i].Name))) })
	f.text(`,"source":`)
	f.array(n, func(i int) {
		if file := functions[i].File; file != "" {
			f.int(int64(sources.of(file)))
		} else {
			f.text("null")
		}
	})
	f.text(`,"lineNumber":`)
	f.array(n, func(i int) { f.positive(functions[i].StartLine) })
	f.text(`,"resource":`)
	f.array(n, func(int) { f.int(-1) })
	for _, name := range []string{"isJS", "relevantForJS"} {
		f.text(`,"` + name + `":`)
		f.array(n, func(int) { f.text("false") })
	}
	f.nulls(n, "columnNumber")
	f.endTable(n)

	n = len(sources.all)
	f.text(`,"sources":{"filename":`)
	f.array(n, func(i int) { f.int(int64(names.of(sources.all[i]))) })
	f.nulls(n, "uuid")
	f.endTable(n)
	f.text(`,"resourceTable":{"lib":[],"name":[],"host":[],"type":[],"length":0}`)
	f.text(`,"nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0}`)
	f.text(`,"stringArray":`)
	f.array(len(names.all), func(i int) { f.string(names.all[i]) })
	f.text("}")
}

// firefoxFunctions returns a frame for each function, and which of them each frame
// is of. Where lines are told apart, functions of one name are one, whatever their
// files.
func firefoxFunctions(frames []profile.Frame) (functions []*profile.Frame, ofFrame []int) {
	type key struct{ name, file string }
	known := newNumbering[key]()
	lines := false
	for i := range frames {
		lines = lines || frames[i].Line > 0
	}
	ofFrame = make([]int, len(frames))
	for i := range frames {
		k := key{frames[i].Name, frames[i].File}
		if lines {
			k.file = ""
		}
		if ofFrame[i] = known.of(k); ofFrame[i] == len(functions) {
			functions = append(functions, &frames[i])
		}
	}
	return functions, ofFrame
}

// A firefoxThread is a sample type, or a side of it.
type firefoxThread struct {
	name       string
	weightType string
	factor     float64 // of values
	values     []int64 // by node
}

func (f *firefoxFile) threads() []firefoxThread {
	var threads []firefoxThread
	for c, st := range f.t.Types {
		thread := firefoxThread{name: st.Type, values: ownValues(f.t, c)}
		thread.weightType, thread.factor = firefoxWeights(st.Unit)
		if thread.weightType == "samples" && st.Unit != "count" && st.Unit != "" {
			thread.name += " in " + st.Unit
		}
		if !f.t.Diff() {
			threads = append(threads, thread)
			continue
		}
		before, after, change := thread, thread, thread
		before.name, after.name, change.name = thread.name+" before", thread.name+" after", thread.name+" difference"
		before.values = ownBaseValues(f.t, c)
		change.values = make([]int64, len(after.values))
		for n := range change.values {
			change.values[n] = after.values[n] - before.values[n]
		}
		threads = append(threads, before, after, change)
	}
	return threads
}

// firefoxWeights returns what the format calls weights of a unit, and what they
// are to be multiplied by.
func firefoxWeights(unit string) (weightType string, factor float64) {
	switch name, factor := speedscopeUnit(unit); name {
	case "none":
		return "samples", 1
	case "bytes":
		return "bytes", factor
	}
	factor, _ = profile.Convert(1, unit, "milliseconds")
	return "tracing-ms", factor
}

func (f *firefoxFile) thread(i int, thread *firefoxThread, o FlameOptions) {
	order := make([]uint32, 0, len(f.order))
	var total float64 // of absolute values, for times never go back
	for _, n := range f.order {
		if v := thread.values[n]; v != 0 {
			order = append(order, n)
			total += math.Abs(float64(v))
		}
	}
	f.text(`{"name":`)
	f.string(thread.name)
	f.text(`,"processName":`)
	f.string(cmp.Or(o.Title, "hone"))
	f.text(`,"isMainThread":`)
	f.bool(i == 0)
	f.text(`,"pid":"0","tid":`)
	f.int(int64(i))
	f.text(`,"processType":"default","processStartupTime":0,"processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[]`)
	f.text(`,"markers":{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}`)
	f.text(`,"samples":{"weightType":"` + thread.weightType + `","stack":`)
	f.array(len(order), func(i int) {
		if n := order[i]; n > 0 {
			f.int(int64(n) - 1)
		} else {
			f.text("null")
		}
	})
	f.text(`,"weight":`)
	f.array(len(order), func(i int) { f.number(float64(thread.values[order[i]]) * thread.factor) })
	f.text(`,"time":`)
	var sum float64
	f.array(len(order), func(i int) {
		f.number(math.Round(sum/total*milliseconds(f.span)*1000) / 1000)
		sum += math.Abs(float64(thread.values[order[i]]))
	})
	f.endTable(len(order))
	f.text("}")
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// endTable ends a table with the length of its columns.
func (f *firefoxFile) endTable(n int) {
	f.text(`,"length":`)
	f.int(int64(n))
	f.text("}")
}

// nulls writes columns without a value.
func (f *firefoxFile) nulls(n int, names ...string) {
	for _, name := range names {
		f.text(`,"` + name + `":`)
		f.array(n, func(int) { f.text("null") })
	}
}

// positive writes a line's number, null if it is not known.
func (f *firefoxFile) positive(v int64) {
	if v > 0 {
		f.int(v)
	} else {
		f.text("null")
	}
}

// A numbering gives values numbers as they come up.
type numbering[V comparable] struct {
	all    []V
	number map[V]int
}

func newNumbering[V comparable]() *numbering[V] { return &numbering[V]{number: map[V]int{}} }

func (n *numbering[V]) of(v V) int {
	i, ok := n.number[v]
	if !ok {
		i = len(n.all)
		n.number[v] = i
		n.all = append(n.all, v)
	}
	return i
}
