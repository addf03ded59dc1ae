package rules

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/codetest"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/profile"
)

// A rewritten function is one that a rule had something for.
type rewritten struct {
	*function
	class advice.Class // the worst of all rewrites
	whys  []string
	text  string // what it has become
}

// A difference is a call that gave something else after the rewrite.
type difference struct {
	rewritten
	seed     uint64
	kinds    []string // result, panic, calls, state, or how it failed altogether
	old, new trace
}

type trace struct{ Inputs, Result, Panic, Calls, State string }

// prelude is what generated functions use, read and parsed once.
type prelude struct {
	text, harness, main []byte
	syntax              *ast.File
}

const preludeFile = "testdata/rewrites/prelude.go"

func readPrelude(t *testing.T) *prelude {
	var p prelude
	for name, to := range map[string]*[]byte{"prelude.go": &p.text, "harness.go": &p.harness, "main.go": &p.main} {
		text, err := os.ReadFile(filepath.Join("testdata/rewrites", name))
		if err != nil {
			t.Fatal(err)
		}
		*to = text
	}
	var err error
	if p.syntax, err = parser.ParseFile(fset, preludeFile, p.text, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return &p
}

// load checks the types of a function's file, beside the prelude.
func (p *prelude) load(name, text string) (*ast.File, *advice.Package, error) {
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	config := types.Config{Importer: importOnce, GoVersion: installed()}
	checked, err := codetest.Check("example.com/p", config, fset, map[string][]byte{name: []byte(text), preludeFile: p.text}, f, p.syntax)
	if err != nil {
		return nil, nil, err
	}
	checked.Sizes = types.SizesFor("gc", runtime.GOARCH)
	said := make(advice.Diagnostics)
	said.MarkCompiled(name)
	lines := strings.Split(text, "\n")
	stays := func(line int) bool { return strings.HasSuffix(lines[line-1], "// stays") } // what it allocates is dead afterwards
	for line := range strings.Count(text, "\n") {
		if !stays(line + 1) {
			said.Add(name, line+1, "make(T) escapes to heap")
		}
	}
	for id, obj := range checked.Info.Defs {
		if _, ok := obj.(*types.Var); ok && fset.File(id.Pos()) == fset.File(f.FileStart) && !stays(fset.Position(id.Pos()).Line) {
			said.Add(name, fset.Position(id.Pos()).Line, id.Name+" escapes to heap")
		}
	}
	of := &advice.Package{Package: checked}
	of.Say(said, nil)
	return f, of, nil
}

// importOnce asks for each package once: to ask again means to read its folder again.
var importOnce = onceImporter{}

type onceImporter map[string]*types.Package

func (known onceImporter) Import(path string) (*types.Package, error) {
	if p := known[path]; p != nil {
		return p, nil
	}
	p, err := imported.Import(path)
	if err == nil {
		known[path] = p
	}
	return p, err
}

var errNoFunction = errors.New("the generated function has errors")

// rewrite does all that a rule offers for a function, one after the other, as hone fix does
// it. A rewrite whose result doesn't compile is an error; nil says that there is none.
func (p *prelude) rewrite(rule *advice.Rule, fn *function) (*rewritten, error) {
	// In a folder that doesn't exist: a rule that asks for names reads all files beside a function's.
	name := fmt.Sprintf("generated/f%d.go", fn.number)
	done := &rewritten{function: fn, text: fn.source, class: advice.Safe}
	for round := range 4 {
		f, pkg, err := p.load(name, done.text)
		switch {
		case err != nil && round == 0:
			return nil, fmt.Errorf("%w: %v", errNoFunction, err)
		case err != nil:
			return done, err
		}
		var inputs []advice.Input
		hot := f.Decls[len(f.Decls)-1]
		if calleeIsHot[rule.ID] {
			hot = f.Decls[slices.IndexFunc(f.Decls, func(d ast.Decl) bool { _, ok := d.(*ast.FuncDecl); return ok })]
		}
		first, last := fset.Position(hot.Pos()).Line, strings.Count(done.text, "\n")
		for line := first; line < last; line++ {
			inputs = append(inputs, hotLine(rule, f, name, line)...)
		}
		locate := func(frame *profile.Frame) string {
			if frame.File == name {
				return name
			}
			return ""
		}
		report := advice.Examine(inputs, []*advice.Package{pkg}, locate, advice.Options{Rules: []*advice.Rule{rule}})
		fset.RemoveFile(fset.File(f.FileStart))
		found := false
		for _, finding := range report.Findings {
			if finding.Fix == nil {
				continue
			}
			found = true
			done.text, done.class = string(finding.Fix.Files[0].After), max(done.class, finding.Class)
			done.whys = append(done.whys, finding.Why)
			break
		}
		switch {
		case !found && round == 0:
			return nil, nil
		case !found:
			return done, nil
		}
	}
	// All of them have to compile, also the last one.
	f, _, err := p.load(name, done.text)
	if err != nil {
		return done, err
	}
	fset.RemoveFile(fset.File(f.FileStart))
	return done, nil
}

// hotLine makes profiles in which a line is all of a benchmark: on its own, and by what the
// rule looks for below it.
func hotLine(rule *advice.Rule, f *ast.File, name string, line int) []advice.Input {
	fn, start := functionAt(f, line)
	if fn == "" {
		return nil
	}
	cpu := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	heap := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	at := func(b *profile.Builder) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function("example.com/p."+fn, "", name, int64(start)), Line: int64(line)})
	}
	for _, callee := range slices.Concat(lookedFor, pureSymbols(), appenderFrames()) {
		if rule.Frames == nil || !rule.Frames.MatchString(callee) && callee != "reflect.unsafe_New" {
			continue
		}
		leaf := cpu.Location(0, 0, profile.Line{Function: cpu.Function(callee, callee, callee+".go", 1), Line: 1})
		cpu.Sample([]uint32{leaf, at(cpu)}, nil, 10, 100e6)
	}
	cpu.Sample([]uint32{at(cpu)}, nil, 50, 500e6)
	for _, size := range []int64{64, 128, 192, 256} {
		label := profile.Label{Key: heap.String("bytes"), Numeric: true, Num: size}
		heap.Sample([]uint32{at(heap)}, []profile.Label{label}, 100, 100*size)
	}
	subject := fmt.Sprint("line ", line)
	return []advice.Input{{Profile: cpu.Profile(), Subject: subject, Kind: "hot"}, {Profile: heap.Profile(), Subject: subject, Kind: "alloc"}}
}

