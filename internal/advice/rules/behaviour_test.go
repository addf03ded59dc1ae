package rules

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/profile"
)

// TestBehaviour takes each line of the programs in testdata/behaviour for hot in every
// way that a rule looks for, does all rewrites of all rules, and runs what they were
// and what they have become: both have to print the same. Programs named hostile… do what
// rewrites of class B ask to be checked: there, class A alone is done.
func TestBehaviour(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	files, err := filepath.Glob("testdata/behaviour/*.go")
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t)
	done := make(map[string]bool)
	var imports, calls bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		fixed := rewriteAll(t, file, text, done)
		m.write("before/"+name+"/"+name+".go", text)
		m.write("after/"+name+"/"+name+".go", fixed)
		fmt.Fprintf(&imports, "before%[1]s %[2]q\nafter%[1]s %[3]q\n", name, "example.com/m/before/"+name, "example.com/m/after/"+name)
		fmt.Fprintf(&calls, "compare(%[1]q, before%[1]s.Run, after%[1]s.Run)\n", name)
	}
	m.write("main.go", fmt.Appendf(nil, `package main

import (
	"fmt"
	%s
)

func compare(name string, before, after func() string) {
	if b, a := before(), after(); b != a {
		fmt.Printf("%%s: was\n%%s\nis\n%%s\n", name, b, a)
	}
}

func main() {
	%s
}
`, imports.String(), calls.String()))
	if out, err := exec.Command(m.build()).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
		if kept := os.Getenv("HONE_KEEP"); kept != "" {
			os.CopyFS(kept, os.DirFS(m.dir))
		}
	}
	for _, r := range lineRules {
		if r.Class < advice.AdviceOnly && !done[r.ID] {
			t.Errorf("%s rewrites nothing in testdata/behaviour: add a function with its pattern, or see why it offers no rewrite there", r.ID)
		}
	}
}

// A module is a program of what rules rewrote, and what that was.
type module struct {
	t   *testing.T
	dir string
}

func newModule(t *testing.T) *module {
	m := &module{t, t.TempDir()}
	m.write("go.mod", []byte("module example.com/m\n\ngo 1.26\n"))
	return m
}

func (m *module) write(name string, text []byte) {
	m.t.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		m.t.Fatal(err)
	}
}

// build builds the program as it is by default, whatever flags go test was given.
func (m *module) build() (program string) {
	m.t.Helper()
	program = filepath.Join(m.dir, "program")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = m.dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// rewriteAll does what all rules offer, one rewrite after the other, from the first line
// to the last and then once more.
func rewriteAll(t *testing.T, file string, text []byte, done map[string]bool) []byte {
	rewrites := 0
	for range 2 {
		f, pkg := check(t, file, text)
		for line := 1; line <= bytes.Count(text, []byte("\n")); line++ {
			report := examinePackage(pkg, everywhere(f, file, text, line), lineRules...)
			hostile := strings.HasPrefix(filepath.Base(file), "hostile")
			i := slices.IndexFunc(report.Findings, func(f advice.Finding) bool { return f.Fix != nil && (f.Class == advice.Safe || !hostile) })
			if i < 0 {
				continue
			}
			found := report.Findings[i]
			text, done[found.Rule] = found.Fix.Files[0].After, true
			if testing.Verbose() {
				t.Logf("%s: %s\n%s", found.Rule, found.Class, found.Fix.Diff)
			}
			if rewrites++; rewrites == 300 {
				t.Fatalf("%s: rewriting never ends:\n%s", file, text)
			}
			f, pkg = check(t, file, text)
			line = max(0, line-10)
		}
	}
	return text
}

// everywhere makes profiles in which a line of a file is all of a benchmark, by itself
// and by each function that a rule with a rewrite looks for.
func everywhere(f *ast.File, name string, text []byte, line int) []advice.Input {
	fn, start := functionAt(f, line)
	if fn == "" {
		return nil
	}
	below := slices.Clone(lookedFor)
	source := bytes.Split(text, []byte("\n"))[line-1]
	for callee := range facts.PureCalls {
		if bytes.Contains(source, []byte(path.Base(callee))) {
			below = append(below, callee)
		}
	}
	for callee := range appenders {
		if _, method, _ := strings.Cut(path.Base(callee), "."); facts.PureCalls[callee] == "" && bytes.Contains(source, []byte("."+method+"(")) {
			below = append(below, symbolOf(callee))
		}
	}
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	heap := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	at := func(b *profile.Builder) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function("example.com/"+f.Name.Name+"."+fn, "", name, int64(start)), Line: int64(line)})
	}
	for _, callee := range below {
		leaf := cpu.Location(0, 0, profile.Line{Function: cpu.Function(callee, callee, callee+".go", 1), Line: 1})
		time := int64(100e6)
		if callee == "regexp.(*Regexp).MatchString" || callee == "fmt.Errorf" {
			time = 600e6 // their rules ask for a tenth of all
		}
		cpu.Sample([]uint32{leaf, at(cpu)}, nil, 10, time)
	}
	cpu.Sample([]uint32{at(cpu)}, nil, 50, 500e6)
	for _, size := range []int64{64, 128, 256, 512} {
		label := profile.Label{Key: heap.String("bytes"), Numeric: true, Num: size}
		heap.Sample([]uint32{at(heap)}, []profile.Label{label}, 100, 100*size)
	}
	return []advice.Input{{Profile: cpu.Profile(), Subject: "Line", Kind: "hot"}, {Profile: heap.Profile(), Subject: "Line", Kind: "alloc"}}
}
