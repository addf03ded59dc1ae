package profile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// naivePivot sums values by path below a pivot, slowly. Frames are those of
// naiveNames at the granularity, whose first word is the name.
func naivePivot(base, head *Profile, o TreeOptions, is func(string) bool) (total, self map[string][2]int64) {
	total, self = map[string][2]int64{}, map[string][2]int64{}
	for side, p := range []*Profile{head, base} {
		if p == nil {
			continue
		}
		for s := range p.Stacks {
			v, at := p.Values[o.Types[0]][s], side
			if v < 0 {
				v, at = -v, 1-side
			}
			names := naiveNames(p, s, o)
			outermost := slices.IndexFunc(names, is)
			if v == 0 || outermost < 0 {
				continue
			}
			if o.PivotCallers {
				names = names[:outermost+1]
				slices.Reverse(names)
			} else {
				names = names[outermost:]
			}
			add := func(m map[string][2]int64, path string) {
				sum := m[path]
				sum[at] += v
				m[path] = sum
			}
			path := ""
			add(total, path)
			for i, name := range names {
				if o.CollapseRecursion && i > 0 && names[i-1] == name {
					continue
				}
				path += "/" + name
				add(total, path)
			}
			add(self, path)
		}
	}
	return total, self
}

func TestPivotAgainstModel(t *testing.T) {
	hits := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		o := TreeOptions{
			Types:             []int{r.IntN(2)},
			Granularity:       []string{"", "functions", "filefunctions", "lines", "addresses"}[r.IntN(5)],
			Inverted:          r.IntN(2) == 0, // says nothing with a pivot
			PivotCallers:      r.IntN(2) == 0,
			CollapseRecursion: r.IntN(2) == 0,
			NoInlines:         r.IntN(2) == 0,
			Normalize:         r.IntN(2) == 0,
		}
		head := treeProfile(r, r.IntN(300), 1+r.IntN(12), 1+r.IntN(20), 8, seed%3 == 0)
		var base *Profile
		if r.IntN(2) == 0 {
			base = treeProfile(r, r.IntN(300), 1+r.IntN(12), 1+r.IntN(20), 8, false)
		}
		whole, err := NewDiffTree(base, head, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Frames) == 0 {
			continue
		}
		pivot := whole.Frames[r.IntN(len(whole.Frames))]
		o.Pivot = pivot.Name
		is := func(name string) bool {
			first, _, _ := cutName(name, o.Granularity)
			return first == pivot.Name
		}
		if o.Granularity == "lines" && pivot.Line != 0 && r.IntN(2) == 0 {
			o.Pivot = pivot.Label()
			is = func(name string) bool {
				_, file, line := cutName(name, o.Granularity)
				return naiveFrameLabel(name, file, line) == pivot.Label()
			}
		}
		tree, err := NewDiffTree(base, head, o)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree)
		total, self := naivePivot(base, head, o, is)
		if len(total) > 0 && len(total) != tree.NumNodes() {
			t.Fatalf("seed %d: %d nodes, want %d (%+v)", seed, tree.NumNodes(), len(total), o)
		}
		if tree.NumNodes() > 1 {
			hits++
		}
		if tree.Inverted != o.PivotCallers {
			t.Errorf("seed %d: inverted: %v", seed, tree.Inverted)
		}
		v := &tree.Values[0]
		if v.BaseScale != whole.Values[0].BaseScale {
			t.Errorf("seed %d: base scale %g, of the whole tree %g", seed, v.BaseScale, whole.Values[0].BaseScale)
		}
		checkValues(t, seed, tree, o, total, self)
		checkFolding(t, r, tree, base, head, o)
	}
	if hits < 100 {
		t.Errorf("only %d trees have nodes", hits)
	}
}

// cutName takes a name of naiveNames apart.
func cutName(s, granularity string) (name, file, line string) {
	if granularity == "functions" || s == "[app]" {
		return s, "", ""
	}
	if granularity == "addresses" {
		if n, _ := fmt.Sscanf(s, "0x%x", new(uint64)); n == 1 {
			return s, "", ""
		}
	}
	fmt.Sscan(s, &name, &file)
	for i := range file {
		if file[i] == ':' {
			return name, file[:i], file[i+1:]
		}
	}
	return name, file, ""
}

func naiveFrameLabel(name, file, line string) string {
	first, _, _ := cutName(name, "lines")
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' {
			file = file[i+1:]
			break
		}
	}
	if line == "" || line == "0" {
		return first
	}
	return first + " " + file + ":" + line
}

func TestPivotUnknown(t *testing.T) {
	p := parseFoldedString(t, "a;b 50\na;c 3\n")
	for _, callers := range []bool{false, true} {
		tree, err := NewTree(p, TreeOptions{Pivot: "nothing", PivotCallers: callers})
		if err != nil || tree.NumNodes() != 1 || tree.Values[0].Total[0] != 0 || len(tree.Frames) != 0 || tree.Height() != 0 {
			t.Errorf("callers %v: got %+v, %v; want an empty tree", callers, tree, err)
		}
	}
}

func TestPivotCountsOnce(t *testing.T) {
	p := parseFoldedString(t, "m;f;g;f;h 5\nm;f 2\nm;g 90\nx;f;g 1\n")
	for _, tt := range []struct {
		callers bool
		want    string
	}{
		{false, "/f 8 2\n/f/g 6 1\n/f/g/f 5 0\n/f/g/f/h 5 5\n"},
		{true, "/f 8 0\n/f/m 7 7\n/f/x 1 1\n"},
	} {
		tree, err := NewTree(p, TreeOptions{Pivot: "f", PivotCallers: tt.callers})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for n, path := range paths(tree, "functions")[1:] {
			got += fmt.Sprintln(path, tree.Values[0].Total[n+1], tree.Values[0].Self[n+1])
		}
		if got != tt.want || tree.Values[0].Total[0] != 8 {
			t.Errorf("callers %v: got\n%swant\n%s", tt.callers, got, tt.want)
		}
	}
}

func TestFrameLabel(t *testing.T) {
	for _, tt := range []struct {
		f    Frame
		want string
	}{
		{Frame{Name: "main.f", File: "/a/f.go"}, "main.f"},
		{Frame{Name: "main.f", File: "/a/f.go", Line: 12}, "main.f f.go:12"},
		{Frame{Name: "main.f", File: "/a/f.go", Line: 12, Address: 0x47}, "main.f f.go:12 0x47"},
		{Frame{Name: "0x47 [libc.so]", Address: 0x47}, "0x47 [libc.so]"},
	} {
		if got := tt.f.Label(); got != tt.want {
			t.Errorf("%+v: label %q, want %q", tt.f, got, tt.want)
		}
		for _, name := range []string{tt.f.Name, tt.want} {
			if !tt.f.isCalled(name) {
				t.Errorf("%+v isn't called %q", tt.f, name)
			}
		}
		if tt.f.isCalled("main") || tt.f.isCalled("") {
			t.Errorf("%+v has too many names", tt.f)
		}
	}
	f := Frame{Name: "main.f", File: "/a/f.go", Line: 12, Address: 0x47}
	for _, name := range []string{"main.f /a/f.go", "main.f /a/f.go:12", "0000000000000047 main.f /a/f.go:12"} { // as tables print it
		if !f.isCalled(name) {
			t.Errorf("%+v isn't called %q", f, name)
		}
	}
	if f := (Frame{Name: "a\xffb"}); !f.isCalled("a\uFFFDb") {
		t.Error("a name that isn't UTF-8 is not found by what JSON makes of it")
	}
}
