package advice

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestCallers: a line's callers are the user's own, most first, without tests and those
// that hardly ever call.
func TestCallers(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name string, line int64) uint32 {
		file := "/std/x.go"
		if pkg, _, _ := strings.Cut(name, "."); pkg == "p" {
			file = "/p/" + strings.TrimPrefix(name, "p.") + ".go"
		} else if pkg == "p_test" {
			file = "/p/p_test.go"
		}
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, 1), Line: line})
	}
	helper, walk := at("p.helper", 5), at("slices.Walk", 9)
	b.Sample([]uint32{at("runtime.mallocgc", 1), helper, walk, at("p.(*T).Many", 7)}, nil, 6, 60)
	b.Sample([]uint32{helper, at("p.some.func1", 8)}, nil, 3, 30)
	b.Sample([]uint32{helper, at("p_test.Benchmark", 2)}, nil, 9, 90)
	b.Sample([]uint32{helper, at("p.seldom", 3)}, nil, 1, 1)
	b.Sample([]uint32{at("other.Work", 3), at("p.seldom", 4)}, nil, 100, 1000)
	c := collectAll([]Input{{Profile: b.Profile(), Subject: "S"}}, func(f *profile.Frame) string {
		return strings.TrimPrefix(f.File, "/std/x.go")
	})
	var text []string
	for _, h := range c.lines {
		if h.function != "p.helper" {
			continue
		}
		e, _ := c.describe(h, h.match(about{}), 2, 0)
		for _, c := range e.Callers {
			text = append(text, fmt.Sprintf("%s:%d %.2f", c.Function, c.Line, c.Share))
		}
		text = append(text, callersText(e.Callers, "/p", 9))
		costs := Costs{h, &c.evidence}
		for call, want := range map[string]bool{"Many /p/(*T).Many.go 7": true, "some /p/some.func1.go 8": true, "some /p/other.go 8": false, "Many /p/(*T).Many.go 6": false, "other /p/(*T).Many.go 7": false} {
			parts := strings.Fields(call)
			line, _ := strconv.Atoi(parts[2])
			at := token.Position{Filename: parts[1], Line: line}
			if got := costs.CalledFrom(parts[0], at); got != want {
				t.Errorf("called from %s: %v", call, got)
			}
		}
		if !costs.Ran(token.Position{Filename: "/p/seldom.go", Line: 4}) || costs.Ran(token.Position{Filename: "/p/seldom.go", Line: 5}) {
			t.Error("lines that ran are not those of the profile")
		}
	}
	const want = "T.Many:7 0.33; some:8 0.17; T.Many ((*T).Many.go:7, 33 %), some (some.func1.go:8, 17 %)"
	if got := strings.Join(text, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPassedOn: above a line that is for the call alone stands who wanted it, but not above
// one that does something else, and not on and on.
func TestPassedOn(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	at := func(name string, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function("p."+name, "p."+name, "/p/x.go", 1), Line: line})
	}
	made, wrapped := at("New", 1), at("toBits", 2)
	b.Sample([]uint32{made, wrapped, at("AndNot", 3), at("Sub", 4), at("run", 5)}, nil, 8, 800)
	b.Sample([]uint32{made, wrapped, at("Or", 6)}, nil, 2, 200)
	b.Sample([]uint32{at("New", 10), wrapped, at("Or", 6)}, nil, 9, 900) // another line of it
	b.Sample([]uint32{made, at("Mixed", 7), at("run", 8)}, nil, 5, 500)
	b.Sample([]uint32{at("other", 9), at("Mixed", 7), at("run", 8)}, nil, 5, 500)
	c := collectAll([]Input{{Profile: b.Profile(), Subject: "S"}}, func(f *profile.Frame) string { return f.File })
	h := c.lines[place{file: "/p/x.go", function: "p.New", startLine: 1, line: 1}]
	e, _ := c.describe(h, h.match(about{}), 2, 0)
	for most, want := range map[int]string{
		9:               "toBits (x.go:2, 67 %, for Or (x.go:6, 58 %), AndNot (x.go:3, 42 %, for Sub (x.go:4))), Mixed (x.go:7, 33 %)",
		maxNamedCallers: "toBits (x.go:2, 67 %, for Or (x.go:6, 58 %))",
		1:               "toBits (x.go:2, 67 %)",
	} {
		if got := callersText(e.Callers, "/p", most); got != want {
			t.Errorf("up to %d: %s, want %s", most, got, want)
		}
	}
}

// collectAll collects the details of all lines.
func collectAll(inputs []Input, locate func(*profile.Frame) string) *collector {
	c := collect(inputs, locate)
	var dirs []string
	for at := range c.lines {
		dirs = append(dirs, filepath.Dir(at.file))
	}
	c.details(inputs, slices.Collect(maps.Values(c.lines)), dirs)
	return c
}
