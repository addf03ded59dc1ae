package lsp

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// The module of BenchmarkOpen, and its profile.
const (
	largePackages  = 500
	largeFunctions = 40 // per package, each of five lines
	largeStacks    = 200_000
	largeDepth     = 30
)

// largeFile is the file of a package.
func largeFile(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package p%d\n", n)
	for f := range largeFunctions {
		fmt.Fprintf(&b, "\nfunc F%d(n int) int {\n\tn++\n\treturn n\n}\n", f)
	}
	return b.String()
}

func largeProfile(dir string) *profile.Profile {
	rng := rand.New(rand.NewPCG(1, 2))
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	var locations []uint32
	for p := range largePackages {
		for f := range largeFunctions {
			name := fmt.Sprintf("example.com/m/p%d.F%d", p, f)
			start := int64(3 + 5*f)
			locations = append(locations, b.Location(0, 0, profile.Line{Function: b.Function(name, name, filepath.Join(dir, fmt.Sprintf("p%d/p.go", p)), start), Line: start + 1}))
		}
	}
	for range largeStacks {
		stack := make([]uint32, largeDepth)
		for i := range stack {
			stack[i] = locations[rng.IntN(len(locations))]
		}
		b.Sample(stack, nil, 1, 10e6)
	}
	return b.Profile()
}

// BenchmarkOpen measures the time from opening a file to its lenses, of a module of 500 packages and a profile of six million frames that
// is loaded. Each file is opened for the first time.
func BenchmarkOpen(b *testing.B) {
	files := map[string]string{}
	for p := range largePackages {
		files[fmt.Sprintf("p%d/p.go", p)] = largeFile(p)
	}
	f := start(b, "", files)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f.source.m = &Measurement{Name: "run", Taken: time.Now().Add(time.Hour), Kind: "benchmark", Profiles: []Profile{{Input: advice.Input{Profile: largeProfile(f.dir), Subject: "B", Kind: "cpu"}, ID: "x"}}}
	f.Call("initialize", map[string]any{"rootUri": uriOf(f.dir), "capabilities": map[string]any{}, "initializationOptions": map[string]any{"minShare": 0}}, nil)
	f.Notify("initialized", struct{}{})
	f.Call("textDocument/codeLens", f.open(slow), nil) // loads it
	n := 0
	for b.Loop() {
		n++
		f.file = filepath.Join(f.dir, fmt.Sprintf("p%d/p.go", n%largePackages))
		var lenses []codeLens
		f.Call("textDocument/codeLens", f.open(largeFile(n%largePackages)), &lenses)
		if len(lenses) != largeFunctions {
			b.Fatalf("%d lenses", len(lenses))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
}
