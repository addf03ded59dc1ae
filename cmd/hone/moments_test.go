package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// Goroutines and memory in use of several profiles are averaged, and the report says so.
func TestMomentsAreAveraged(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, p *profile.Profile) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Encode(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		return f.Name()
	}
	read := func(name string) *profile.Profile {
		f, err := os.Open(testdata(name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p, err := profile.Decode(f, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	few := read("goroutine.go127.pb.gz")
	many, heap := profile.Scale(few, 3), *read("allocs.delta.pb.gz")
	heap.DurationNanos = 0
	heap.Values = make([][]int64, 4)
	for i, v := range []int64{10, 1000, 2, 100} {
		heap.Values[i] = make([]int64, len(heap.Stacks))
		heap.Values[i][0] = v
	}
	goroutines := []string{file("few.pb.gz", few), file("many.pb.gz", many)}
	heaps := []string{file("heap.pb.gz", &heap), file("heap2.pb.gz", profile.Scale(&heap, 2))}
	delta := heap
	delta.DurationNanos = 1e9
	deltas := []string{file("delta.pb.gz", &delta), file("delta2.pb.gz", profile.Scale(&delta, 2))}
	const averaged = ": average of 2 profiles (-add adds them up)"
	for _, c := range []struct {
		args    []string
		sources []string
		want    string
		said    string
	}{
		{[]string{"top"}, goroutines, "of 94 total", "goroutine" + averaged},
		{[]string{"tree"}, goroutines, "of 94 total", "goroutine" + averaged},
		{[]string{"top", "-json"}, goroutines, `"value": 94`, "goroutine" + averaged},
		{[]string{"top", "-add"}, goroutines, "of 188 total", ""},
		{[]string{"pprof", "-top"}, goroutines, "of 188 total", ""},
		{[]string{"top"}, goroutines[:1], "of 47 total", ""},
		{[]string{"top", "-sample_index=inuse_objects"}, heaps, "of 3 total", "inuse_objects, inuse_space" + averaged},
		{[]string{"top", "-sample_index=alloc_objects"}, heaps, "of 30 total", ""},
		{[]string{"top", "-sample_index=inuse_objects"}, deltas, "of 6 total", ""}, // of one time and the next
	} {
		out := succeed(t, append(c.args, c.sources...)...)
		if !strings.Contains(out, c.want) || !strings.Contains(out, c.said) || c.said == "" && !strings.Contains(strings.Join(c.args, " "), "alloc") && strings.Contains(out, "average") {
			t.Errorf("%q of %d: want %q and %q in\n%.400s", c.args, len(c.sources), c.want, c.said, out)
		}
	}
}

// A difference of allocations shows what was allocated. It comes without a default, as
// net/http/pprof makes it.
func TestAllocationsOfATime(t *testing.T) {
	t.Setenv("PPROF_TMPDIR", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, testdata("allocs.delta.pb.gz"))
	}))
	defer server.Close()
	for _, c := range []struct{ verb, path, want string }{
		{"top", "/debug/pprof/allocs?seconds=1", "Type: alloc_space"},
		{"tree", "/debug/pprof/allocs?seconds=1", "Type: alloc_space"},
		{"top", "/debug/pprof/heap?seconds=1", "Type: inuse_space"},
		{"pprof", "/debug/pprof/allocs?seconds=1", "Type: inuse_space"}, // as go tool pprof
	} {
		args := []string{c.verb, server.URL + c.path}
		if c.verb == "pprof" {
			args = []string{"pprof", "-top", server.URL + c.path}
		}
		if out := succeed(t, args...); !strings.Contains(out, c.want) {
			t.Errorf("%q: want %s in\n%.300s", args, c.want, out)
		}
	}
}