// calleeIsHot are the rules about functions that the generated one calls.
var calleeIsHot = map[string]bool{"append-variant": true}

// lookedFor are functions of which some match the Frames of each rule, besides those of pureSymbols and
// appenderFrames.
var lookedFor = []string{
	"bufio.(*Scanner).Text", "bufio.NewWriter", "bytes.(*Buffer).String", "bytes.growSlice", "compress/gzip.NewWriter", "crypto/sha256.(*Digest).Sum", "crypto/sha256.(*digest).Sum", "errors.As",
	"errors.New", "fmt.Errorf", "fmt.Sprintf", "internal/bytealg.IndexByteString", "internal/runtime/maps.(*table).rehash", "math.archMax", "math.pow", "math/rand.NewSource", "net/http.CanonicalHeaderKey",
	"net/textproto.CanonicalMIMEHeaderKey", "reflect.DeepEqual", "reflect.TypeOf", "reflect.Value.Interface", "reflect.unsafe_New", "regexp.(*Regexp).MatchString", "regexp.MustCompile",
	"runtime.concatstring2", "runtime.growslice", "runtime.mapaccess1_faststr", "runtime.mapassign_faststr", "runtime.slicebytetostring", "sort.Slice", "strings.ContainsAny", "strings.Join",
	"strings.NewReplacer", "strings.Split", "strings.ToLower", "text/template.New", "time.LoadLocation", "time.Now", "time.now",
}

// pureSymbols are the functions of facts.PureCalls as profiles name them.
func pureSymbols() []string {
	var all []string
	for name := range facts.PureCalls {
		all = append(all, symbolOf(name))
	}
	slices.Sort(all)
	return all
}

// appenderFrames are the functions that append-formatted looks for.
func appenderFrames() (frames []string) {
	for _, name := range slices.Sorted(maps.Keys(appenders)) {
		if facts.PureCalls[name] == "" {
			frames = append(frames, symbolOf(name))
		}
	}
	return frames
}

