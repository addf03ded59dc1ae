package profile

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// foldOwn folds what isn't the program's own, as Frame.Origin has it.
func foldOwn(p *Profile, plain bool) (*Profile, bool) {
	origins := p.Origins()
	q, any, err := FoldForeign(context.Background(), p, func(f uint32) bool { return origins.Of(p.FunctionFrame(f)) == OriginOwn }, plain)
	if err != nil {
		panic(err)
	}
	return q, any
}

// stackLines writes the stacks of a profile as folded stacks, a sample a line,
// inlined functions like others.
func stackLines(p *Profile) string {
	var b strings.Builder
	for s := range p.Stacks {
		var names []string
		for _, l := range p.Stack(s) {
			for _, line := range p.LocationLines(l) {
				name := p.FunctionName(line.Function)
				if line.Line != 0 {
					name += fmt.Sprintf(":%d", line.Line)
				}
				names = append(names, name)
			}
		}
		slices.Reverse(names)
		fmt.Fprintln(&b, strings.Join(names, ";"), p.Values[0][s])
	}
	return b.String()
}

func TestFoldForeign(t *testing.T) {
	for _, tt := range []struct{ what, stack, want, plain string }{
		{"the first call out stands for all below it",
			"runtime.main;main.main;main.search;regexp.MustCompile;regexp.compile;runtime.newobject;runtime.mallocgc",
			"main.main;main.search;main.search via regexp.MustCompile", "main.main;main.search"},
		{"what is spent in one's own function stays there",
			"runtime.main;main.main;main.search", "main.main;main.search", "main.main;main.search"},
		{"a library that calls back goes",
			"main.main;sort.Slice;sort.pdqsort_func;main.main.func1;strings.Compare", "main.main;main.main.func1;main.main.func1 via strings.Compare", "main.main;main.main.func1"},
		{"what a library spends itself does not",
			"main.main;sort.Slice;sort.pdqsort_func", "main.main;main.main via sort.Slice", "main.main"},
		{"who calls one's own goes",
			"net/http.(*conn).serve;net/http.HandlerFunc.ServeHTTP;example.com/shop.(*Server).get;encoding/json.Marshal",
			"example.com/shop.(*Server).get;example.com/shop.(*Server).get via encoding/json.Marshal", "example.com/shop.(*Server).get"},
		{"generics are of the package that has them",
			"main.main;slices.SortFunc[go.shape.[]main.T,main.T];main.Map[go.shape.int];runtime.growslice",
			"main.main;main.Map[go.shape.int];main.Map[go.shape.int] via runtime.growslice", "main.main;main.Map[go.shape.int]"},
		{"helping the collector is the caller's",
			"main.main;runtime.newobject;runtime.mallocgc;runtime.gcAssistAlloc", "main.main;main.main via runtime.newobject", "main.main"},
		{"nobody calls a preemption",
			"main.main;main.loop;runtime.asyncPreempt;runtime.asyncPreempt2;runtime.mcall", "main.main;main.loop", "main.main;main.loop"},
		{"code without symbols",
			"main.main;main._Cfunc_f;malloc", "main.main;main._Cfunc_f;main._Cfunc_f via malloc", "main.main;main._Cfunc_f"},
		{"the collector", "runtime.gcBgMarkWorker;runtime.systemstack;runtime.gcDrain;runtime.scanobject",
			"runtime: garbage collection", "runtime: garbage collection"},
		{"the scheduler", "runtime.mcall;runtime.park_m;runtime.schedule;runtime.findRunnable;runtime.futex",
			"runtime: scheduler", "runtime: scheduler"},
		{"the scheduler of a thread that C started", "clone;start_thread;runtime.mstart;runtime.schedule", "runtime: scheduler", "runtime: scheduler"},
		{"the runtime otherwise", "runtime.goexit0;runtime.memclrNoHeapPointers", "runtime: other", "runtime: other"},
		{"a goroutine of a library, whatever it spends its time on",
			"runtime.goexit;net/http.(*conn).serve;bufio.(*Reader).Peek;runtime.schedule;runtime.gcStart", "library: net/http", "library: net/http"},
		{"C alone", "start;memcpy", "library: <unknown>", "library: <unknown>"},
	} {
		p := parseFoldedString(t, tt.stack+" 7\n")
		for plain, want := range map[bool]string{false: tt.want, true: tt.plain} {
			q, any := foldOwn(p, plain)
			if got := stackLines(q); got != want+" 7\n" || any != strings.Contains(tt.stack, "main.main") && any != strings.Contains(tt.stack, "shop") {
				t.Errorf("%s, plain %v: got %v, %swant %s", tt.what, plain, any, got, want)
			}
		}
	}
}

