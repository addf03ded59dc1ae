package pgo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// app is the program that the profiles of the test data are of.
const app = "../../testdata/capture/app"

func trimmedReal(t *testing.T, names ...string) *Freshness {
	t.Helper()
	return freshness(t, Module{Path: "example.com/app", Dir: app, Main: app}, names...)
}

func freshness(t *testing.T, m Module, names ...string) *Freshness {
	t.Helper()
	var inputs []Input
	for _, name := range names {
		inputs = append(inputs, Input{Profile: real(t, name), Source: name})
	}
	p, err := Merge(inputs, Equal)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Fresh(p, m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFresh has real profiles and the source that they are of.
func TestFresh(t *testing.T) {
	for _, scenario := range []string{"closures", "generics", "inlining", "json-decode", "labels", "method-values", "noinline", "recursion", "templates", "tree", "wordcount-v1", "gc", "http-server"} {
		f := trimmedReal(t, "cpu."+scenario+".pb.gz")
		t.Logf("%s: %.3f of %d calls, own %.2f", scenario, f.Share, f.Calls, f.Own)
		for _, g := range f.Gone {
			t.Errorf("%s: %+v", scenario, g)
		}
	}
}

// TestStale changes the source.
func TestStale(t *testing.T) {
	for _, c := range []struct {
		what, profile, file, old, new string
		least, most                   float64
	}{
		{"a line above functions", "cpu.tree.pb.gz", "tree.go", "import", "// more\n\nimport", 1, 1},
		{"a line in a function, below its hot calls", "cpu.tree.pb.gz", "tree.go", "		return l * r\n", "		l *= r\n		return l\n", 1, 1},
		{"a method renamed", "cpu.tree.pb.gz", "tree.go", "(b *binary) eval()", "(b *binary) evaluate()", 0, 0.98},
		{"a line above a hot call", "cpu.inlining.pb.gz", "inlining.go", "	state := uint64(1)\n", "	state := uint64(1)\n	_ = 0\n", 0, 0.9},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(app)); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, c.file)
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), c.old) {
			t.Fatalf("%s: %v", c.what, err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		f := freshness(t, Module{Path: "example.com/app", Dir: dir, Main: dir}, c.profile)
		if f.Share < c.least || f.Share > c.most {
			t.Errorf("%s: fresh %.3f, want %g to %g; %+v", c.what, f.Share, c.least, c.most, f.Gone)
		}
	}
}

func TestCheck(t *testing.T) {
	ours := Module{Path: "example.com/app", Dir: app, Main: app}
	if err := Check(real(t, "cpu.templates.pb.gz"), ours); err != nil {
		t.Error(err)
	}
	if err := Check(real(t, "cpu.gofmt.pb.gz"), ours); !errors.Is(err, ErrForeign) {
		t.Errorf("of another program, with a main of its own: %v", err)
	}
}

// TestExternalTests: functions of tests that are a package of their own are there, and say
// nothing about the code.
func TestExternalTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":          "package m\n\nfunc A() {\n\tb()\n}\n\nfunc b() {}\n",
		"a_test.go":     "package m_test\n\nfunc bench() {\n\tm.A()\n}\n\nfunc b() {\n\tm.A()\n}\n",
		"sub/c.go":      "package sub\n\nfunc C() {}\n",
		"sub/c_test.go": "package sub_test\n\nfunc bench() {\n\tsub.C()\n}\n",
		"own_test/d.go": "package own_test\n\nfunc D() {\n\te()\n}\n\nfunc e() {}\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, stack := range [][]string{
		{"example.com/m.b", "example.com/m.A", "example.com/m_test.bench"},
		{"example.com/m.A", "example.com/m_test.b"}, // and there is an m.b
		{"example.com/m/sub.C", "example.com/m/sub_test.bench"},
		{"example.com/m/own_test.e", "example.com/m/own_test.D"},
		{"example.com/m_tester.f", "example.com/m_tester.g"}, // of another module
	} {
		var at []uint32
		for _, name := range stack {
			at = append(at, b.Location(0, 0, profile.Line{Function: b.Function(name, name, "x.go", 3), Line: 4}))
		}
		b.Sample(at, nil, 1, 10e6)
	}
	f, err := Fresh(b.Profile(), Module{Path: "example.com/m", Dir: dir})
	if err != nil || f.Share != 1 || f.Calls != 2 || len(f.Gone) != 0 || f.Own != 5./6 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestPackages: whose time it is decides, not who called; what has little is left out.
func TestPackages(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "x.go", 10), Line: 12})
	}
	sample := func(n int64, stack ...string) {
		var ls []uint32
		for _, name := range stack {
			ls = append(ls, at(name))
		}
		b.Sample(ls, nil, n, n*10e6)
	}
	sample(60, "strings.Index", "example.com/m/lex.Scan", "example.com/m/parse.File", "main.main")
	sample(35, "example.com/m/parse.expression", "main.main")
	sample(3, "example.com/m/print.Line", "main.main")
	sample(2, "main.main")
	sample(500, "example.com/other.Work")
	p := b.Profile()
	got, err := Packages(p, Module{Path: "example.com/m", Dir: "/m", Main: "/m/cmd/m"})
	if want := []string{filepath.FromSlash("/m/lex"), filepath.FromSlash("/m/parse")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if HasCPU(real(t, "heap.gc.pb.gz")) || !HasCPU(p) {
		t.Error("what has CPU time is not told from what has none")
	}
}

func TestParseLinkName(t *testing.T) {
	for _, c := range []struct {
		name string
		want linkName
	}{
		{"example.com/m/p.F", linkName{"example.com/m/p", "F", false, false}},
		{"example.com/m/p.(*T).M", linkName{"example.com/m/p", "T.M", false, false}},
		{"example.com/m/p.T.M", linkName{"example.com/m/p", "T.M", false, false}},
		{"example.com/m/p.F[go.shape.int]", linkName{"example.com/m/p", "F", false, false}},
		{"example.com/m/p.(*T[example.com/x/y.Z]).M.func1", linkName{"example.com/m/p", "T.M", true, false}},
		{"main.main.func1.2", linkName{"main", "main", true, false}},
		{"main.init.0", linkName{"main", "init", false, false}},
		{"main.init.0.func1", linkName{"main", "init", true, false}},
		{"main.init.func1", linkName{"main", "", true, false}},
		{"main.glob..func1", linkName{"main", "", true, false}},
		{"main.run.gowrap1", linkName{"main", "run", false, true}},
		{"main.(*T).M-fm", linkName{"main", "T.M-fm", false, true}},
		{"main.F-range1", linkName{"main", "F-range1", false, true}},
		{"main.F-range1-range1.1", linkName{"main", "F", true, false}}, // Go 1.27
		{"main.F[...].1", linkName{"main", "F", true, false}},
		{"gopkg.in/yaml%2ev3.Marshal", linkName{"gopkg.in/yaml.v3", "Marshal", false, false}},
	} {
		if got := parseLinkName(c.name); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