// A program has functions as they were and as they have become, each in a file of its own.
type program struct {
	*module
	*prelude
}

// compare builds and runs functions before and after their rewrites and returns what differs,
// the worst of each function.
func (p *prelude) compare(t *testing.T, all []*rewritten, runs int) []difference {
	t.Helper()
	if len(all) == 0 {
		return nil
	}
	prog := program{newModule(t), p}
	defer os.RemoveAll(prog.dir)
	prog.write("main.go", p.main)
	by := make(map[int]*rewritten)
	for _, side := range []string{"before", "after"} {
		prog.write(side+"/prelude.go", p.text)
		prog.write(side+"/harness.go", p.harness)
		var drivers strings.Builder
		for _, r := range all {
			text := r.source
			if side == "after" {
				text = apart(r)
			}
			by[r.number] = r
			prog.write(fmt.Sprintf("%s/f%d.go", side, r.number), []byte(text))
			drivers.WriteString(r.driver)
		}
		prog.write(side+"/drivers.go", []byte(inFile("func init() {\n"+drivers.String()+"}\n")))
	}
	binary, broken := prog.tryBuild()
	if len(broken) > 0 {
		var found []difference
		var others []*rewritten
		for _, r := range all {
			if said := broken[r.number]; said != "" {
				found = append(found, difference{rewritten: *r, kinds: []string{"build"}, new: trace{Panic: said}})
			} else {
				others = append(others, r)
			}
		}
		return append(found, p.compare(t, others, runs)...)
	}
	var found []difference
	for from := 0; ; {
		cmd := exec.Command(binary, "-from", strconv.Itoa(from), "-runs", strconv.Itoa(runs))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		at := -1
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			line := lines.Text()
			if n, err := strconv.Atoi(line); err == nil {
				at = n
				continue
			}
			if !strings.HasPrefix(line, "{") {
				continue
			}
			var d struct {
				Number   int
				Seed     uint64
				Kinds    []string
				Old, New trace
			}
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatal(err)
			}
			found = append(found, difference{*by[d.Number], d.Seed, d.Kinds, d.Old, d.New})
		}
		if err == nil {
			return found
		}
		said := stderr.String()
		if at < 0 { // while the package is initialized: by which function?
			if len(all) == 1 {
				return append(found, difference{rewritten: *all[0], kinds: []string{"start"}, new: trace{Panic: said[:min(len(said), 500)]}})
			}
			half := len(all) / 2
			return append(p.compare(t, all[:half], runs), p.compare(t, all[half:], runs)...)
		}
		found = append(found, difference{rewritten: *by[at], kinds: []string{"end of the program"}, new: trace{Panic: said[:min(len(said), 500)]}})
		from = at + 1
	}
}

// tryBuild builds the program, or says what the compiler has against which functions.
func (p *program) tryBuild() (binary string, broken map[int]string) {
	p.t.Helper()
	binary = filepath.Join(p.dir, "program")
	cmd := exec.Command("go", "build", "-gcflags=example.com/m/...=-e -dwarf=false", "-ldflags=-s -w", "-o", binary, ".")
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=", "GOWORK=off", "GOGC=400")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return binary, nil
	}
	broken = make(map[int]string)
	for _, m := range regexp.MustCompile(`(?m)^\S*?f(\d+)\.go:.*$`).FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		if broken[n] == "" {
			broken[n] = string(m[0])
		}
	}
	if len(broken) == 0 {
		p.t.Fatalf("%v\n%s", err, out)
	}
	return "", broken
}

// apart is a function's new text with its new package-level names made its own: the rewrites
// of the functions of a program don't know of each other.
func apart(r *rewritten) string {
	declared := func(text string) map[string]bool {
		names := make(map[string]bool)
		f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			return nil
		}
		for name := range f.Scope.Objects {
			names[name] = true
		}
		return names
	}
	old := declared(r.source)
	text := r.text
	for name := range declared(r.text) {
		if !old[name] {
			text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(text, fmt.Sprintf("%s_%d", name, r.number))
		}
	}
	return text
}
