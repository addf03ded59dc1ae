package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const skeletonSource = `package shapes

import (
	"bytes"
	"io"
	str "strings"
)

type Tree struct{ n int }

func (t *Tree) Insert(k int, vs ...string) error { t.n += k + len(vs); return nil }

func (Tree) Walk(_ func(int) bool, b int, testing string) {}

func Join(words []string, sep string) string { return str.Join(words, sep) }

func copyAll(dst io.Writer, bytes bytes.Buffer, f func(*str.Reader) error) (int64, error) { return 0, nil }

func none() {}

func Map[K comparable](m map[K]int) int { return len(m) }

type List[T any] []T

func (l List[T]) Len() int { return len(l) }
`

// TestSkeleton: each skeleton compiles as it is.
func TestSkeleton(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shapes")
	write := func(name, text string) {
		t.Helper()
		os.MkdirAll(dir, 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/shapes\n\ngo 1.20\n")
	write("shapes.go", skeletonSource)
	t.Chdir(dir)
	for function, want := range map[string]string{
		"Tree.Insert":  "var t Tree\n\tvar k int\n\tvar vs []string\n\n\tfor b.Loop() {\n\t\tt.Insert(k, vs...)\n",
		"(*Tree).Walk": "var receiver Tree\n\tvar arg func(int) bool\n\tvar arg2 int\n\tvar arg3 string\n\n\tfor b.Loop() {\n\t\treceiver.Walk(arg, arg2, arg3)\n",
		"Join":         "var words []string\n\tvar sep string\n\n\tfor b.Loop() {\n\t\tJoin(words, sep)\n",
		"copyAll":      "var arg bytes.Buffer\n\tvar f func(*str.Reader) error\n\n\tfor b.Loop() {\n\t\tcopyAll(dst, arg, f)\n",
		"none":         "func BenchmarkNone(b *testing.B) {\n\tfor b.Loop() {\n\t\tnone()\n",
	} {
		file, benchmark, err := WriteSkeleton(".", function)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "func "+benchmark+"(") || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v\n%s\nwant %s", function, err, text, want)
		}
	}
	if out, err := exec.Command("go", "vet", "-copylocks=false", ".").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, c := range []struct{ function, dir, want string }{
		{"Join", ".", "BenchmarkJoin already exists: "},
		{"NONE", ".", "did you mean none?"},
		{"Walk", ".", "did you mean Tree.Walk?"},
		{"Gone", ".", "no function Gone in this folder (write a method as Type.Method)"},
		{"Map", ".", "shapes.go:21:1: Map has type parameters: write its benchmark by hand, for the types that matter"},
		{"List.Len", ".", "has type parameters"},
		{"Join", "nowhere", "nowhere: no Go files in this folder"},
	} {
		if _, _, err := WriteSkeleton(c.dir, c.function); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s: %v\nwant %s", c.function, c.dir, err, c.want)
		}
	}
}
