package rules

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/codetest"
	"github.com/hone-go/hone/profile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The packages that cases import are read once, and without cgo, which takes a C
// compiler.
func init() { build.Default.CgoEnabled = false }

var (
	fset     = token.NewFileSet()
	imported = importer.ForCompiler(fset, "source", nil)
)

// TestRules runs each rule on its cases: what it has to find, and what it must not. Rules
// about programs as a whole have theirs in internal/advice, where profiles are.
func TestRules(t *testing.T) {
	found, silent := 0, 0
	for _, r := range lineRules {
		t.Run(r.ID, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("testdata", r.ID, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			positive, negative := 0, 0
			for _, file := range files {
				if strings.Contains(filepath.Base(file), "+") {
					continue // another file of a case's package
				}
				t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
					if testRule(t, r, file) {
						positive++
					} else {
						negative++
					}
				})
			}
			if positive == 0 || negative == 0 {
				t.Errorf("%d cases with the pattern and %d look-alikes: want at least one of each", positive, negative)
			}
			found, silent = found+positive, silent+negative
		})
	}
	t.Logf("%d programs with a pattern and %d that look like one, of %d rules", found, silent, len(lineRules))
}

func testRule(t *testing.T, r *advice.Rule, file string) (positive bool) {
	texts := textsOf(t, file)
	text := texts[file]
	report := examine(t, r, file, texts)
	wants := readWants(t, text)
	for _, f := range report.Findings {
		i := slices.IndexFunc(wants, func(w want) bool {
			return w.line == f.Line && w.class == f.Class.String() && w.in(f.Title+" "+f.Why)
		})
		if i < 0 {
			t.Errorf("%s:%d: unexpected: %s %s: %s %v", file, f.Line, f.Class, f.Title, f.Why, f.Caveats)
			continue
		}
		wants = slices.Delete(wants, i, i+1)
	}
	for _, w := range wants {
		t.Errorf("%s:%d: no finding of class %s with %q", file, w.line, w.class, w.text)
	}
	rewrites := 0
	for ; rewrites < 30; rewrites++ {
		i := slices.IndexFunc(report.Findings, func(f advice.Finding) bool { return f.Fix != nil })
		if i < 0 {
			break
		}
		for _, c := range report.Findings[i].Fix.Files {
			if c.New {
				checkAdded(t, c.File, c.After)
				continue
			}
			texts[c.File] = c.After
		}
		report = examine(t, r, file, texts)
	}
	if rewrites == 30 {
		t.Fatalf("%s: rewriting never ends:\n%s", file, texts[file])
	}
	for name, was := range textsOf(t, file) {
		checkGolden(t, name, texts[name], rewrites > 0 && (name == file || !bytes.Equal(texts[name], was)))
	}
	return wantsAny(text)
}

