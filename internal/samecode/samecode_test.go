package samecode

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sideText matches what differs: ⟦base|head⟧.
var sideText = regexp.MustCompile(`(?s)⟦(.*?)\|(.*?)⟧`)

// writeSides writes files into one folder for each side.
func writeSides(t *testing.T, files map[string]string) (sides [2]string) {
	t.Helper()
	root := t.TempDir()
	for s, side := range []string{"base", "head"} {
		sides[s] = filepath.Join(root, side)
		for name, text := range files {
			text = sideText.ReplaceAllString(text, fmt.Sprintf("$%d", s+1))
			if text == "" {
				continue // the file is not there
			}
			name = filepath.Join(sides[s], filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return sides
}

func goCommand(dir string, env ...string) GoCommand {
	return func(ctx context.Context, stderr io.Writer, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off"), env...)
		var complaint bytes.Buffer
		cmd.Stderr = io.MultiWriter(stderr, &complaint)
		out, err := cmd.Output()
		if err != nil {
			text := complaint.Bytes()
			err = fmt.Errorf("go %v: %w: %s", args, err, text[max(0, len(text)-2000):])
		}
		return out, err
	}
}

// A changeCase is a package with BenchmarkX, of which something changes.
type changeCase struct {
	same   bool
	but    string // what differs for all benchmarks of the package, without its path
	notRun string // functions, without the package, if the benchmark runs some change

	code, test string            // code.go and x_test.go, without the package clause
	imports    string            // of code.go
	files      map[string]string // others
}

const callsHot = "import \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t\tHot(3)\n\t}\n}\n"

var changeCases = map[string]changeCase{
	// Go 1.27 gives a closure another name, with a hash, where its function is inlined.
	"inlinedclosure": {same: true, notRun: "Other", code: `var sink int

//go:noinline
func call(f func()) { f() }

func inlined(n int) { call(func() { sink += n }) }

func Other(n int) { ⟦|inlined(n + 1); ⟧inlined(n) }

func Hot(n int) int { inlined(n); return n }
`},
	"closureof": {same: true, imports: "\"example.com/m/closureof/inner\"", code: "func Cold(n int) { inner.Run(n); inner.Unused(n) }\n\nfunc Hot(n int) int { inner.Run(n); return n }\n",
		files: map[string]string{"inner/inner.go": `package inner

var sink int

//go:noinline
func call(f func()) { f() }

func Run(n int) { call(func() { sink += n }) }

func Unused(n int) { call(func() { sink += n * ⟦3|5⟧ }) }
`}},
	// What is the same.
	"comment":        {same: true, code: "⟦|// Comment.\n\n⟧//go:noinline\nfunc Hot(n int) int {\n⟦|\t// More.\n⟧\treturn n * n\n}\n"},
	"unusedabove":    {same: true, notRun: "Unused", code: "⟦|func Unused(s []string) string { return strings(s) }\n\n//go:noinline\nfunc strings(s []string) string { return s[0] }\n\n⟧//go:noinline\nfunc Hot(n int) int { return n * n }\n"},
	"otherbenchmark": {same: true, code: "func Hot(n int) int { return n }\n", test: callsHot + "\nfunc BenchmarkY(b *testing.B) {\n\tb.Log(⟦1|2⟧)\n}\n"},
	"othertest":      {same: true, code: "func Hot(n int) int { return n }\n", test: callsHot + "\nfunc TestY(t *testing.T) {\n\tt.Log(⟦1|2⟧)\n}\n"},
	"changedunused":  {same: true, notRun: "(*T).Cold", code: "type T struct{ n int }\n\nfunc (t *T) Cold() int { return t.n * ⟦7|9⟧ }\n\n//go:noinline\nfunc Hot(n int) int { return n * n }\n"},
	// Numbers of constants, closures and initial values of variables move.
	"testsonly":  {same: true, test: "import \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n⟦|\nfunc BenchmarkY(b *testing.B) {}\n⟧"},
	"renumbered": {same: true, notRun: "Unused", code: "⟦|var first = [][]int{{1, 2, 3}, {4}}\n\nfunc Unused(n int) func() int { return func() int { return first[n][0] } }\n\n⟧var table = [][]int{{5, 6, 7}, {8}}\n\nvar f = func(n int) int { return table[0][n&1] }\n\n//go:noinline\nfunc Hot(n int) int { return f(n) + table[1][0] }\n"},
	"inlinedtoo": {same: false, code: "func helper(n int) int { return n ⟦+|-⟧ 5 }\n\n//go:noinline\nfunc Hot(n int) int { return helper(n) * n }\n"},

	// What is not.
	"constantstring": {code: "//go:noinline\nfunc Hot(n int) byte { return \"⟦abcdef|uvwxyz⟧\"[n] }\n"},
	"variable":       {code: "var v = ⟦5|6⟧\n\n//go:noinline\nfunc Hot(n int) int { return v * n }\n"},
	"behindpointer":  {code: "type t struct{ next *t; n int }\n\nvar v = &t{&t{nil, ⟦5|6⟧}, 1}\n\n//go:noinline\nfunc Hot(n int) int { return v.next.n * n }\n"},
	"table":          {code: "var v = []string{\"a\", \"b\", \"c\", \"⟦d|e⟧\"}\n\n//go:noinline\nfunc Hot(n int) string { return v[n] }\n"},
	"swapped":        {code: "var v, w = 1, 1\n\nfunc init() { v++ }\n\n//go:noinline\nfunc Hot(n int) int { return ⟦v|w⟧ }\n"},
	"byinterface":    {code: "import \"fmt\"\n\ntype t int\n\nfunc (x t) String() string { return \"⟦a|bc⟧\" }\n\n//go:noinline\nfunc Hot(n int) string { return fmt.Sprint(t(n)) }\n"},
	"generic":        {code: "//go:noinline\nfunc min[T int | string](a, b T) T {\n\tif a ⟦<|>⟧ b {\n\t\treturn a\n\t}\n\treturn b\n}\n\n//go:noinline\nfunc Hot(n int) int { return min(n, 5) }\n"},
	"embedded": {code: "import _ \"embed\"\n\n//go:embed a.txt\nvar text string\n\n//go:noinline\nfunc Hot(n int) byte { return text[n] }\n",
		files: map[string]string{"a.txt": "text ⟦a|b⟧"}},
	"assembly": {but: " changed", code: "func Hot(n int) int\n", files: map[string]string{
		"x_amd64.s": "#include \"textflag.h\"\n\nTEXT ·Hot(SB), NOSPLIT, $0-16\n\tMOVQ n+0(FP), AX\n\tADDQ $⟦1|2⟧, AX\n\tMOVQ AX, ret+8(FP)\n\tRET\n",
		"x_arm64.s": "#include \"textflag.h\"\n\nTEXT ·Hot(SB), NOSPLIT, $0-16\n\tMOVD n+0(FP), R0\n\tADD $⟦1|2⟧, R0\n\tMOVD R0, ret+8(FP)\n\tRET\n",
	}},
	"fromassembly": {but: " changed", code: "func Hot(n int) int\n\n//go:noinline\nfunc callee(n int) int { return n * ⟦5|7⟧ }\n", files: map[string]string{
		"x_amd64.s": "#include \"textflag.h\"\n\nTEXT ·Hot(SB), 0, $16-16\n\tNO_LOCAL_POINTERS\n\tMOVQ n+0(FP), AX\n\tMOVQ AX, 0(SP)\n\tCALL ·callee(SB)\n\tMOVQ 8(SP), AX\n\tMOVQ AX, ret+8(FP)\n\tRET\n",
		"x_arm64.s": "#include \"textflag.h\"\n\nTEXT ·Hot(SB), 0, $24-16\n\tMOVD n+0(FP), R0\n\tMOVD R0, 8(RSP)\n\tCALL ·callee(SB)\n\tMOVD 16(RSP), R0\n\tMOVD R0, ret+8(FP)\n\tRET\n",
	}},
	"testmain": {but: ".TestMain changed", code: "//go:noinline\nfunc Hot(n int) int { return n }\n",
		test: "import (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { println(⟦1|2⟧); os.Exit(m.Run()) }\n" + strings.TrimPrefix(callsHot, "import \"testing\"\n")},
	"helper":       {code: "//go:noinline\nfunc Hot(n int) int { return n }\n", test: "import \"testing\"\n\nfunc input() int { return ⟦10|100⟧ }\n\nfunc BenchmarkX(b *testing.B) {\n\tn := input()\n\tfor b.Loop() {\n\t\tHot(n)\n\t}\n}\n"},
	"subbenchmark": {code: "//go:noinline\nfunc Hot(n int) int { return n }\n", test: "import \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor _, n := range []int{1, 2} {\n\t\tb.Run(\"sub\", func(b *testing.B) {\n\t\t\tfor b.Loop() {\n\t\t\t\tHot(n + ⟦3|4⟧)\n\t\t\t}\n\t\t})\n\t}\n}\n"},
	"closure":      {code: "//go:noinline\nfunc call(f func() int) int { return f() }\n\nfunc Hot(n int) int { return call(func() int { return n << ⟦1|2⟧ }) }\n"},
	"external":     {code: "//go:noinline\nfunc Hot(n int) int { return n * ⟦3|7⟧ }\n", test: "import (\n\t\"testing\"\n\n\t\"example.com/m/external\"\n)\n\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t\texternal.Hot(2)\n\t}\n}\n"},
	"v.2":          {code: "//go:noinline\nfunc Hot(n int) int { return n * ⟦3|7⟧ }\n"},
	"method":       {code: "type T struct{ a any }\n\n//go:noinline\nfunc (t *T) Hot() int { return ⟦1|0⟧ }\n\n//go:noinline\nfunc Hot(n int) any { return map[int]any{1: &T{}, 2: T.zero}[n] }\n\nfunc (t T) zero() {}\n"},
	"replaced":     {code: "import \"example.com/replaced\"\n\n//go:noinline\nfunc Hot(n int) int { return replaced.F(n) }\n"},
	"newversion":   {code: "import \"example.com/dep\"\n\n//go:noinline\nfunc Hot(n int) int { return dep.F(n) }\n"},
	"newbutsame":   {same: true, code: "import \"example.com/dep/steady\"\n\n//go:noinline\nfunc Hot(n int) int { return steady.F(n) }\n"},
	"newimport":    {same: true, notRun: "Unused", code: "⟦|import \"container/ring\"\n\nfunc Unused() any { return ring.New(4) }\n\n⟧//go:noinline\nfunc Hot(n int) int { return n }\n"},
}

// TestSame compiles all cases at once: two commands for each side.
func TestSame(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go")
	}
	files := map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.24\n\nrequire (\n\texample.com/dep v1.⟦0|1⟧.0\n\texample.com/replaced v0.0.0\n)\n\nreplace example.com/replaced => ./replaced.d\n",
		"replaced.d/go.mod": "module example.com/replaced\n\ngo 1.24\n", "replaced.d/r.go": "package replaced\n\n//go:noinline\nfunc F(n int) int { return n * ⟦3|5⟧ }\n",
	}
	var packages []string
	cases := maps.Clone(changeCases)
	maps.Copy(cases, initializerCases)
	for name, c := range cases {
		if c.imports != "" {
			c.code = "import (" + c.imports + ")\n\n" + c.code
		}
		packages = append(packages, "example.com/m/"+name)
		clause, testClause := "package "+strings.ReplaceAll(name, ".", ""), ""
		if c.test == "" {
			c.test = callsHot
		}
		if testClause = clause; strings.Contains(c.test, "example.com/m/"+name) {
			testClause += "_test"
		}
		if c.code != "" {
			files[name+"/code.go"] = clause + "\n\n" + c.code
		}
		files[name+"/x_test.go"] = testClause + "\n\n" + c.test
		for file, text := range c.files {
			if strings.HasSuffix(file, ".s") {
				text = strings.Replace(text, "#include \"textflag.h\"\n", "#include \"textflag.h\"\n#include \"funcdata.h\"\n", 1)
			}
			files[name+"/"+file] = text
		}
	}
	slices.Sort(packages)
	sides := writeSides(t, files)
	env := proxy(t, map[string]string{"dep.go": "package dep\n\n//go:noinline\nfunc F(n int) int { return n * ⟦3|5⟧ }\n", "steady/s.go": "package steady\n\n//go:noinline\nfunc F(n int) int { return n + 3 }\n"})
	for _, dir := range sides {
		if _, err := goCommand(dir, env...)(t.Context(), io.Discard, "mod", "tidy"); err != nil {
			t.Fatal(err)
		}
	}
	code, err := Load(t.Context(), State{Go: goCommand(sides[base], env...)}, State{Go: goCommand(sides[head], env...)}, nil, packages)
	if err != nil {
		t.Fatal(err)
	}
	var benchmarks []Benchmark
	var notRun []string
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c, pkg := cases[name], "example.com/m/"+name
		if same, but := code.Same(pkg, "BenchmarkX"); same != c.same || !strings.HasSuffix(but, c.but) || (but == "") != (c.but == "") {
			t.Errorf("%s: same is %v %q, want %v %q", name, same, but, c.same, c.but)
		}
		if same, _ := code.Same(pkg, "BenchmarkNone"); same {
			t.Errorf("%s: a benchmark that is nowhere is the same", name)
		}
		benchmarks = append(benchmarks, Benchmark{pkg, "BenchmarkX"})
		if c.notRun != "" {
			for f := range strings.SplitSeq(c.notRun, " ") {
				notRun = append(notRun, pkg+"."+f)
			}
		}
	}
	if same, _ := code.Same("example.com/m/otherbenchmark", "BenchmarkY"); same {
		t.Error("a benchmark that changed is the same")
	}
	notRun = append(notRun, "example.com/m/unusedabove.strings", "example.com/m/closureof/inner.Unused")
	slices.Sort(notRun)
	if _, got := code.Changed(benchmarks); !slices.Equal(got, notRun) {
		t.Errorf("run by no benchmark: %q, want %q", got, notRun)
	}
	all, got := code.Changed(nil)
	// Initializers run without a benchmark, and who knows when assembly calls.
	anyway := []string{"example.com/m/fromassembly.callee", "example.com/m/initbymethod.t.String", "example.com/m/initoffunction.set"}
	if !slices.Equal(slices.DeleteFunc(slices.Clone(all), func(f string) bool { return slices.Contains(anyway, f) }), got) {
		t.Errorf("of %q none of no benchmarks runs %q", all, got)
	}
	for _, f := range []string{"generic.min", "closure.Hot", "v.2.Hot", "byinterface.t.String", "inlinedtoo.helper"} {
		if !slices.Contains(all, "example.com/m/"+f) {
			t.Errorf("%s did not change: %q", f, all)
		}
	}
	for _, f := range all {
		if strings.Contains(f, "Benchmark") {
			t.Errorf("%s is of a test", f)
		}
	}
}

