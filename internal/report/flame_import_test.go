package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestExportsOpen writes a profile for other viewers, and opens the files: each
// stack has to have the same value in each sample type.
func TestExportsOpen(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"},
		profile.ValueType{Type: "delay", Unit: "nanoseconds"}, profile.ValueType{Type: "energy", Unit: "joules"})
	at := func(name string, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, name+".go", 1), Line: line})
	}
	main, f, g := at("main.main", 3), at(`main."f"\`, 4), at("g<é>\u2028", 5)
	b.Sample([]uint32{f, main}, nil, 3, 4096, 1500, 7)
	b.Sample([]uint32{g, f, main}, nil, 0, 1, 2, 0)
	b.Sample([]uint32{main}, nil, 5, 0, 1, 1)
	p := b.Profile()

	values := func(p *profile.Profile) string {
		var out []string
		for i, st := range p.SampleTypes {
			tree, err := profile.NewTree(p, profile.TreeOptions{Types: []int{i}})
			if err != nil {
				t.Fatal(err)
			}
			var folded strings.Builder
			if err := Folded(&folded, tree, 0); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(folded.String()), "\n")
			slices.Sort(lines)
			out = append(out, fmt.Sprintf("%s/%s\n%s", st.Type, st.Unit, strings.Join(lines, "\n")))
		}
		return strings.Join(out, "\n")
	}
	want := values(p)
	tree, err := profile.NewTree(p, profile.TreeOptions{Types: []int{0, 1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"pprof":      p.Encode,
		"speedscope": func(w io.Writer) error { return Speedscope(w, tree, FlameOptions{Column: 1}) },
		"firefox":    func(w io.Writer) error { return FirefoxProfile(w, tree, FlameOptions{Column: 1}) },
	} {
		var file bytes.Buffer
		if err := write(&file); err != nil {
			t.Fatal(err)
		}
		q, err := profile.DecodeBytes(file.Bytes(), profile.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := values(q); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}
