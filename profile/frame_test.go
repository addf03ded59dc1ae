package profile

import (
	"fmt"
	"testing"
)

// builtIn returns a profile of a program whose sources lay in a folder: main
// calls work, which has helper inlined, with a value of its own each.
func builtIn(folder string, startLine, main, work int64) *Profile {
	b := NewBuilder(ValueType{"samples", "count"})
	fn := func(name, file string, line int64) uint32 { return b.Function(name, name, folder+"/"+file, line) }
	mainFn, workFn, helper := fn("main.main", "main.go", 3), fn("main.work", "work.go", startLine), fn("main.helper", "work.go", 1)
	top := b.Location(1, 0, Line{Function: mainFn, Line: 5})
	leaf := b.Location(2, 0, Line{Function: helper, Line: 2}, Line{Function: workFn, Line: 21})
	b.Sample([]uint32{top}, nil, main)
	b.Sample([]uint32{leaf, top}, nil, work)
	return b.Profile()
}

func TestFramesMatchAcrossFolders(t *testing.T) {
	base, head := builtIn("/old", 20, 10, 90), builtIn("/new", 20, 10, 50)
	for _, tt := range []struct {
		granularity string
		want        string // name, total, base
	}{
		{"", "main.main 60 100\nmain.work 50 90\nmain.helper 50 90\n"},
		{"functions", "main.main 60 100\nmain.work 50 90\nmain.helper 50 90\n"},
		{"lines", "main.main main.go:5 60 100\nmain.work work.go:21 50 90\nmain.helper work.go:2 50 90\n"},
		{"filefunctions", "main.main 60 0\nmain.main 0 100\nmain.work 50 0\nmain.work 0 90\nmain.helper 50 0\nmain.helper 0 90\n"},
	} {
		tree, err := NewDiffTree(base, head, TreeOptions{Granularity: tt.granularity})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for n, f := range tree.Frame[1:] {
			got += fmt.Sprintln(tree.Frames[f].Label(), tree.Values[0].Total[n+1], tree.Values[0].BaseTotal[n+1])
		}
		if got != tt.want {
			t.Errorf("granularity %q: got\n%swant\n%s", tt.granularity, got, tt.want)
		}
	}
	for _, pivot := range []string{"main.work", "main.work /old/work.go", "main.work /new/work.go"} {
		if tree, err := NewDiffTree(base, head, TreeOptions{Pivot: pivot}); err != nil || tree.NumNodes() != 3 {
			t.Errorf("pivot %q: %v, %v", pivot, tree, err)
		}
	}
}

func TestFrameShowsHeaviestDefinition(t *testing.T) {
	frame := func(tree *Tree, err error) Frame {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range tree.Frames {
			if f.Name == "main.work" {
				return f
			}
		}
		t.Fatal("no main.work")
		return Frame{}
	}
	sum := func(ps ...*Profile) *Profile {
		t.Helper()
		p, err := Sum(t.Context(), ps...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	light, heavy, moved := builtIn("/light", 20, 500, 10), builtIn("/heavy", 30, 0, 90), builtIn("/light", 40, 0, 1)
	for _, tt := range []struct {
		what       string
		head, base *Profile
		want       Frame
	}{
		{"one", light, nil, Frame{Name: "main.work", File: "/light/work.go", Files: 1, StartLine: 20}},
		{"the heaviest", sum(light, heavy), nil, Frame{Name: "main.work", File: "/heavy/work.go", Files: 2, StartLine: 30}},
		{"in any order", sum(heavy, light, moved), nil, Frame{Name: "main.work", File: "/heavy/work.go", Files: 2, StartLine: 30}},
		{"a start line", sum(moved, light), nil, Frame{Name: "main.work", File: "/light/work.go", Files: 1, StartLine: 20}},
		{"of equals, always the same", sum(heavy, builtIn("/a", 1, 0, 90)), nil, Frame{Name: "main.work", File: "/a/work.go", Files: 2, StartLine: 1}},
		{"the head's", light, heavy, Frame{Name: "main.work", File: "/light/work.go", Files: 2, StartLine: 20}},
		{"the base's if the head has none", builtIn("/new", 1, 5, 0), sum(light, heavy), Frame{Name: "main.work", File: "/heavy/work.go", Files: 3, StartLine: 30}},
	} {
		for _, inverted := range []bool{false, true} {
			if got := frame(NewDiffTree(tt.base, tt.head, TreeOptions{Inverted: inverted})); got != tt.want {
				t.Errorf("%s: got %+v, want %+v", tt.what, got, tt.want)
			}
		}
	}
}

func TestFrameDefinitionsAreBounded(t *testing.T) {
	b := NewBuilder(ValueType{"samples", "count"})
	for i := range 100_000 {
		f := b.Function("main.f", "", fmt.Sprintf("/%d/f.go", i), 0)
		b.Sample([]uint32{b.Location(uint64(i), 0, Line{Function: f})}, nil, 1)
	}
	tree, err := NewTree(b.Profile(), TreeOptions{})
	if err != nil || tree.NumNodes() != 2 || tree.Values[0].Total[1] != 100_000 || tree.Frames[0].Files != maxDefinitions {
		t.Errorf("got %d nodes of %+v, %v", tree.NumNodes(), tree.Frames, err)
	}
}
