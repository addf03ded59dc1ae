package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readLiterals returns a profile of the program in testdata/literals.
func readLiterals(t *testing.T, version string) *Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "literals", version+".pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := DecodeBytes(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// namesOf returns the names of the program's own functions.
func namesOf(p *Profile) map[string]bool {
	names := map[string]bool{}
	for i := range p.Functions {
		if name := p.FunctionName(uint32(i)); strings.Contains(name, "literals/") || strings.HasPrefix(name, "main.") {
			names[name] = true
		}
	}
	return names
}

// missing returns what is in a but not in b.
func missing(a, b map[string]bool) (out []string) {
	for name := range a {
		if !b[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// TestAlignVersionsOfGo: one program built by Go 1.26 and by Go 1.27 has the same functions,
// in both directions.
func TestAlignVersionsOfGo(t *testing.T) {
	for _, versions := range [][2]string{{"go126", "go127"}, {"go127", "go126"}} {
		base, head := readLiterals(t, versions[0]), readLiterals(t, versions[1])
		if was := missing(namesOf(base), namesOf(head)); len(was) < 10 {
			t.Fatalf("only %d names differ: these are not the profiles of two versions", len(was))
		}
		bases, heads := AlignLiterals([]*Profile{base}, []*Profile{head})
		gone, fresh := missing(namesOf(bases[0]), namesOf(heads[0])), missing(namesOf(heads[0]), namesOf(bases[0]))
		if len(gone) > 0 || len(fresh) > 0 {
			t.Errorf("%s to %s: gone\n%s\nnew\n%s", versions[0], versions[1], strings.Join(gone, "\n"), strings.Join(fresh, "\n"))
		}
		for name := range namesOf(heads[0]) {
			if !namesOf(head)[name] {
				t.Errorf("%s to %s: the head doesn't have %s", versions[0], versions[1], name)
			}
		}
	}
}

// TestAlignChangedFile: literals are also found where lines of the files have changed, except
// for those in the function that got one more.
func TestAlignChangedFile(t *testing.T) {
	bases, heads := AlignLiterals([]*Profile{readLiterals(t, "go126")}, []*Profile{readLiterals(t, "edited.go127")})
	gone, fresh := missing(namesOf(bases[0]), namesOf(heads[0])), missing(namesOf(heads[0]), namesOf(bases[0]))
	const all = "example.com/literals/lib.All."
	if !slices.Equal(gone, []string{all + "All.func1.func12", all + "All.func2.func13"}) ||
		!slices.Equal(fresh, []string{all + "func1.func1", all + "func2.func1", all + "func3", all + "func3.func1"}) {
		t.Errorf("gone\n%s\nnew\n%s", strings.Join(gone, "\n"), strings.Join(fresh, "\n"))
	}
}

// TestAlignedStacks: each stack of one version is one of the other.
func TestAlignedStacks(t *testing.T) {
	base, head := readLiterals(t, "go126"), readLiterals(t, "go127")
	tree, err := NewDiffTree(base, head, TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	values := &tree.Values[0]
	for n := 1; n < tree.NumNodes(); n++ {
		name := tree.Frames[tree.Frame[n]].Name
		if strings.Contains(name, "literals/") && (values.Total[n] == 0 || values.BaseTotal[n] == 0) {
			t.Errorf("%s has %d, and had %d", name, values.Total[n], values.BaseTotal[n])
		}
	}
}

func TestRenamedLiterals(t *testing.T) {
	def := func(name, file string, line int64) Definition { return Definition{name, file, line} }
	for what, test := range map[string]struct {
		base, head []Definition
		want       map[string]string
	}{
		"the same names": {[]Definition{def("m.F.func1", "f.go", 3)}, []Definition{def("m.F.func1", "f.go", 8)}, nil},
		"two on a line": {
			[]Definition{def("m.All.F.func7", "f.go", 3), def("m.All.F.func8", "f.go", 3), def("main.main.F.func1", "f.go", 3), def("main.main.F.func2", "f.go", 3)},
			[]Definition{def("m.F.func1", "f.go", 3), def("m.F.func2", "f.go", 3)},
			map[string]string{"m.All.F.func7": "m.F.func1", "m.All.F.func8": "m.F.func2", "main.main.F.func1": "m.F.func1", "main.main.F.func2": "m.F.func2"}},
		"one of two on a line": {
			[]Definition{def("m.All.F.func8", "f.go", 3)}, []Definition{def("m.F.func1", "f.go", 3), def("m.F.func2", "f.go", 3)}, map[string]string{}},
		"renumbered": {
			[]Definition{def("m.All.F.func7", "f.go", 3)}, []Definition{def("m.All.F.func8", "f.go", 3)}, map[string]string{"m.All.F.func7": "m.All.F.func8"}},
		"another literal":  {[]Definition{def("m.F.func1", "f.go", 3)}, []Definition{def("m.F.func2", "f.go", 9)}, map[string]string{}},
		"another file":     {[]Definition{def("m.All.F.func7", "a/f.go", 3)}, []Definition{def("m.F.func1", "a/g.go", 3)}, map[string]string{}},
		"another receiver": {[]Definition{def("m.All.(*A).F.func7", "f.go", 3)}, []Definition{def("m.(*B).F.func1", "f.go", 9)}, map[string]string{}},
		"another folder":   {[]Definition{def("m.All.F.func7", "/a/f.go", 3)}, []Definition{def("m.F.func1", "/b/c/f.go", 3)}, map[string]string{"m.All.F.func7": "m.F.func1"}},
		"inlined in one more function": {
			[]Definition{def("m.F.func1", "f.go", 3)}, []Definition{def("m.F.func1", "f.go", 3), def("main.main.F.func2", "f.go", 3)},
			map[string]string{"main.main.F.func2": "m.F.func1"}},
		"type arguments": {
			[]Definition{def("m.All.F[go.shape.int].func7", "f.go", 3), def("m.All.F[a/b.T].func8", "f.go", 3)},
			[]Definition{def("m.F[go.shape.int].func1", "f.go", 3), def("m.F[a/b.T].func1", "f.go", 3)},
			map[string]string{"m.All.F[go.shape.int].func7": "m.F[go.shape.int].func1", "m.All.F[a/b.T].func8": "m.F[a/b.T].func1"}},
		"folded": {
			[]Definition{def("m.All.F.func7 via fmt.Sprint", "f.go", 3), def("m.All.F.func7 via os.Open", "f.go", 3)},
			[]Definition{def("m.F.func1 via fmt.Sprint", "f.go", 3)}, map[string]string{"m.All.F.func7 via fmt.Sprint": "m.F.func1 via fmt.Sprint"}},
		"functions with numbers": {[]Definition{def("m.Hash32", "f.go", 3), def("m.init.0", "f.go", 5)}, []Definition{def("m.Hash64", "f.go", 3), def("m.init.1", "f.go", 5)}, nil},
	} {
		got := RenamedLiterals(test.base, test.head)
		if (got == nil) != (test.want == nil) || len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", what, got, test.want)
		}
		for from, to := range test.want {
			if got[from] != to {
				t.Errorf("%s: %s is %q, want %q", what, from, got[from], to)
			}
		}
	}
}
