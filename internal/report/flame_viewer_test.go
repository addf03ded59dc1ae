package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// viewerFile writes what a viewer is given of a profile and decodes it.
func viewerFile[V any](t *testing.T, format string, base, head *profile.Profile, to profile.TreeOptions, o FlameOptions) *V {
	t.Helper()
	var b bytes.Buffer
	if err := writeViewerFile(&b, format, base, head, to, o); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	v := new(V)
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
	return v
}

func writeViewerFile(w io.Writer, format string, base, head *profile.Profile, to profile.TreeOptions, o FlameOptions) error {
	if to.Types == nil {
		to.Types = []int{len(head.SampleTypes) - 1}
	}
	viewer := ViewerOf(format)
	to, o.Column = viewer.Tree(base, head, to)
	t, err := profile.NewTree(head, to)
	if base != nil {
		t, err = profile.NewDiffTree(base, head, to)
	}
	if err != nil {
		return err
	}
	return viewer.Write(w, t, o)
}

// speedscopeFile is a file as speedscope's schema describes it.
type speedscopeFile struct {
	Schema             string `json:"$schema"`
	Name, Exporter     string
	ActiveProfileIndex int
	Shared             struct {
		Frames []struct {
			Name, File string
			Line       int64
		}
	}
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue float64
		Samples              [][]int
		Weights              []float64
	}
}

// folded returns a profile of the file as folded stacks.
func (f *speedscopeFile) folded(t *testing.T, column int) string {
	t.Helper()
	var b strings.Builder
	p := f.Profiles[column]
	if len(p.Samples) != len(p.Weights) {
		t.Fatalf("%s: %d samples, but %d weights", p.Name, len(p.Samples), len(p.Weights))
	}
	for i, stack := range p.Samples {
		for k, frame := range stack {
			if k > 0 {
				b.WriteByte(';')
			}
			b.WriteString(f.Shared.Frames[frame].Name)
		}
		fmt.Fprintf(&b, " %v\n", p.Weights[i])
	}
	return b.String()
}

// column is one of a table of the Firefox Profiler.
type column[V any] []V

// firefoxProfile is a file as the types of the Firefox Profiler describe it.
type firefoxProfile struct {
	Meta struct {
		Interval, StartTime, ProfilingStartTime, ProfilingEndTime float64
		ProcessType, Stackwalk, Version                           int
		PreprocessedProfileVersion                                int
		Product, ImportedFrom                                     string
		Symbolicated, SymbolicationNotSupported                   bool
		UsesOnlyOneStackType, SourceCodeIsNotOnSearchfox          bool
		KeepProfileThreadOrder                                    bool
		MarkerSchema                                              []any
		InitialSelectedThreads, InitialVisibleThreads             []int
		Categories                                                []struct {
			Name, Color   string
			Subcategories []string
		}
	}
	Libs   []any
	Shared struct {
		StackTable struct {
			Frame  column[int]
			Prefix column[*int]
			Length int
		}
		FrameTable struct {
			Func, Category, Subcategory, InlineDepth, Address column[int]
			Line, Column, NativeSymbol, InnerWindowID         column[*int]
			Length                                            int
		}
		FuncTable struct {
			Name, Resource                   column[int]
			Source, LineNumber, ColumnNumber column[*int]
			IsJS, RelevantForJS              column[bool]
			Length                           int
		}
		Sources struct {
			Filename column[int]
			UUID     column[*string]
			Length   int
		}
		ResourceTable, NativeSymbols any
		StringArray                  []string
	}
	Threads []firefoxThreadFile
}

type firefoxThreadFile struct {
	Name, ProcessName, ProcessType, PID string
	TID                                 int
	IsMainThread                        bool
	ProcessStartupTime, RegisterTime    float64
	ProcessShutdownTime, UnregisterTime *float64
	PausedRanges                        []any
	Markers                             any
	Samples                             struct {
		WeightType   string
		Stack        column[*int]
		Weight, Time column[float64]
		Length       int
	}
}

