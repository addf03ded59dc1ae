package rules

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestOrder: what comes first, of programs where something else did. A comment at the end of a line has its
// parts of 100: "cpu 6 CALLEE…" and "bytes 44 CALLEE…", with a bar between. The comment at the top has the
// rules in the order wanted; other findings may follow.
func TestOrder(t *testing.T) {
	files, err := filepath.Glob("testdata/order/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	wanted := regexp.MustCompile(`(?m)^// order: (.*)$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, p := check(t, file, text)
		name := p.Fset.Position(f.FileStart).Filename
		report := advice.Examine(weighted(t, f, file, text), []*advice.Package{p}, func(frame *profile.Frame) string {
			if frame.File == name {
				return name
			}
			return ""
		}, advice.Options{Rules: All(), Likely: Likely})
		var got []string
		for _, f := range report.Shown() {
			got = append(got, f.Rule)
			t.Logf("%s line %d: %+v, likely %.2f", f.Rule, f.Line, f.Bound, f.Likely)
		}
		m := wanted.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s: no order is wanted", file)
		}
		if all := strings.Join(got, " "); !strings.HasPrefix(all+" ", string(m[1])+" ") {
			t.Errorf("%s: %s, want %s first", file, all, m[1])
		}
	}
}

var weightMark = regexp.MustCompile(`// ((?:cpu|bytes) \d+.*)$`)

// weighted makes profiles of the weights in a case. The rest of 100 is spent elsewhere.
func weighted(t *testing.T, f *ast.File, name string, text []byte) []advice.Input {
	t.Helper()
	const samples = 10 // per part of 100
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	mem := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	location := func(b *profile.Builder, fn, file string, start, line int) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(fn, fn, file, int64(start)), Line: int64(line)})
	}
	rest := map[string]int64{"cpu": 100, "bytes": 100}
	add := func(kind string, weight int64, callees []string, line int) {
		b := map[string]*profile.Builder{"cpu": cpu, "bytes": mem}[kind]
		var stack []uint32
		for _, callee := range callees {
			stack = append([]uint32{location(b, callee, callee+".go", 1, 1)}, stack...)
		}
		background := len(callees) > 0 && profile.CollectsGarbage(callees[0])
		if line > 0 && !background {
			fn, start := functionAt(f, line)
			stack = append(stack, location(b, "example.com/"+f.Name.Name+"."+fn, name, start, line), location(b, "testing.(*B).launch", "testing.go", 1, 1))
		}
		if kind == "cpu" {
			b.Sample(stack, nil, weight*samples, weight*samples*10e6)
		} else {
			b.Sample(stack, []profile.Label{{Key: b.String("bytes"), Numeric: true, Num: 64}}, weight*100, weight*6400)
		}
		rest[kind] -= weight
	}
	for i, line := range strings.Split(string(text), "\n") {
		m := weightMark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for part := range strings.SplitSeq(m[1], " | ") {
			words := strings.Fields(part)
			weight, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			add(words[0], weight, words[2:], i+1)
		}
	}
	for kind, left := range rest {
		add(kind, left, []string{"other.Work"}, 0)
	}
	return []advice.Input{{Profile: cpu.Profile(), Subject: "Case", Kind: "cpu"}, {Profile: mem.Profile(), Subject: "Case", Kind: "mem"}}
}
