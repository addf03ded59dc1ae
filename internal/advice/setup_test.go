package advice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// What a benchmark does outside of its loop is not what it measures: lines say on which
// side they are.
func TestSetup(t *testing.T) {
	const source = `package app

import "testing"

func BenchmarkPlain(b *testing.B) {
	input := load() // prepares
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		parse(input) // measured
		b.StopTimer()
		input = load() // prepares
		b.StartTimer()
	}
	check(input) // prepares
}

func BenchmarkLoop(b *testing.B) {
	input := load() // prepares
	for b.Loop() { parse(input) } // measured
}

func BenchmarkMade(b *testing.B) {
	input := load() // prepares
	steps, other := (b.N+9)/10, load() // prepares
	for i := 0; i < steps; i++ {
		parse(input) // measured
	}
	for range other {
		load() // prepares
	}
	var each = make([]T, b.N)
	for i := range each {
		each[i] = parse(input) // measured
	}
}

func BenchmarkReset(b *testing.B) {
	for i := range b.N {
		input[i] = load() // prepares
	}
	b.ResetTimer()
	for i := range b.N {
		parse(input[i]) // measured
	}
}

func BenchmarkFilled(b *testing.B) {
	data := make([]T, b.N) // prepares
	for i := range data {
		data[i] = load() // prepares
	}
	b.ResetTimer()
	sort(data) // measured: nobody knows
}

func BenchmarkStopped(b *testing.B) {
	b.StopTimer()
	keys := make([]T, b.N) // prepares
	for i := range keys {
		keys[i] = load() // prepares
	}
	b.StartTimer()
	for i := 0; i < b.N; i++ {
		parse(keys[i]) // measured
	}
}

func BenchmarkStarted(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		input := load() // measured: nobody knows
		b.StartTimer()
		parse(input) // measured
		b.StopTimer()
	}
	b.StartTimer()
}

func BenchmarkSizes(b *testing.B) {
	for n := 1; n < c.steps; n *= 10 {
		input := load(n) // prepares
		b.Run("", func(b *testing.B) {
			n, steps := b.N, b.N
			for range n {
				parse(input) // measured
			}
			for range steps {
				parse(input) // measured
			}
		})
	}
}

func BenchmarkHelper(b *testing.B) {
	helper(b, load()) // measured: nobody knows
}

func BenchmarkUnequal(b *testing.B) {
	n := b.N, 10
	var m = b.N, 10
	parse(n, m) // measured: it doesn't compile any more
}

func BenchmarkHelperReset(b *testing.B) {
	input := load() // prepares
	b.ResetTimer()
	helper(b, input) // measured: nobody knows
}

func BenchmarkTable(b *testing.B) {
	for _, name := range names() { // prepares
		input := load(name) // prepares
		b.Run(name, func(b *testing.B) {
			again := load(name) // prepares
			for range b.N {
				parse(input, again) // measured
			}
		})
	}
}

func BenchmarkParallel(b *testing.B) {
	input := load() // prepares
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			parse(input) // measured
		}
	})
}

func BenchmarkOther(t *T) {
	for range t.N {
	}
	load() // measured: not a benchmark's
}
`
	file := filepath.Join(t.TempDir(), "app_test.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	locate := func(f *profile.Frame) string {
		if f.File == file || f.File == "load.go" {
			return f.File
		}
		return ""
	}
	begins := int64(0)
	for i, text := range strings.Split(source, "\n") {
		line := int64(i + 1)
		if strings.Contains(text, "func") {
			begins = line
		}
		_, side, ok := strings.Cut(text, "// ")
		if !ok {
			continue
		}
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		at := func(function, file string, start, line int64) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(function, function, file, start), Line: line})
		}
		b.Sample([]uint32{
			at("example.com/app.load", "load.go", 1, 2), at("example.com/app.Benchmark", file, begins, line),
			at("testing.(*B).runN", "benchmark.go", 1, 2), at("testing.(*B).launch", "benchmark.go", 3, 4),
		}, nil, 1, 10e6)
		e := collect([]Input{{Profile: b.Profile(), Subject: "Benchmark", Kind: "cpu"}}, locate)
		if got, want := len(e.lines) > 0, strings.HasPrefix(side, "measured"); got != want {
			t.Errorf("%d %q: measured %v, want %v", line, strings.TrimSpace(text), got, want)
		}
	}
}