func TestFoldForeignInlined(t *testing.T) {
	b := NewBuilder(ValueType{"samples", "count"})
	names := map[string]uint32{}
	line := func(name string, n int64) Line {
		if _, ok := names[name]; !ok {
			names[name] = b.Function(name, name, "/src/"+name+".go", 3)
		}
		return Line{Function: names[name], Line: n}
	}
	libc := b.Mapping(Mapping{File: "/lib/libc.so.6"})
	top := b.Location(1, 0, line("main.main", 10))
	inlinedOut := b.Location(2, 0, line("strings.Index", 20), line("main.find", 21))
	inlinedIn := b.Location(3, 0, line("main.less", 30), line("sort.insertion", 31))
	mixed := b.Location(4, 0, line("strings.Clone", 40), line("main.key", 41), line("slices.Sort", 42), line("main.sorted", 43))
	foreign := b.Location(5, 0, line("internal/bytealg.Count", 50), line("strings.Count", 51))
	b.Sample([]uint32{inlinedOut, top}, nil, 1)
	b.Sample([]uint32{foreign, inlinedOut, top}, nil, 2)
	b.Sample([]uint32{inlinedIn, top}, nil, 3)
	b.Sample([]uint32{mixed, top}, nil, 4)
	b.Sample([]uint32{foreign, top}, nil, 5)
	b.Sample([]uint32{b.Location(6, libc), top}, nil, 6)
	b.Sample([]uint32{b.Location(7, libc), b.Location(8, libc)}, nil, 7)
	b.Sample([]uint32{b.Location(9, 0)}, nil, 8)
	b.Sample(nil, nil, 9)
	barrier := Line{Function: b.Function("gcWriteBarrier", "gcWriteBarrier", "/usr/local/go/src/runtime/asm_amd64.s", 0), Line: 90}
	b.Sample([]uint32{b.Location(10, 0, barrier), top}, nil, 10)
	p := b.Profile()
	q, _ := foldOwn(p, false)
	want := `main.main:10;main.find:21;main.find via strings.Index:21 1
main.main:10;main.find:21;main.find via strings.Index:21 2
main.main:10;main.less:30 3
main.main:10;main.sorted:43;main.key:41;main.key via strings.Clone:41 4
main.main:10;main.main via strings.Count:10 5
main.main:10;main.main via [libc.so.6]:10 6
library: [libc.so.6] 7
library: <unknown> 8
 9
main.main:10;main.main via runtime.gcWriteBarrier:10 10
`
	if got := stackLines(q); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, fn := range q.Functions {
		if q.Strings[fn.Name] == "main.find via strings.Index" && (q.Strings[fn.File] != "/src/main.find.go" || fn.StartLine != 3) {
			t.Errorf("a call is in %s, whose first line is %d: not where the caller is", q.Strings[fn.File], fn.StartLine)
		}
	}
}

// TestFoldForeignKeepsTheRest folds a profile with labels and compares what isn't
// frames, and the profile itself with what it was.
func TestFoldForeignKeepsTheRest(t *testing.T) {
	text := "main.main;fmt.Println;os.Write 3\nmain.main 4\nruntime.gcBgMarkWorker -2\n"
	p, same := WithLabel(parseFoldedString(t, text), "k", "v"), WithLabel(parseFoldedString(t, text), "k", "v")
	q, _ := foldOwn(p, false)
	if !reflect.DeepEqual(p, same) {
		t.Error("the profile has changed")
	}
	if !reflect.DeepEqual(q.Values, p.Values) || !q.HasLabel(0, "k", "v") || !q.HasLabel(2, "k", "v") || q.NumSamples() != 3 {
		t.Errorf("values %v, labels %v", q.Values, q.SampleLabels)
	}
	ids := map[uint64]bool{}
	for _, l := range q.Locations {
		if ids[l.ID] || l.ID == 0 {
			t.Errorf("location id %d is taken", l.ID)
		}
		ids[l.ID] = true
	}
	again, _ := foldOwn(q, false)
	if got, want := stackLines(again), stackLines(q); got != want {
		t.Errorf("folding what is folded makes\n%sof\n%s", got, want)
	}
	if _, any := foldOwn(parseFoldedString(t, "runtime.main;runtime.gcStart 1\n"), false); any {
		t.Error("there is a frame of mine")
	}
}

func TestFoldForeignBoundsNames(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "main.%s;lib%d 1\nmain.other;lib%d 1\n", long, i, i)
	}
	q, _ := foldOwn(parseFoldedString(t, text.String()), false)
	size := 0
	for _, s := range q.Strings {
		size += len(s)
	}
	if size > maxNames+4<<20 {
		t.Errorf("%d bytes of names", size)
	}
	if got := stackLines(q); !strings.HasSuffix(got, "main.other;main.other via others 1\n") {
		t.Errorf("the last call is %q", got[strings.LastIndex(got, "\nmain.other"):])
	}
}

func TestOrigins(t *testing.T) {
	cache := "/home/me/go/pkg/mod/"
	frames := []*Frame{
		{Name: "main.main", File: cache + "github.com/me/!tool@v1.2.0/cmd/tool/main.go"},
		{Name: "github.com/me/Tool/search.Find", File: cache + "github.com/me/!tool@v1.2.0/search/find.go"},
		{Name: "github.com/me/Tool/api.Call", File: cache + "github.com/me/!tool/api@v1.0.0/call.go"},
		{Name: "github.com/me/Tool/search.Find via github.com/x/y.F", File: cache + "github.com/me/!tool@v1.2.0/search/find.go"},
		{Name: "github.com/x/y.F", File: cache + "github.com/x/y@v0.1.0/f.go"},
		{Name: "fmt.Println", File: "/usr/local/go/src/fmt/print.go"},
	}
	origins := OriginsOf(slices.Values(frames))
	for i, want := range []Origin{OriginOwn, OriginOwn, OriginThirdParty, OriginThirdParty, OriginThirdParty, OriginStandard} {
		if got := origins.Of(frames[i]); got != want {
			t.Errorf("%s: %v, want %v", frames[i].Name, got, want)
		}
	}
	if got := OriginsOf(slices.Values(frames[1:])).Of(frames[1]); got != OriginThirdParty {
		t.Errorf("without package main: %v", got)
	}
}