// check reports tables whose columns differ in length, and references to nothing.
func (f *firefoxProfile) check(t *testing.T) {
	t.Helper()
	lengths := func(table string, length int, columns ...int) {
		for i, n := range columns {
			if n != length {
				t.Errorf("%s: column %d has %d entries of %d", table, i, n, length)
			}
		}
	}
	below := func(what string, limit int, values ...column[int]) {
		for _, column := range values {
			for i, v := range column {
				if v < 0 || v >= limit {
					t.Errorf("%s %d is of %d, which is not there", what, i, v)
				}
			}
		}
	}
	s := &f.Shared
	st, fr, fn := &s.StackTable, &s.FrameTable, &s.FuncTable
	lengths("stackTable", st.Length, len(st.Frame), len(st.Prefix))
	lengths("frameTable", fr.Length, len(fr.Func), len(fr.Category), len(fr.Subcategory), len(fr.InlineDepth), len(fr.Address), len(fr.Line),
		len(fr.Column), len(fr.NativeSymbol), len(fr.InnerWindowID))
	lengths("funcTable", fn.Length, len(fn.Name), len(fn.Resource), len(fn.Source), len(fn.LineNumber), len(fn.ColumnNumber), len(fn.IsJS),
		len(fn.RelevantForJS))
	lengths("sources", s.Sources.Length, len(s.Sources.Filename), len(s.Sources.UUID))
	below("stack", fr.Length, st.Frame)
	below("frame's function", fn.Length, fr.Func)
	below("frame's category", len(f.Meta.Categories), fr.Category)
	below("name", len(s.StringArray), fn.Name, s.Sources.Filename)
	below("thread", len(f.Threads), f.Meta.InitialSelectedThreads)
	for i, prefix := range st.Prefix {
		if prefix != nil && *prefix >= i {
			t.Errorf("stack %d comes before its caller, %d", i, *prefix)
		}
	}
	for i, source := range fn.Source {
		if source != nil && *source >= s.Sources.Length {
			t.Errorf("function %d has source %d", i, *source)
		}
	}
	for i := range f.Threads {
		th := &f.Threads[i].Samples
		lengths(f.Threads[i].Name, th.Length, len(th.Stack), len(th.Weight), len(th.Time))
		for k := 1; k < len(th.Time); k++ {
			if th.Time[k] < th.Time[k-1] {
				t.Errorf("%s: time goes back at sample %d", f.Threads[i].Name, k)
			}
		}
	}
}

// functions returns flat and cum of all functions of a thread.
func (f *firefoxProfile) functions(thread int) (flat, cum map[string]float64) {
	flat, cum = map[string]float64{}, map[string]float64{}
	s, samples := &f.Shared, &f.Threads[thread].Samples
	for i, stack := range samples.Stack {
		seen := map[string]bool{}
		for at := stack; at != nil; at = s.StackTable.Prefix[*at] {
			name := s.StringArray[s.FuncTable.Name[s.FrameTable.Func[s.StackTable.Frame[*at]]]]
			if at == stack {
				flat[name] += samples.Weight[i]
			}
			if !seen[name] {
				cum[name] += samples.Weight[i]
			}
			seen[name] = true
		}
	}
	return flat, cum
}

func TestSpeedscope(t *testing.T) {
	f := viewerFile[speedscopeFile](t, "speedscope", nil, folded(t, smallStacks), profile.TreeOptions{}, FlameOptions{Title: `a "title"`})
	if f.Name != `a "title"` || f.Schema != "https://www.speedscope.app/file-format-schema.json" {
		t.Errorf("name %q, schema %q", f.Name, f.Schema)
	}
	want := "main.main;main.work 20\nmain.main;main.work;runtime.mallocgc 30\nmain.main;main.wait 45\nruntime.gcBgMarkWorker;runtime.gcDrain 5\n"
	if stacks := f.folded(t, 0); stacks != want {
		t.Errorf("stacks\n%swant\n%s", stacks, want)
	}
	if p := f.Profiles[0]; p.Type != "sampled" || p.Unit != "none" || p.StartValue != 0 || p.EndValue != 100 {
		t.Errorf("profile is %q in %q from %v to %v", p.Type, p.Unit, p.StartValue, p.EndValue)
	}
}

