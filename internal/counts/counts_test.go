package counts

import (
	"context"
	"errors"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/git/gittest"
)

// TestRun counts in a real module: in the benchmark's package and in another one, in loops, branches and function
// literals, with setup that runs once, and with both kinds of benchmark loops.
func TestRun(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{
		"go.mod": "module example.com/counted\n\ngo 1.24\n",
		"counted.go": `package counted

import "example.com/counted/inner"

func Sum(n int) (sum int) {
	for i := range n {
		if i%4 == 0 {
			sum += inner.Square(i)
		}
		func() {
			sum++
		}()
	}
	return sum
}
`,
		"inner/inner.go": `package inner

func Square(n int) int {
	return n * n
}
`,
		"counted_test.go": `package counted

import "testing"

func BenchmarkSum(b *testing.B) {
	b.Run("n=12", func(b *testing.B) {
		Sum(1000) // setup
		for range b.N {
			Sum(12)
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			Sum(12)
		}
	})
	b.Run("failing", func(b *testing.B) {
		b.Fatal("it fails")
	})
}
`,
	})
	c := Counter{Dir: dir, Folders: []string{dir, filepath.Join(dir, "inner")}}
	const pkg = "example.com/counted"
	all, err := c.Run(t.Context(), []Benchmark{
		{pkg, "Sum/n=12", 0}, {pkg, "Sum/loop-2", time.Hour}, {pkg, "Sum/failing", 0}, {pkg, "Sum/missing", 0}, {pkg + "/none", "Sum", 0},
	})
	if all[0] == nil || all[1] == nil {
		t.Fatalf("not counted: %v", err)
	}
	for _, want := range []string{"Sum/failing", "Sum/missing", "none"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %s", err, want)
		}
	}
	if all[2] != nil || all[3] != nil || all[4] != nil {
		t.Errorf("counts of benchmarks that can't run: %v", all)
	}
	for i, counts := range all[:2] {
		for _, want := range []struct {
			file         string
			line, column int
			perOp        float64
		}{
			{"counted.go", 6, 2, 1},  // the loop's beginning
			{"counted.go", 7, 3, 12}, // its body
			{"counted.go", 8, 4, 3},
			{"counted.go", 10, 3, 12}, // a call of a function literal
			{"counted.go", 11, 4, 12}, // in it
			{"counted.go", 14, 2, 1},
			{"inner/inner.go", 4, 2, 3},
		} {
			at := token.Position{Filename: filepath.Join(dir, filepath.FromSlash(want.file)), Line: want.line, Column: want.column}
			if got, ok := counts.At(at); !ok || got != want.perOp {
				t.Errorf("benchmark %d, %s:%d: %v, %v; want %v", i, want.file, want.line, got, ok, want.perOp)
			}
		}
		for _, at := range []token.Position{{Filename: filepath.Join(dir, "counted.go"), Line: 1, Column: 1}, {Filename: filepath.Join(dir, "other.go"), Line: 7, Column: 3}} {
			if got, ok := counts.At(at); ok {
				t.Errorf("%v ran %v times", at, got)
			}
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(stopped, []Benchmark{{pkg, "Sum/n=12", 0}}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestSplitProcessors: what of a benchmark's name is the number of processors.
func TestSplitProcessors(t *testing.T) {
	for name, want := range map[string]struct {
		name string
		n    int
	}{"Sum-8": {"Sum", 8}, "Sum": {"Sum", 1}, "Sum/a-b-2": {"Sum/a-b", 2}, "Sum/a-b": {"Sum/a-b", 1}, "Sum-0": {"Sum-0", 1}} {
		if got, n := splitProcessors(name); got != want.name || n != want.n {
			t.Errorf("%s: %s, %d", name, got, n)
		}
	}
}
