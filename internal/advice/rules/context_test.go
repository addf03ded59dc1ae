package rules

import (
	"os"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestParallel: readers of an RWMutex share their count only where there are several at a
// time.
func TestParallel(t *testing.T) {
	const name = "testdata/rwmutex-readers/readers.go"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seconds float64 // that the 0.8 s of CPU time were collected for
		want    int
	}{{0, 2}, {0.4, 2}, {0.79, 0}, {10, 0}} {
		f, p := check(t, name, text)
		inputs := marked(t, f, name, text)
		for _, in := range inputs {
			in.Profile.DurationNanos = int64(c.seconds * 1e9)
		}
		if got := examinePackage(p, inputs, rwmutexReaders).Findings; len(got) != c.want {
			t.Errorf("in %v s: %d findings, want %d", c.seconds, len(got), c.want)
		}
	}
}

// TestReadOnMain: a program that reads files on its first goroutine is a tool, which reads
// each once; one that another goroutine reads for is a service.
func TestReadOnMain(t *testing.T) {
	const name, text = "tool.go", `package main

import "os"

func main() {
	for _, name := range os.Args {
		print(size(name))
	}
}

func size(name string) int {
	b, _ := os.ReadFile(name)
	c, _ := os.ReadFile("settings")
	return len(b) + len(c)
}
`
	_, p := check(t, name, []byte(text))
	for _, c := range []struct {
		roots []string
		want  int
	}{
		{[]string{"runtime.main"}, 1}, // of the constant name
		{[]string{"net/http.(*conn).serve"}, 2},
		{[]string{"runtime.main", "net/http.(*conn).serve"}, 2},
	} {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		at := func(fn, file string, start, line int64) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(fn, fn, file, start), Line: line})
		}
		for _, root := range c.roots {
			for _, line := range []int64{12, 13} {
				b.Sample([]uint32{at("os.ReadFile", "file.go", 1, 1), at("example.com/main.size", name, 11, line), at(root, "root.go", 1, 1)}, nil, 10, 100e6)
			}
		}
		inputs := []advice.Input{{Profile: b.Profile(), Subject: "tool", Kind: "cpu"}}
		if got := examinePackage(p, inputs, readPerRequest).Findings; len(got) != c.want {
			t.Errorf("below %v: %d findings, want %d", c.roots, len(got), c.want)
		}
	}
}
