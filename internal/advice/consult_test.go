package advice

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/profile"
)

// hotModule is a module whose packages each have a hot line, and a profile of it. d uses a through c, which isn't hot.
func hotModule(t *testing.T) (dir string, in Input) {
	t.Helper()
	dir = gittest.Folder(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"a/a.go": "package a\n\n// Box keeps a number.\nfunc Box(n int) *int {\n\treturn &n\n}\n",
		"b/b.go": "package b\n\nfunc Box(n int) *int {\n\treturn &n\n}\n",
		"c/c.go": "package c\n\nimport \"example.com/m/a\"\n\nfunc Box(n int) *int { return a.Box(n) }\n",
		"d/d.go": "package d\n\nimport \"example.com/m/c\"\n\nfunc Box(n int) *int {\n\treturn c.Box(n)\n}\n",
	})
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for name, line := range map[string]int64{"a": 5, "b": 4, "d": 6} {
		fn := b.Function("example.com/m/"+name+".Box", "", filepath.Join(dir, name, name+".go"), line-1)
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: fn, Line: line})}, nil, 100, 1e9)
	}
	return dir, Input{Profile: b.Profile()}
}

// boxes is a rule about a package, which asks what the compiler says, or finds something without asking.
func boxes(pkg string, asks bool) *Rule {
	return &Rule{ID: "boxes", Title: "boxes", Class: AdviceOnly, Match: func(s *Site) []Match {
		if s.Package.Path != "example.com/m/"+pkg || asks && !s.In.Diagnostics().Compiled(s.hot.file) {
			return nil
		}
		return []Match{{Node: s.Nodes()[0].Node()}}
	}}
}

// Packages are compiled only if a rule finds something in them or asks what the compiler says, and with them those that use them.
func TestConsult(t *testing.T) {
	dir, in := hotModule(t)
	for _, c := range []struct {
		rule     *Rule
		compiled string
	}{
		{boxes("b", false), "compiling 1 package"},
		{boxes("b", true), "compiling 1 package"},
		{boxes("a", true), "compiling 2 packages"},
		{boxes("c", true), ""},
	} {
		var stages []string
		report, err := Advise(t.Context(), []Input{in}, Options{Dir: dir, Rules: []*Rule{c.rule}, Compiler: true, Stage: func(s string) { stages = append(stages, s) }})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(stages, func(s string) bool { return strings.HasPrefix(s, "compiling") })
		if c.compiled == "" {
			if i >= 0 || len(report.Findings) > 0 {
				t.Errorf("nothing is asked: stages %q, %d findings", stages, len(report.Findings))
			}
			continue
		}
		if i < 0 || stages[i] != c.compiled {
			t.Errorf("stages %q, want %s", stages, c.compiled)
		}
		if len(report.Findings) != 1 {
			t.Errorf("findings %+v", report.Findings)
		}
	}
}

// memory is what is kept in memory.
type memory map[string][]byte

func (m memory) Read(_ context.Context, key string) []byte { return m[key] }
func (m memory) Write(key string, text []byte)             { m[key] = text }

// What the compiler said is kept until the package changes, or what it imports.
func TestKept(t *testing.T) {
	dir, in := hotModule(t)
	kept := make(memory)
	advise := func() (compiled string, report []byte) {
		t.Helper()
		r, err := Advise(t.Context(), []Input{in}, Options{Dir: dir, Rules: []*Rule{boxes("a", true)}, Compiler: true, Kept: kept, Stage: func(s string) {
			if n, ok := strings.CutPrefix(s, "compiling "); ok && compiled == "" {
				compiled = n
			}
		}})
		if err != nil || len(r.Findings) != 1 {
			t.Fatalf("%v, report %+v", err, r)
		}
		report, err = json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return compiled, report
	}
	change := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, first := advise()
	for _, c := range []struct {
		what, compiled string
		change         func()
	}{
		{"nothing", "", func() {}},
		{"a comment of the importer", "1 package", func() {
			change("d/d.go", "package d\n\nimport \"example.com/m/c\"\n\nfunc Box(n int) *int {\n\treturn c.Box(n) // boxed\n}\n")
		}},
		{"the package", "2 packages", func() {
			change("a/a.go", "package a\n\n// Box keeps it.\nfunc Box(n int) *int {\n\treturn &n\n}\n\nvar X = 1\n")
		}},
		{"files that were cut off", "2 packages", func() {
			for key, text := range kept {
				kept[key] = text[:len(text)/2]
			}
		}},
		{"files of another program", "2 packages", func() {
			for key := range kept {
				kept[key] = []byte("{}")
			}
		}},
		{"all that is kept", "2 packages", func() { clear(kept) }},
		{"nothing, at the end", "", func() {}},
	} {
		c.change()
		compiled, report := advise()
		if compiled != c.compiled {
			t.Errorf("after a change of %s, compiled %q, want %q", c.what, compiled, c.compiled)
		}
		if !bytes.Equal(report, first) {
			t.Errorf("after a change of %s:\n%s\nbefore:\n%s", c.what, report, first)
		}
	}
}