// typed returns a profile with a sample type of each unit, in which main.main calls
// main.f, which is inlined, and main.f costs 1, 2, 3…
func typed(units ...string) *profile.Profile {
	var types []profile.ValueType
	var values []int64
	for i, unit := range units {
		types = append(types, profile.ValueType{Type: fmt.Sprintf("type%d", i), Unit: unit})
		values = append(values, int64(i)+1)
	}
	b := profile.NewBuilder(types...)
	main := b.Function("main.main", "", "/src/main.go", 10)
	f := b.Function("main.f", "", "/src/f.go", 20)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: 21}, profile.Line{Function: main, Line: 12})}, nil, values...)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: 22}), b.Location(0, 0, profile.Line{Function: main, Line: 13})}, nil, values...)
	return b.Profile()
}

func TestViewersHaveAllSampleTypes(t *testing.T) {
	p := typed("nanoseconds", "ms", "kilobytes", "count", "widgets")
	o := profile.TreeOptions{Types: []int{2}}
	s := viewerFile[speedscopeFile](t, "speedscope", nil, p, o, FlameOptions{})
	f := viewerFile[firefoxProfile](t, "firefox", nil, p, o, FlameOptions{Duration: 3 * time.Second})
	f.check(t)
	if s.ActiveProfileIndex != 2 || len(f.Meta.InitialSelectedThreads) != 1 || f.Meta.InitialSelectedThreads[0] != 2 {
		t.Errorf("shown first: %d, %v", s.ActiveProfileIndex, f.Meta.InitialSelectedThreads)
	}
	for i, want := range []struct {
		name, unit string
		total      float64 // in speedscope
		weights    string
		ms         float64 // in Firefox
	}{
		{"type0", "nanoseconds", 2, "tracing-ms", 2e-6},
		{"type1", "nanoseconds", 4e6, "tracing-ms", 4},
		{"type2", "bytes", 6 << 10, "bytes", 6 << 10},
		{"type3", "none", 8, "samples", 8},
		{"type4 in widgets", "none", 10, "samples", 10},
	} {
		p := s.Profiles[i]
		if p.Name != want.name || p.Unit != want.unit || p.EndValue != want.total {
			t.Errorf("speedscope %d: %s, %v %s", i, p.Name, p.EndValue, p.Unit)
		}
		th := &f.Threads[i]
		var sum float64
		for _, w := range th.Samples.Weight {
			sum += w
		}
		if th.Name != want.name || th.Samples.WeightType != want.weights || math.Abs(sum-want.ms) > 1e-9 {
			t.Errorf("Firefox %d: %s, %v %s", i, th.Name, sum, th.Samples.WeightType)
		}
		if last := th.Samples.Time[len(th.Samples.Time)-1]; last != 1500 {
			t.Errorf("Firefox %d: the second of two equal samples is at %v ms of 3 s", i, last)
		}
	}
	if frames := fmt.Sprint(s.Shared.Frames); frames != "[{main.f /src/f.go 20} {main.main /src/main.go 10}]" {
		t.Errorf("speedscope's frames %s", frames)
	}
}

// Firefox's profiler tells lines apart, and still has a function once.
func TestFirefoxFrames(t *testing.T) {
	f := viewerFile[firefoxProfile](t, "firefox", nil, typed("count"), profile.TreeOptions{}, FlameOptions{})
	s := &f.Shared
	var frames []string
	for i, fn := range s.FrameTable.Func {
		frames = append(frames, fmt.Sprintf("%s %s:%d inlined %d, defined at %d, %s", s.StringArray[s.FuncTable.Name[fn]],
			s.StringArray[s.Sources.Filename[*s.FuncTable.Source[fn]]], *s.FrameTable.Line[i], s.FrameTable.InlineDepth[i],
			*s.FuncTable.LineNumber[fn], f.Meta.Categories[s.FrameTable.Category[i]].Name))
	}
	want := map[string]bool{
		"main.main /src/main.go:12 inlined 0, defined at 10, Your code": true,
		"main.main /src/main.go:13 inlined 0, defined at 10, Your code": true,
		"main.f /src/f.go:21 inlined 1, defined at 20, Your code":       true,
		"main.f /src/f.go:22 inlined 0, defined at 20, Your code":       true,
	}
	for _, frame := range frames {
		if !want[frame] {
			t.Errorf("frame %s", frame)
		}
	}
	if len(frames) != len(want) || s.FuncTable.Length != 2 {
		t.Errorf("%d functions, frames %q", s.FuncTable.Length, frames)
	}
}