// textsOf reads the files of a case: NAME.go and, of the same package, NAME+MORE.go.
func textsOf(t *testing.T, file string) map[string][]byte {
	t.Helper()
	more, err := filepath.Glob(strings.TrimSuffix(file, ".go") + "+*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string][]byte)
	for _, name := range append(more, file) {
		if texts[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// checkGolden compares a file after all rewrites with its golden file, which exists only if the file changes.
func checkGolden(t *testing.T, name string, text []byte, changes bool) {
	t.Helper()
	golden := name + ".golden"
	if *update {
		os.Remove(golden)
		if changes {
			if err := os.WriteFile(golden, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := os.ReadFile(golden)
	if !changes && os.IsNotExist(err) {
		return
	}
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("%s: %v; the rewrite is\n%s", golden, err, text)
	}
}

// checkAdded checks that a file that a rewrite adds parses, and compares it with its golden file, if that
// exists.
func checkAdded(t *testing.T, name string, text []byte) {
	t.Helper()
	if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
		t.Error(err)
	}
	golden := name + ".golden"
	want, err := os.ReadFile(golden)
	if os.IsNotExist(err) {
		return
	}
	if *update && err == nil {
		err = os.WriteFile(golden, text, 0o666)
		want = text
	}
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("%s: %v; the file is\n%s", golden, err, text)
	}
}

func wantsAny(text []byte) bool { return wantLine.Match(text) }

// A want is a finding that a case asks for.
type want struct {
	line        int
	class, text string
}

// in reports whether what a finding says has the text wanted, or ends with it where "(end)" is behind.
func (w want) in(said string) bool {
	if end, ok := strings.CutSuffix(w.text, " (end)"); ok {
		return strings.HasSuffix(said, end)
	}
	return strings.Contains(said, w.text)
}

var (
	wantLine = regexp.MustCompile(`(?m)^\s*// want ([ABC]|look)(?:: (.*))?$`)
	hotMark  = regexp.MustCompile(`// (hot|alloc|live|mutex|block)(?:: (.*))?$`)
)

func readWants(t *testing.T, text []byte) []want {
	var wants []want
	for i, line := range strings.Split(string(text), "\n") {
		if m := wantLine.FindStringSubmatch(line); m != nil {
			wants = append(wants, want{i + 2, m[1], m[2]})
		} else if strings.Contains(line, "// want") {
			t.Errorf("line %d: %q is no want", i+1, line)
		}
	}
	return wants
}

// said is what a case has the compiler say, of the lines after the comments.
func said(name string, text []byte) (advice.Diagnostics, advice.Decisions) {
	d, decided := make(advice.Diagnostics), make(advice.Decisions)
	d.MarkCompiled(name)
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		messages, ok := strings.CutPrefix(strings.TrimSpace(line), "// says: ")
		if !ok {
			continue
		}
		for i++; strings.HasPrefix(strings.TrimSpace(lines[i]), "// "); i++ {
		}
		for m := range strings.SplitSeq(messages, " | ") {
			if why, ok := strings.CutPrefix(m, "cannot inline: "); ok {
				decided.Add(name, i+1, advice.Decision{Kind: advice.FunctionNotInlined, Text: why})
				continue
			}
			if m == "index checked" {
				decided.Add(name, i+1, advice.Decision{Kind: advice.IndexChecked})
				continue
			}
			d.Add(name, i+1, m)
		}
	}
	return d, decided
}

// examine checks the types of a case, makes profiles of its marks, and has the rule
// look at them.
func examine(t *testing.T, r *advice.Rule, name string, texts map[string][]byte) *advice.Report {
	t.Helper()
	f, p := checkAll(t, name, texts)
	return examinePackage(p, marked(t, f, name, texts[name]), r)
}

// check checks the types of a package of one file.
func check(t *testing.T, name string, text []byte) (*ast.File, *advice.Package) {
	t.Helper()
	return checkAll(t, name, map[string][]byte{name: text})
}

// checkAll checks the types of a package, whose first file is one of some name.
func checkAll(t *testing.T, name string, texts map[string][]byte) (*ast.File, *advice.Package) {
	t.Helper()
	names := slices.Sorted(maps.Keys(texts))
	names = append([]string{name}, slices.DeleteFunc(names, func(n string) bool { return n == name })...)
	var files []*ast.File
	for _, n := range names {
		f, err := parser.ParseFile(fset, n, texts[n], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, texts[n])
		}
		files = append(files, f)
	}
	f := files[0]
	p, err := codetest.Check("example.com/"+f.Name.Name, types.Config{Importer: imported, GoVersion: installed()}, fset, texts, files...)
	if err != nil {
		t.Fatalf("%v\n%s", err, texts[name])
	}
	p.Sizes = types.SizesFor("gc", runtime.GOARCH)
	of := &advice.Package{GOROOT: build.Default.GOROOT, Package: p}
	of.Say(said(name, texts[name]))
	return f, of
}

// installed is the version of Go, as in "go1.26".
func installed() string { return strings.Join(strings.Split(runtime.Version(), ".")[:2], ".") }

// examinePackage has rules look at the first file of a package.
func examinePackage(p *advice.Package, inputs []advice.Input, rules ...*advice.Rule) *advice.Report {
	name := p.Fset.Position(p.Files[0].FileStart).Filename
	locate := func(frame *profile.Frame) string {
		if frame.File == name {
			return name
		}
		return ""
	}
	return advice.Examine(inputs, []*advice.Package{p}, locate, advice.Options{Rules: rules})
}

// marked makes profiles of the marks in a case: of each, a tenth of the total. A bar is between the callees of
// several samples. Behind "from" are the lines of callers, the nearest first.
func marked(t *testing.T, f *ast.File, name string, text []byte) []advice.Input {
	builders := map[string]*profile.Builder{
		"hot":   profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}),
		"alloc": profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"}),
		"live":  profile.NewBuilder(profile.ValueType{Type: "inuse_objects", Unit: "count"}, profile.ValueType{Type: "inuse_space", Unit: "bytes"}),
		"mutex": profile.NewBuilder(profile.ValueType{Type: "contentions", Unit: "count"}, profile.ValueType{Type: "delay", Unit: "nanoseconds"}),
		"block": profile.NewBuilder(profile.ValueType{Type: "contentions", Unit: "count"}, profile.ValueType{Type: "delay", Unit: "nanoseconds"}),
	}
	marks := make(map[string]bool)
	location := func(b *profile.Builder, fn, file string, start, line int) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(fn, fn, file, int64(start)), Line: int64(line)})
	}
	for i, line := range strings.Split(string(text), "\n") {
		m := hotMark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		b := builders[m[1]]
		marks[m[1]] = true
		fn, start := functionAt(f, i+1)
		for chain := range strings.SplitSeq(m[2], " | ") {
			sizes := []int64{64}
			var stack []uint32
			var own []int64 // sizes of blocks that the line itself allocates, beside its callees
			into := &sizes
			chain, above, _ := strings.Cut(" "+chain, " from ")
			for _, callee := range strings.Fields(chain) {
				if callee == "only" { // the sizes that follow
					sizes = nil
					continue
				}
				if callee == "here" { // its own follow
					into = &own
					continue
				}
				if n, err := strconv.ParseInt(callee, 10, 64); err == nil { // sizes of blocks
					*into = append(*into, n)
					continue
				}
				stack = append([]uint32{location(b, callee, callee+".go", 1, 1)}, stack...)
			}
			stack = append(stack, location(b, "example.com/"+f.Name.Name+"."+fn, name, start, i+1))
			for _, line := range strings.Fields(above) { // of callers
				at, err := strconv.Atoi(line)
				if err != nil {
					t.Fatal(err)
				}
				fn, start := functionAt(f, at)
				stack = append(stack, location(b, "example.com/"+f.Name.Name+"."+fn, name, start, at))
			}
			for _, size := range sizes {
				label := profile.Label{Key: b.String("bytes"), Numeric: true, Num: size}
				if m[1] == "live" {
					b.Sample(stack, []profile.Label{label}, 100e6/size, 100e6)
					continue
				}
				if m[1] != "alloc" {
					// Of waiting a number is how often somebody waited.
					b.Sample(stack, nil, max(10, sizes[len(sizes)-1]-64), 100e6)
					break
				}
				b.Sample(stack, []profile.Label{label}, 100, 100*size)
			}
			for _, size := range own {
				b.Sample(stack[len(stack)-1:], []profile.Label{{Key: b.String("bytes"), Numeric: true, Num: size}}, 100, 100*size)
			}
		}
	}
	var inputs []advice.Input
	for kind, b := range builders {
		if kind != "hot" && !marks[kind] || kind == "hot" && strings.Contains(string(text), "// No CPU profile.") {
			continue // nothing is known of it
		}
		// What else there is allocates, too.
		b.Sample([]uint32{location(b, "runtime.mallocgc", "malloc.go", 1, 1), location(b, "other.Work", "other.go", 1, 1)}, nil, 10, 500e6)
		inputs = append(inputs, advice.Input{Profile: b.Profile(), Subject: "Case", Kind: kind})
	}
	return inputs
}

// functionAt names the innermost function at a line, and says where it begins. Of a
// literal that begins on the line it is the function around.
func functionAt(f *ast.File, line int) (name string, start int) {
	at := func(pos token.Pos) int { return fset.Position(pos).Line }
	literals := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || at(n.Pos()) > line || at(n.End()) < line {
			return n != nil && at(n.Pos()) <= line && at(n.End()) >= line
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			name, start = n.Name.Name, at(n.Type.Func)
			if n.Recv != nil {
				name = fmt.Sprintf("(%s).%s", types.ExprString(n.Recv.List[0].Type), name)
			}
		case *ast.FuncLit:
			literals++
			if at(n.Pos()) == line {
				return false
			}
			if name == "" {
				name = "init"
			}
			name, start = fmt.Sprintf("%s.func%d", name, literals), at(n.Pos())
		}
		return true
	})
	return name, start
}
