package benchgen

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/internal/gocmd"
)

const source = `package m

import (
	"io"
	"os"
	"strings"
)

func Words(s string) []string { return strings.Fields(s) }

func Longest[T ~string](all []T) (long T) {
	for _, s := range all {
		if len(s) > len(long) {
			long = s
		}
	}
	return long
}

func Sort(xs []int) {
	for i := range xs {
		for j := range xs[:i] {
			if xs[i] < xs[j] {
				xs[i], xs[j] = xs[j], xs[i]
			}
		}
	}
}

func Lines(r io.Reader) int { b, _ := io.ReadAll(r); return strings.Count(string(b), "\n") }

func Size(name string) int64 { info, _ := os.Stat(name); return info.Size() }

func Twice(s string) string { return s + s }

func Parallel(s string) string { return s }

func Given(s string) string { return s }

func Measured(s string) string { return s }

func Untested(s string) string { return s }

type Tree struct{ keys []string }

func New(keys ...string) *Tree { return &Tree{keys} }

func (t *Tree) Insert(key string) { t.keys = append(t.keys, key) }

func (t *Tree) Has(key string) bool {
	for _, k := range t.keys {
		if k == key {
			return true
		}
	}
	return false
}

func (t *Tree) Len() int { return len(t.keys) }
`

const inPackage = `package m

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     int
	}{
		{"none", "", 0},
		{"two", "a b", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt := tt
			if got := Words(tt.in); len(got) != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestLongest(t *testing.T) {
	type name string
	names := []name{"a", "bcd"}
	if got := Longest(names); got != "bcd" {
		t.Error(got)
	}
}

func TestTwice(t *testing.T) {
	b := "b"
	if Twice(b) != "bb" {
		t.Error("twice")
	}
}

func TestSort(t *testing.T) {
	xs := []int{3, 1, 2}
	Sort(xs)
	if xs[0] != 1 {
		t.Error(xs)
	}
}

func TestLines(t *testing.T) {
	const text = "a\nb\n"
	in, n := strings.NewReader(text), 2
	if got := Lines(in); got != n {
		t.Error(got)
	}
}

func TestSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	os.WriteFile(name, nil, 0o600)
	if Size(name) != 0 {
		t.Error("size")
	}
}

func TestParallel(t *testing.T) {
	t.Parallel()
	Parallel("x")
}

func input(t *testing.T) string { return t.Name() }

func TestGiven(t *testing.T) {
	Given(input(t))
}

func TestTree(t *testing.T) {
	tree := New("a", "b")
	tree.Insert("c")
	if !tree.Has("c") {
		t.Error("c")
	}
}

func BenchmarkOld(b *testing.B) {
	for b.Loop() {
		Measured("x")
	}
}

func TestMeasured(t *testing.T) { Measured("x") }
`

const external = `package m_test

import (
	"fmt"

	hay "example.com/m"
)

func ExampleTwice() {
	fmt.Println(hay.Twice("ab"))
	// Output: abab
}

func ExampleTree_Len() {
	fmt.Println(hay.New("a").Len())
	// Output: 1
}

func ExampleWords() {
	fmt.Println(len(hay.Words("a")))
	// Output: 1
}
`

func folder(t *testing.T) string {
	return gittest.Folder(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": source, "m_test.go": inPackage, "x_test.go": external})
}

// A benchmark has the inputs of the first test whose call can be repeated. It makes what the call changes each time.
func TestGenerate(t *testing.T) {
	dir := folder(t)
	g, err := Generate(t.Context(), dir, nil, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	bodies := make(map[string]string)
	for _, f := range g.Files {
		for part := range strings.SplitSeq(string(f.Text), "\nfunc ") {
			if name, body, ok := strings.Cut(part, "(b *testing.B) {\n"); ok {
				body, _, _ = strings.Cut(body, "\n}\n")
				bodies[name] = strings.Join(strings.Fields(body), " ")
				names = append(names, filepath.Base(f.Name)+":"+name)
			}
		}
	}
	const file, other = "generated_bench_test.go:Benchmark", "generated_bench_x_test.go:Benchmark"
	want := []string{file + "Lines", file + "Longest", file + "New", file + "Sort", file + "TreeInsert", file + "Twice", file + "Words", other + "TreeLen"}
	if got := strings.Join(names, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("benchmarks\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for name, want := range map[string]string{
		"BenchmarkLines":      `const text = "a\nb\n" b.ReportAllocs() for b.Loop() { in, _ := strings.NewReader(text), 2 Lines(in) }`,
		"BenchmarkLongest":    `type name string names := []name{"a", "bcd"} b.ReportAllocs() for b.Loop() { Longest(names) }`,
		"BenchmarkSort":       `b.ReportAllocs() for b.Loop() { xs := []int{3, 1, 2} Sort(xs) }`,
		"BenchmarkTreeInsert": `b.ReportAllocs() for b.Loop() { tree := New("a", "b") tree.Insert("c") }`,
		"BenchmarkTreeLen":    `b.ReportAllocs() for b.Loop() { hay.New("a").Len() }`,
		"BenchmarkTwice":      `b.ReportAllocs() for b.Loop() { b := "b" Twice(b) }`,
		"BenchmarkWords":      `allInputs := []struct { name, in string want int }{ {"none", "", 0}, {"two", "a b", 2}, } b.ReportAllocs() for b.Loop() { for _, tt := range allInputs { tt := tt Words(tt.in) } }`,
	} {
		if bodies[name] != want {
			t.Errorf("%s\n%s\nwant\n%s", name, bodies[name], want)
		}
	}
	var refused []string
	for _, r := range g.Refused {
		refused = append(refused, r.Function+": "+r.Why)
	}
	if got, want := strings.Join(refused, "\n"), `Given: TestGiven calls input to make an input, which may have side effects
Parallel: TestParallel uses t.Parallel
Size: TestSize uses t.TempDir
Tree.Has: TestTree changes tree, or may, before the call`; got != want {
		t.Errorf("refused\n%s\nwant\n%s", got, want)
	}
	again, err := Generate(t.Context(), dir, nil, []string{"./..."})
	if err != nil || fmt.Sprint(again) != fmt.Sprint(g) {
		t.Errorf("%v: not the same a second time", err)
	}
}

// The benchmarks run after they are written, or after git applied the diff; they are not written twice.
func TestWrite(t *testing.T) {
	dir := folder(t)
	g, err := Generate(t.Context(), dir, nil, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range g.Files {
		apply := exec.Command("git", "apply", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(f.Diff(dir))
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, f.Diff(dir))
		}
		if err := f.Write(); err == nil || !strings.Contains(err.Error(), "already exists") {
			t.Errorf("written over a file: %v", err)
		}
	}
	out, err := gocmd.Command{Dir: dir, Args: []string{"test", "-bench", ".", "-benchtime", "2x"}}.CombinedOutput(t.Context())
	if err != nil || strings.Count(string(out), "allocs/op") != 8 || strings.Contains(string(out), "FAIL") {
		t.Errorf("%v\n%s", err, out)
	}
	again, err := Generate(t.Context(), dir, nil, []string{"."})
	if err != nil || len(again.Files) > 0 {
		t.Errorf("%v: %d more files", err, len(again.Files))
	}
}
