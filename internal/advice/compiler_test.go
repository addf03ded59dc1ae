package advice

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/profile"
)

// compilerSays returns what the compiler says about packages, given by their folders.
func compilerSays(ctx context.Context, dir string, dirs ...string) (Diagnostics, Decisions, error) {
	src, err := load(ctx, dir, "", "", nil, nil, dirs)
	if err != nil {
		return nil, nil, err
	}
	var pkgs []*compiled
	for _, p := range src.packages {
		pkgs = append(pkgs, newCompiled(p.listed, dirs))
	}
	err = compile(ctx, dir, nil, pkgs, func(int) {})
	said, decided := merged(pkgs, src.folders)
	return said, decided, err
}

// Each line's comment is what the compiler has to say of it, and of others nothing.
const saidOf = `package m

import "fmt"

type block struct{ bytes [400]byte }

var kept any

func print(xs []int) (out []string) {
	for _, x := range xs {
		out = append(out, fmt.Sprint(x)) // append(out, fmt.Sprint(... argument...)) escapes to heap|x escapes to heap
	}
	return out
}

func address(n int) *int { // n escapes to heap
	return &n
}

func middle(n int) *int {
	return address(n + 1)
}

func outer(n int) *int {
	return middle(n + 2)
}

//go:noinline
func copies(f func(block), blocks []block) {
	for _, b := range blocks { // copies 400 bytes
		f(b) // copies 400 bytes
	}
}

func calls(b []byte, n int) { // n escapes to heap
	f := func(b block) { n += int(b.bytes[1]) } // func literal escapes to heap
	kept = f
	copies(f, nil)
	kept = string(b) // string(b) escapes to heap
}
`

func TestCompilerSays(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"m.go": saidOf, "go.mod": "module example.com/m\n\ngo 1.24\n"})
	name := filepath.Join(dir, "m.go")
	// Twice: what comes from the build cache says nothing.
	for _, flags := range []string{"", "", "-trimpath"} {
		t.Setenv("GOFLAGS", flags)
		said, _, err := compilerSays(t.Context(), dir, dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(saidOf, "\n") {
			var want []string
			if _, comment, ok := strings.Cut(line, " // "); ok {
				want = strings.Split(comment, "|")
			}
			got := said[lineOf{name, i + 1}]
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("GOFLAGS=%s, line %d: %s\ngot  %q\nwant %q", flags, i+1, line, got, want)
			}
		}
	}
}

func TestCompilerSaysErrors(t *testing.T) {
	said, _, err := compilerSays(t.Context(), t.TempDir())
	if len(said) != 0 || err != nil {
		t.Errorf("of no package: %v, %v", said, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte("package m\n\nvar x int = \"\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if said, _, err := compilerSays(t.Context(), dir, dir); err != nil || len(said) != 0 {
		t.Errorf("of what doesn't compile: %v, %v", said, err)
	}
	pkgs := []*compiled{{path: "example.com/m", pattern: dir}}
	if err := compile(t.Context(), dir, []string{"-nonsense"}, pkgs, func(int) {}); err == nil || !strings.Contains(err.Error(), "compiler diagnostics are missing") {
		t.Errorf("of a go command that can't: %v", err)
	}
	if _, err := readRemarks("m.json", []byte(`{"version":0,"file":"m.go"}{"range":`)); err == nil || !strings.Contains(err.Error(), "m.json: offset ") {
		t.Errorf("of half a file: %v", err)
	}
}

// Each line's comment is what the compiler has to decide about it, of what is kept.
const decided = `package m

import "fmt"

func address(n int) *int { // n escapes to heap: return &n (return)
	return &n
}

func sum(xs []int, n int) (s int) { // not inlined
	for i := 0; i < n; i++ {
		s += xs[i] // index
		if s > 9 {
			fmt.Println(xs[i:]) // xs[i:] escapes to heap: fmt.Fprintln(os.Stdout, fmt.a...) (call parameter)
		}
	}
	return s
}

func room(n int) []byte {
	b := make([]byte, n) // make([]byte, n) escapes to heap: return b (return)
	return b
}

func part(xs []int, n int) []int {
	return xs[n:] // slice
}
`

func TestDecisions(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"m.go": decided, "go.mod": "module example.com/m\n\ngo 1.24\n"})
	name := filepath.Join(dir, "m.go")
	_, decisions, err := compilerSays(t.Context(), dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(decided, "\n") {
		var want, got []string
		if _, comment, ok := strings.Cut(line, " // "); ok {
			want = strings.Split(comment, "|")
		}
		for _, k := range decisions.At(name, i+1) {
			got = append(got, shortDecision(k))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("line %d: %s\ngot  %q\nwant %q", i+1, line, got, want)
		}
	}
}

func shortDecision(k Decision) string {
	switch {
	case k.Kind == FunctionNotInlined && strings.HasPrefix(k.Text, "function too complex: cost "):
		return "not inlined"
	case k.Kind == IndexChecked:
		return "index"
	case k.Kind == SliceChecked:
		return "slice"
	case len(k.Steps) == 0:
		return k.Text
	}
	last := k.Steps[len(k.Steps)-1]
	return k.Text + ": " + last.Code + " (" + last.How + ")"
}

// TestCompilerSaysOfInstances: only tests have an instance of a generic function, of which the compiler says why it isn't inlined.
func TestCompilerSaysOfInstances(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.24\n",
		"m.go":      "package m\n\ntype Set[K comparable] struct{ has map[K]bool }\n\nfunc (s *Set[K]) Add(keys ...K) {\n\tdefer delete(s.has, keys[0])\n\tfor _, k := range keys {\n\t\ts.has[k] = true\n\t}\n}\n",
		"m_test.go": "package m_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m\"\n)\n\nfunc BenchmarkAdd(b *testing.B) {\n\tvar s m.Set[string]\n\tfor b.Loop() {\n\t\ts.Add(\"a\", \"b\")\n\t}\n}\n",
	})
	name := filepath.Join(dir, "m.go")
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	fn := b.Function("example.com/m.(*Set[...]).Add", "", name, 5)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: fn, Line: 8})}, nil, 100, 1e9)
	var said []Decision
	rule := &Rule{ID: "asks", Title: "asks", Class: AdviceOnly, Match: func(s *Site) []Match {
		said = s.In.Decisions().At(name, 5)
		return nil
	}}
	if _, err := Advise(t.Context(), []Input{{Profile: b.Profile()}}, Options{Dir: dir, Rules: []*Rule{rule}, Compiler: true}); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || said[0].Kind != FunctionNotInlined || said[0].Text != "unhandled op DEFER" {
		t.Errorf("of the method: %+v", said)
	}
}
