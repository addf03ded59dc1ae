package storetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// sampleTypes are those of Go's profiles by kind. The kinds "old-heap" and "ms"
// are for groups of profiles that have not all of them in common, or other units.
var sampleTypes = map[string][]profile.ValueType{
	"cpu":       {{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
	"cpu-ms":    {{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "milliseconds"}},
	"heap":      {{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
	"old-heap":  {{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
	"mutex":     {{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
	"goroutine": {{Type: "goroutine", Unit: "count"}},
}

var periodTypes = map[string]profile.ValueType{
	"cpu":       {Type: "cpu", Unit: "nanoseconds"},
	"cpu-ms":    {Type: "cpu", Unit: "nanoseconds"},
	"heap":      {Type: "space", Unit: "bytes"},
	"old-heap":  {Type: "space", Unit: "bytes"},
	"mutex":     {Type: "contentions", Unit: "count"},
	"goroutine": {Type: "goroutine", Unit: "count"},
}

// Generate returns a random profile of a kind of program that has few functions,
// so that profiles have stacks in common. Kinds are "cpu", "cpu-ms", "heap",
// "old-heap", "mutex" and "goroutine"; a kind of heap has the default sample
// type inuse_space.
func Generate(r *rand.Rand, kind string, samples int) *profile.Profile {
	types := sampleTypes[kind]
	b := profile.NewBuilder(append([]profile.ValueType(nil), types...)...)
	// The program is loaded elsewhere in each process, the library is not.
	load := uint64(r.IntN(4)) << 20
	program := b.Mapping(profile.Mapping{Start: load, Limit: load + 1<<18, File: "/bin/app", BuildID: "b1", HasFunctions: true})
	library := b.Mapping(profile.Mapping{Start: 7 << 40, Limit: 7<<40 + 4096, File: "/lib/x.so"})
	frame := func() uint32 {
		n := r.IntN(40)
		f := b.Function(fmt.Sprintf("app/p%d.f%d", n%3, n), fmt.Sprintf("app/p%d.f%d", n%3, n), fmt.Sprintf("p%d.go", n%3), int64(10*n))
		line := profile.Line{Function: f, Line: int64(10*n + r.IntN(3))}
		switch n % 8 {
		case 0: // without an address
			return b.Location(0, 0, line)
		case 1: // without a name
			return b.Location(7<<40+uint64(n), library)
		case 2: // inlined
			g := b.Function("inlined[...]", "inlined", "p.go", 1)
			return b.Location(load+uint64(line.Line), program, profile.Line{Function: g, Line: 2, Column: 7}, line)
		}
		return b.Location(load+uint64(line.Line), program, line)
	}
	for range samples {
		stack := make([]uint32, 1+r.IntN(6))
		for i := range stack {
			stack[i] = frame()
		}
		var labels []profile.Label
		switch r.IntN(8) {
		case 0:
			labels = []profile.Label{{Key: b.String("endpoint"), Str: b.String([]string{"/", "/ä", `"`}[r.IntN(3)])}}
		case 1:
			labels = []profile.Label{
				{Key: b.String("bytes"), Num: int64(16 << r.IntN(3)), Unit: b.String("bytes"), Numeric: true},
				{Key: b.String("endpoint"), Str: b.String("/")}, {Key: b.String("endpoint"), Str: b.String("/second")}}
		}
		values := make([]int64, len(types))
		for t := range values {
			if r.IntN(4) > 0 {
				values[t] = r.Int64N(1000)
			}
		}
		b.Sample(stack, labels, values...)
	}
	p := b.Profile()
	p.PeriodType, p.Period = periodTypes[kind], 1+r.Int64N(3)
	if kind == "heap" || kind == "old-heap" {
		p.DefaultSampleType = "inuse_space"
	}
	if r.IntN(3) == 0 {
		p.Comments = []string{fmt.Sprintf("comment %d", r.IntN(3))}
	}
	// As if a reader had filled them in: the record's time counts.
	p.TimeNanos, p.DurationNanos = 17, 4
	return p
}

// newID returns an id made of numbers.
func newID(n ...int) (id store.ID) {
	for i, v := range n {
		id[2*i], id[2*i+1] = byte(v>>8), byte(v)
	}
	id[15] = 1 // never the zero value
	return id
}

// labels returns labels of names and values.
func labels(t testing.TB, namesAndValues ...string) store.Labels {
	t.Helper()
	var ls []store.Label
	for i := 0; i < len(namesAndValues); i += 2 {
		ls = append(ls, store.Label{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	out, err := store.NewLabels(ls...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// realProfiles returns the profiles in the repository's testdata, by name.
func realProfiles(t testing.TB) map[string]*profile.Profile {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("this is not run in the repository")
		}
		dir = filepath.Dir(dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "*.pb.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no profiles in %s: %v", dir, err)
	}
	out := map[string]*profile.Profile{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.SampleTypes) > 0 {
			out[filepath.Base(file)] = p
		}
	}
	return out
}

// base is the start of a day in 2026.
const base = int64(20717 * 86400e9)

const second, minute = int64(time.Second), int64(time.Minute)

// one returns a profile of one sample: function and value, the same for all
// sample types.
func one(kind, function string, value int64) *profile.Profile {
	b := profile.NewBuilder(slices.Clone(sampleTypes[kind])...)
	f := b.Function(function, function, function+".go", 1)
	l := b.Location(0, 0, profile.Line{Function: f, Line: 2})
	values := make([]int64, len(sampleTypes[kind]))
	for i := range values {
		values[i] = value
	}
	b.Sample([]uint32{l}, nil, values...)
	p := b.Profile()
	p.PeriodType, p.Period = periodTypes[kind], 1
	return p
}

// record returns a record of one(kind, "f", value) with id n.
func record(t testing.TB, n int, at int64, kind string, value int64, more ...string) store.Record {
	t.Helper()
	return store.Record{
		ID: newID(n), Time: at, Duration: second, Profile: one(kind, "f", value),
		Labels: labels(t, append([]string{"service", "api", "kind", kind}, more...)...),
	}
}

// timed returns p as it is kept: with the record's time.
func timed(p *profile.Profile, at, duration int64) *profile.Profile {
	q := *p
	q.TimeNanos, q.DurationNanos = at, duration
	return &q
}
