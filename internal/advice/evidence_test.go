package advice

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hone-go/hone/profile"
)

// A line that has all that a benchmark allocates, where that takes mallocs of 200
// samples of its time.
func allocating(subject string, mallocs int64) []Input {
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	mem := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	at := func(b *profile.Builder, function, file string, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(function, function, file, 1), Line: line})
	}
	own := func(b *profile.Builder) uint32 { return at(b, "example.com/app.build", "app.go", 5) }
	cpu.Sample([]uint32{at(cpu, "runtime.mallocgc", "malloc.go", 1), own(cpu)}, nil, mallocs, mallocs*10e6)
	cpu.Sample([]uint32{at(cpu, "example.com/app.run", "app.go", 20)}, nil, 200-mallocs, (200-mallocs)*10e6)
	mem.Sample([]uint32{own(mem)}, nil, 10, 1000)
	return []Input{{Profile: cpu.Profile(), Subject: subject, Kind: "cpu"}, {Profile: mem.Profile(), Subject: subject, Kind: "mem"}}
}

func TestAllocationCounts(t *testing.T) {
	locate := func(f *profile.Frame) string {
		if f.File == "app.go" {
			return f.File
		}
		return ""
	}
	inputs := slices.Concat(allocating("Once", 1), allocating("Each", 20), allocating("Unknown", 0)[1:])
	e := &collectAll(inputs, locate).evidence
	var line *hot
	for at, h := range e.lines {
		if at.line == 5 {
			line = h
		}
	}
	part := line.match(about{allocates: true})
	for _, test := range []struct {
		subject string
		want    float64
	}{
		{"Once", 0.005}, // of the time: what it allocates is not worth a word
		{"Each", 1},
		{"Unknown", 1}, // there is no profile of the time
	} {
		i := e.subject(test.subject)
		if got := e.worked(part[i], i); got != test.want {
			t.Errorf("%s: a part of %v, want %v", test.subject, got, test.want)
		}
	}
	if got, _ := e.describe(line, part, 2, DefaultMinShare); !slices.Equal(got.Subjects, []string{"Each", "Unknown"}) || got.Subject == "Once" {
		t.Errorf("seen in %v, most in %s; want it in Each and Unknown", got.Subjects, got.Subject)
	}
}

// TestOwn: what a line does itself is neither what it calls of other packages nor of its own.
func TestOwn(t *testing.T) {
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(function, file string, line int64) uint32 {
		return cpu.Location(0, 0, profile.Line{Function: cpu.Function(function, function, file, 1), Line: line})
	}
	line := at("example.com/app.build", "app.go", 5)
	cpu.Sample([]uint32{line}, nil, 1, 10e6)
	cpu.Sample([]uint32{at("runtime.memmove", "memmove.s", 1), line}, nil, 2, 20e6)
	cpu.Sample([]uint32{at("example.com/app.run", "app.go", 20), line}, nil, 4, 40e6)
	cpu.Sample([]uint32{at("strings.Index", "strings.go", 1), line}, nil, 8, 80e6)
	e := &collectAll([]Input{{Profile: cpu.Profile(), Subject: "B", Kind: "cpu"}}, func(f *profile.Frame) string {
		if f.File == "app.go" {
			return f.File
		}
		return ""
	}).evidence
	found := false
	for place, h := range e.lines {
		if place.line == 5 {
			found = true
			if got := h.match(about{own: true})[0][cpuSamples]; got != 3 {
				t.Errorf("%d samples are the line's own, want 3", got)
			}
			if got := h.match(about{})[0][cpuSamples]; got != 15 {
				t.Errorf("%d samples are the line's, want 15", got)
			}
		}
	}
	if !found {
		t.Error("the line is not in the evidence")
	}
}

// TestBlocks has a line allocate blocks of one size in one benchmark, and of two in another.
func TestBlocks(t *testing.T) {
	p := parse(t, calling)
	var inputs []Input
	for subject, sizes := range map[string][]int64{"Small": {16}, "Large": {96, 144}} {
		b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
		at := b.Location(0, 0, profile.Line{Function: b.Function("example.com/m/p.hot", "", "/src/p.go", 7), Line: 8})
		for _, size := range sizes {
			b.Sample([]uint32{at}, []profile.Label{{Key: b.String("bytes"), Numeric: true, Num: size}}, 100, 100*size)
		}
		other := b.Location(0, 0, profile.Line{Function: b.Function("lib.other", "lib.other", "/lib/other.go", 1), Line: 1})
		b.Sample([]uint32{other}, nil, 100, 10_000) // of which Small has the smaller part
		inputs = append(inputs, Input{Profile: b.Profile(), Subject: subject, Kind: "alloc"})
	}
	asked := 0
	r := &Rule{ID: "asks", Title: "asks", Class: AdviceOnly, Allocates: true, Match: func(s *Site) []Match {
		asked++
		sizes := s.BlockSizes()
		slices.SortFunc(sizes, slices.Compare)
		if s.Blocks() != 2 || !reflect.DeepEqual(sizes, [][]int64{{16}, {96, 144}}) {
			t.Errorf("%d sizes of blocks, %v: want 2, of Large", s.Blocks(), sizes)
		}
		return []Match{{Node: s.Nodes()[0].Node()}}
	}}
	locate := func(f *profile.Frame) string { return f.File }
	report := Examine(inputs, []*Package{p}, locate, Options{Rules: []*Rule{r}})
	if asked == 0 || len(report.Findings) != 1 {
		t.Fatalf("asked %d times, %d findings", asked, len(report.Findings))
	}
	if ladder := report.Findings[0].Evidence.Ladder; len(ladder) != 2 {
		t.Errorf("the ladder is %v, want that of the benchmark that allocates most", ladder)
	}
}

// TestOnly: of the lines in several folders, those of one can be asked for.
func TestOnly(t *testing.T) {
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, name := range []string{"a", "b"} {
		f := cpu.Function("example.com/app/"+name+".F", "", "/app/"+name+"/f.go", 1)
		cpu.Sample([]uint32{cpu.Location(0, 0, profile.Line{Function: f, Line: 5})}, nil, 1, 10e6)
	}
	e := &collectAll([]Input{{Profile: cpu.Profile(), Subject: "B", Kind: "cpu"}}, func(f *profile.Frame) string { return f.File }).evidence
	for only, want := range map[string][]string{"": {"/app/a", "/app/b"}, "/app/b": {"/app/b"}, "/app": {}} {
		if lines, dirs, left := e.hottest(0.01, 9, only); len(lines) != len(want) || !slices.Equal(dirs, want) || left != 0 {
			t.Errorf("only %q: %d lines in %q, %d left; want those in %q", only, len(lines), dirs, left, want)
		}
	}
}