// proxy makes versions v1.0.0 and v1.1.0 of module example.com/dep and returns the
// environment in which the go command finds them.
func proxy(t *testing.T, files map[string]string) []string {
	dir := t.TempDir()
	versions := filepath.Join(dir, "example.com", "dep", "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	for s, version := range []string{"v1.0.0", "v1.1.0"} {
		const mod = "module example.com/dep\n\ngo 1.24\n"
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		for name, text := range maps.All(map[string]string{"go.mod": mod, "dep.go": files["dep.go"], "steady/s.go": files["steady/s.go"]}) {
			w, err := z.Create("example.com/dep@" + version + "/" + name)
			if err == nil {
				_, err = io.WriteString(w, sideText.ReplaceAllString(text, fmt.Sprintf("$%d", s+1)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for ext, text := range map[string]string{"info": fmt.Sprintf(`{"Version":%q}`, version), "mod": mod, "zip": packed.String()} {
			if err := os.WriteFile(filepath.Join(versions, version+"."+ext), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []string{"GOPROXY=file://" + filepath.ToSlash(dir), "GONOSUMDB=*", "GONOSUMCHECK=1", "GONOPROXY=none", "GOFLAGS=-modcacherw -mod=mod", "GOMODCACHE=" + t.TempDir()}
}

func TestUnknown(t *testing.T) {
	never := func(context.Context, io.Writer, ...string) ([]byte, error) {
		t.Error("the go command is run")
		return nil, nil
	}
	for _, flag := range []string{"-gcflags=all=-N", "-pgo=x.pprof", "-overlay=o.json", "-cover", "-asmflags=-D=X"} {
		if _, err := Load(t.Context(), State{Go: never}, State{Go: never}, []string{flag}, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	set := func(context.Context, io.Writer, ...string) ([]byte, error) {
		return []byte("-mod=mod -gcflags=-N\n"), nil
	}
	if _, err := Load(t.Context(), State{Go: set}, State{Go: set}, nil, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("GOFLAGS: %v", err)
	}
}

func TestFunctionName(t *testing.T) {
	for symbol, want := range map[string]string{
		"example.com/m.F<1>":              "example.com/m.F",
		"example.com/m.F.func1<1>":        "example.com/m.F",
		"example.com/m.F.func1.2<1>":      "example.com/m.F",
		"example.com/m.F-range1<1>":       "example.com/m.F",
		"example.com/m.F.gowrap2<1>":      "example.com/m.F",
		"example.com/m.(*T).M-fm<1>":      "example.com/m.(*T).M",
		"example.com/m.T.M.deferwrap1<1>": "example.com/m.T.M",
		// Go 1.27
		"example.com/m.F.func1#ogkU/M7UodE=#.1<1>":          "example.com/m.F",
		"example.com/m.(*T).M-range1-range1#X5oX/+5E=#<1>":  "example.com/m.(*T).M",
		"example.com/m.F-range1-range1.1<1>":                "example.com/m.F",
		"example.com/m.F[go.shape.struct {}].1#D0i/6Z=#<1>": "example.com/m.F",
		"example.com/m/v%2e2.Min[go.shape.[]a/b.T]<1>":      "example.com/m/v.2.Min",
		"example.com/m.(*List[go.shape.int]).Push<1>":       "example.com/m.(*List).Push",
		"example.com/m.(*List[go.shape.int]).Push.func3":    "example.com/m.(*List).Push",
		"example.com/m.glob..func7<1>":                      "example.com/m.glob",
		"gopkg.in/yaml%2ev3.Unmarshal[<-chan struct {}]<1>": "gopkg.in/yaml.v3.Unmarshal",
	} {
		if got, _ := functionName(symbol); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}

const listingText = `# example.com/m
example.com/m.F<1> STEXT nosplit size=3 args=0x8 locals=0x0 funcid=0x0 align=0x0
	0x0000 00000 (example.com/m/m.go:10)	TEXT	example.com/m.F(SB), NOSPLIT|ABIInternal, $0-8
	0x0000 00000 (example.com/m/m.go:10)	FUNCDATA	$0, gclocals·g5+hNtRBP6YXNjfog7aZjQ==(SB)
	0x0000 00000 (example.com/m/m.go:11)	PCDATA	$1, $0
	0x0000 00000 (example.com/m/m.go:11)	CALL	example.com/m.G(SB)
	0x0000 48 ff c0                                         H..
	rel 1+4 t=R_CALL example.com/m.G<1>+0
`

func parse(text string) (*unit, *names, error) {
	u, n := &unit{name: "example.com/m"}, newNames()
	l := newListing(map[string]*unit{u.name: u}, n)
	for part := range slices.Chunk([]byte(text), 7) { // as pipes cut it
		if _, err := l.Write(part); err != nil {
			return nil, nil, err
		}
	}
	return u, n, l.close()
}

// Where a line is does not matter; every other figure does.
func TestListing(t *testing.T) {
	content := func(text string) (sum string, refs []string) {
		u, n, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := u.symbols[n.find("example.com/m.F<1>")]
		if len(s) != 1 {
			t.Fatalf("%d symbols", len(s))
		}
		for _, r := range s[0].refs {
			refs = append(refs, n.text[r])
		}
		return string(s[0].content[:]), refs
	}
	sum, refs := content(listingText)
	if want := []string{"gclocals·g5+hNtRBP6YXNjfog7aZjQ==<0>", "example.com/m.G<1>"}; !slices.Equal(refs, want) {
		t.Errorf("references %q, want %q", refs, want)
	}
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"m.go:1", "m.go:7", true},
		{"m.go", "other.go", true},
		{"CALL\t", "JMP\t", true}, // the bytes tell
		{"48 ff c0", "48 ff c1", false},
		{"rel 1+4", "rel 2+4", false},
		{"R_CALL", "R_PCREL", false},
		{"m.G<1>+0", "m.G<1>+8", false},
		{"PCDATA\t$1, $0", "PCDATA\t$1, $1", false},
		{"size=3", "size=4", false},
		{"locals=0x0", "locals=0x8", false},
	} {
		text := strings.ReplaceAll(listingText, c.old, c.new)
		if got, _ := content(text); text == listingText || (got == sum) != c.same {
			t.Errorf("%q for %q: same is %v", c.new, c.old, got == sum)
		}
	}
	for _, wrong := range []string{
		strings.Replace(listingText, "size=3", "bytes=3", 1),
		strings.Replace(listingText, "F<1> ", "F ", 1),
		strings.Replace(listingText, "\trel 1+4 t=R_CALL example.com/m.G<1>+0\n", "\trel R_CALL example.com/m.G\n", 1),
		strings.Replace(listingText, "\trel", "\tnew", 1),
		strings.Replace(listingText, ", gclocals", " gclocals", 1),
		strings.TrimSuffix(listingText, "\n"),
		listingText + listingText,
		strings.Replace(listingText, "# example.com/m", "# example.com/other", 1),
		"",
	} {
		if _, _, err := parse(wrong); !errors.Is(err, ErrUnknown) {
			t.Errorf("error %v of\n%s", err, wrong)
		}
	}
}

func FuzzListing(f *testing.F) {
	f.Add(listingText)
	f.Add("# example.com/m\naux for example.com/m.F<0> SDWARFFCN size=1\n\trel 0+4 t=R_DWARFSECREF go:info.G$abstract<0>+0\n")
	f.Add("# example.com/m\nF<1> STEXT size=1\n\t0x0000 00000 )\tTEXT\t(\n")
	f.Fuzz(func(t *testing.T, text string) {
		if u, n, err := parse(text); err == nil {
			for name, symbols := range u.symbols {
				for _, s := range symbols {
					if s.name != name || int(name) >= len(n.text) {
						t.Fatalf("symbol %d is known as %d", s.name, name)
					}
				}
			}
		}
	})
}