func TestViewersOfComparisons(t *testing.T) {
	base, head := folded(t, "a;b 10\na;gone 4\n"), folded(t, "a;b 7\na;new 2\n")
	if err := writeViewerFile(io.Discard, "speedscope", base, head, profile.TreeOptions{}, FlameOptions{}); !errors.Is(err, ErrNoComparison) {
		t.Errorf("speedscope: %v", err)
	}
	f := viewerFile[firefoxProfile](t, "firefox", base, head, profile.TreeOptions{}, FlameOptions{})
	f.check(t)
	for i, want := range []struct {
		name string
		flat map[string]float64
		a    float64
	}{
		{"samples before", map[string]float64{"b": 10, "gone": 4}, 14},
		{"samples after", map[string]float64{"b": 7, "new": 2}, 9},
		{"samples difference", map[string]float64{"b": -3, "gone": -4, "new": 2}, -5},
	} {
		flat, cum := f.functions(i)
		if f.Threads[i].Name != want.name || fmt.Sprint(flat) != fmt.Sprint(want.flat) || cum["a"] != want.a {
			t.Errorf("%s: %v, a %v; want %v", f.Threads[i].Name, flat, cum["a"], want)
		}
	}
	if f.Meta.InitialSelectedThreads[0] != 2 {
		t.Errorf("shown first: %v", f.Meta.InitialSelectedThreads)
	}
}

// A sample type that the other side lacks is left out, unless it is the one asked for.
func TestViewersOfTypesInCommon(t *testing.T) {
	base, head := typed("count", "bytes"), typed("count", "bytes", "seconds")
	f := viewerFile[firefoxProfile](t, "firefox", base, head, profile.TreeOptions{Types: []int{1}}, FlameOptions{})
	if len(f.Threads) != 6 || f.Meta.InitialSelectedThreads[0] != 5 {
		t.Errorf("%d threads, %v in front", len(f.Threads), f.Meta.InitialSelectedThreads)
	}
	if err := writeViewerFile(io.Discard, "firefox", base, head, profile.TreeOptions{Types: []int{2}}, FlameOptions{}); err == nil {
		t.Error("no error for a sample type that the base lacks")
	}
}

func TestViewersTakeAnyName(t *testing.T) {
	p := named(hostile)
	o := FlameOptions{Title: hostile[0]}
	s := viewerFile[speedscopeFile](t, "speedscope", nil, p, profile.TreeOptions{}, o)
	f := viewerFile[firefoxProfile](t, "firefox", nil, p, profile.TreeOptions{}, o)
	f.check(t)
	if len(s.Profiles[0].Samples) != len(hostile) || f.Threads[0].Samples.Length != len(hostile) {
		t.Errorf("%d and %d samples of %d", len(s.Profiles[0].Samples), f.Threads[0].Samples.Length, len(hostile))
	}
}

func TestViewersOfNothing(t *testing.T) {
	p := typed("count")
	p.Stacks, p.Values = nil, [][]int64{nil}
	viewerFile[speedscopeFile](t, "speedscope", nil, p, profile.TreeOptions{}, FlameOptions{})
	viewerFile[firefoxProfile](t, "firefox", nil, p, profile.TreeOptions{}, FlameOptions{}).check(t)
}

// broken is a file on a full disk.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestViewersTellErrors(t *testing.T) {
	for _, format := range []string{"speedscope", "firefox"} {
		if err := writeViewerFile(broken{}, format, nil, typed("count"), profile.TreeOptions{}, FlameOptions{}); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}

func BenchmarkViewers(b *testing.B) {
	p := benchProfile(b)
	for _, format := range []string{"folded", "speedscope", "firefox"} {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			to, viewer := profile.TreeOptions{Types: []int{0}}, ViewerOf(format)
			if viewer != nil {
				to, _ = viewer.Tree(nil, p, to)
			}
			tree, err := profile.NewTree(p, to)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				var n counter
				if viewer == nil {
					err = Folded(&n, tree, 0)
				} else {
					err = viewer.Write(&n, tree, FlameOptions{})
				}
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(n))
			}
			b.ReportMetric(float64(tree.NumNodes()), "nodes")
		})
	}
}

// counter counts what is written.
type counter int

func (n *counter) Write(p []byte) (int, error) {
	*n += counter(len(p))
	return len(p), nil
}
