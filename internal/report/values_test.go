package report

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// stackedLayout puts all nodes below each other.
type stackedLayout struct{ nodes int }

func (l stackedLayout) Size() (width, height float64) { return 100, float64(20 * l.nodes) }

func (l stackedLayout) Node(name string) (x, y, width, height float64, ok bool) {
	return 50, 20, 90, 15, true
}

func (l stackedLayout) Edge(tail, head string) (path []float64, tip [2]float64, label *[2]float64, ok bool) {
	return []float64{0, 0, 1, 1, 2, 2, 3, 3}, [2]float64{3, 4}, nil, tail != head
}

// TestValuesAreJSON makes every value of real profiles, alone and compared as
// by -diff_base with half of themselves and with twice, so that there are
// negative values and negative totals.
func TestValuesAreJSON(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.pb*")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d profiles, %v", len(files), err)
	}
	if testing.Short() {
		files = files[:10]
	}
	profiles := map[string]*profile.Profile{"all zero": folded(t, "a;b 0\n"), "negative": folded(t, "a;b -5\nc 2\nc;d -7\n")}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := profile.DecodeBytes(data, profile.Limits{}); err == nil {
			profiles[filepath.Base(name)] = p
		} else {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, p := range profiles {
		checkValues(t, name, p, nil)
		for _, ratio := range []float64{-0.5, -2} {
			base := profile.Scale(profile.WithLabel(p, baseLabel, "true"), ratio)
			both, err := profile.Merge(p, base)
			if err != nil {
				t.Fatal(err)
			}
			checkValues(t, name, both, profile.Scale(p, -ratio))
		}
	}
}

func checkValues(t *testing.T, name string, p, base *profile.Profile) {
	t.Helper()
	for _, command := range []string{"top", "tree", "peek", "tags", "list", "weblist", "disasm", "dot", "traces", "raw"} {
		param := ""
		switch command {
		case "peek", "list", "weblist", "disasm":
			param = "main|runtime.[a-m]"
		}
		r, err := New(p, command, param, DefaultOptions(), Env{Text: func(file string) (*srcfind.Text, error) {
			return &srcfind.Text{Path: file, Lines: []string{"one", "two"}}, nil
		}})
		if err != nil {
			if len(p.Stacks) > 0 {
				t.Errorf("%s: %s: %v", name, command, err)
			}
			continue
		}
		var v any
		switch command {
		case "dot":
			g := r.Graph()
			g.LayoutDOT()
			roundTrip(t, g)
			v = g.Place(stackedLayout{len(g.Nodes)})
		case "traces":
			v, _, err = r.TracesPage(Page{Limit: 20})
		case "raw":
			v, err = r.RawPage(Page{Limit: 50})
		default:
			v, err = valueOf(r)
		}
		if err != nil {
			continue // such as a match that fits nothing
		}
		roundTrip(t, v)
	}
	tr, err := profile.NewTree(p, profile.TreeOptions{Normalize: true})
	if base != nil {
		tr, err = profile.NewDiffTree(base, p, profile.TreeOptions{Normalize: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	x := NewFlameIndex(tr, Options{Unit: "auto"}, WidthsBoth)
	w, err := x.Window(Window{Width: 1600})
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, w)
	roundTrip(t, x.Search(regexp.MustCompile("main"), 10))
	if base == nil {
		base = p
	}
	for _, normalize := range []bool{false, true} {
		d, err := NewDiff(t.Context(), []*profile.Profile{base, base, base, p}, []*profile.Profile{p, p, base, p}, DefaultOptions(), Scaling{Normalize: normalize})
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, d)
	}
}

func TestWebListWithoutBinary(t *testing.T) {
	p := testProfile(t, "cpu.recursion.pb.gz")
	var warnings []string
	env := Env{
		Warn:   func(w Warning) { warnings = append(warnings, w.Text) },
		Binary: func(*profile.Mapping) (Binary, error) { return nil, errors.New("the program has moved") },
		Text: func(file string) (*srcfind.Text, error) {
			return &srcfind.Text{Path: "/elsewhere/" + filepath.Base(file), Lines: strings.Split(strings.Repeat("line\n", 5000), "\n")}, nil
		},
	}
	r, err := New(p, "weblist", "main", DefaultOptions(), env)
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.WebList()
	if err != nil || len(l.Funcs) == 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	if len(warnings) == 0 || !strings.Contains(warnings[0], "the program has moved") {
		t.Errorf("warnings %q", warnings)
	}
	for _, f := range l.Funcs {
		if f.Path != "/elsewhere/"+filepath.Base(f.File) || f.Err != "" || f.Looked != nil {
			t.Errorf("%s: %+v", f.Name, f.SourceFile)
		}
		measured := false
		for _, ln := range f.Lines {
			measured = measured || ln.Cum.Value != 0
			if ln.Insts != nil || ln.Text != "line" {
				t.Errorf("%s: line %+v", f.Name, ln)
			}
		}
		if !measured {
			t.Errorf("%s: no line has a value", f.Name)
		}
	}
	roundTrip(t, l)
}

func TestSourceNotFound(t *testing.T) {
	finder := srcfind.New(srcfind.Config{SearchPath: t.TempDir()})
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	f := b.Function("main.f", "", "/nowhere/at/all.go", 3)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: 5})}, nil, 5)
	p := b.Profile()
	env := Env{Text: finder.Find}
	r, err := New(p, "weblist", "main", DefaultOptions(), env)
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.WebList()
	if err != nil || len(l.Funcs) != 1 || l.Funcs[0].Err == "" || len(l.Funcs[0].Looked) == 0 {
		t.Errorf("got %+v, %v", l, err)
	}
	if r, err = New(p, "list", "main", DefaultOptions(), env); err != nil {
		t.Fatal(err)
	}
	if l, err := r.List(); err != nil || len(l.Routines) != 1 || l.Routines[0].Err == "" || len(l.Routines[0].Looked) == 0 {
		t.Errorf("got %+v, %v", l, err)
	}
}
