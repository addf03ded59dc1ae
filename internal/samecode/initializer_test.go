package samecode

import "strings"

const (
	hot = "\n//go:noinline\nfunc Hot(n int) int { return n }\n"
	// readsV needs a variable v.
	readsV = "\n//go:noinline\nfunc Hot(n int) int { return v * n }\n"
	// setEnv is an initializer that is not confined.
	setEnv = "\nfunc init() { os.Setenv(\"X\", \"y\") }\n"

	text = "//go:embed a.txt\nvar text string\n\nfunc Text() string { return text }\n"
)

// long is more than the compiler keeps as a constant.
var long = strings.Repeat("0123456789abcdef", 128)

// initializerCases differ in what runs before a benchmark, or in what nothing executes.
var initializerCases = map[string]changeCase{
	// Imports.
	"importadded":    {same: true, notRun: "Unused", imports: `⟦|"strings"⟧`, code: "⟦|func Unused() string { return strings.ToUpper(\"x\") }\n⟧" + hot},
	"importremoved":  {same: true, imports: `⟦"strings"|⟧`, code: "⟦func Unused() string { return strings.ToUpper(\"x\") }\n|⟧" + hot},
	"importsnew":     {same: true, notRun: "Unused", imports: `⟦|"encoding/csv"⟧`, code: "⟦|func Unused() any { return csv.ErrQuote }\n⟧" + hot},
	"importandtable": {same: true, notRun: "Unused", imports: `"sort";⟦|"strings"⟧`, code: "⟦|func Unused() string { return strings.ToUpper(\"x\") }\n⟧" + table},
	"importother":    {same: true, notRun: "Unused", imports: `"os";⟦|"encoding/csv"⟧`, code: "⟦|func Unused() any { return csv.ErrQuote }\n⟧" + setEnv + hot},
	// Both packages set the same, and the import decides which one does last.
	"importlate": {but: "/importlate changed", imports: `"os";⟦|_ "example.com/m/importlate/side"⟧`, code: setEnv + hot,
		test:  "import (\n\t\"testing\"\n\n\t\"example.com/m/importlate\"\n\t_ \"example.com/m/importlate/side\"\n)\n\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t\timportlate.Hot(2)\n\t}\n}\n",
		files: map[string]string{"side/s.go": "package side\n\nimport \"os\"\n" + setEnv}},
	"importknown": {same: true, notRun: "Unused", imports: `"os";⟦|"io/fs"⟧`, code: "⟦|func Unused() any { return fs.ErrExist }\n⟧" + setEnv + hot},
	"importquiet": {same: true, imports: `⟦|_ "example.com/m/importquiet/side"⟧`, code: hot,
		files: map[string]string{"side/s.go": "package side\n\nvar V = map[string]int{\"a\": 1}\n"}},
	"importloud": {but: "importloud/side changed", imports: `⟦|_ "example.com/m/importloud/side"⟧`, code: hot,
		files: map[string]string{"side/s.go": "package side\n\nimport \"os\"\n" + setEnv}},
	"importsets": {but: "importsets/side changed", imports: `"example.com/m/importsets/set";⟦|_ "example.com/m/importsets/side"⟧`,
		code: "\n//go:noinline\nfunc Hot(n int) int { return set.V * n }\n",
		files: map[string]string{"set/s.go": "package set\n\nvar V = 1\n",
			"side/s.go": "package side\n\nimport \"example.com/m/importsets/set\"\n\nfunc init() { set.V = 2 }\n"}},

	// Initializers that changed.
	"initunread":     {same: true, imports: `"strings"`, code: "var v int\n\nfunc init() { v = len(strings.Repeat(\"a\", ⟦1|2⟧)) }\n" + hot},
	"initread":       {imports: `"strings"`, code: "var v int\n\nfunc init() { v = len(strings.Repeat(\"a\", ⟦1|2⟧)) }\n" + readsV},
	"initvarunread":  {same: true, code: "var v = map[string]int{\"a\": ⟦1|2⟧}\n" + hot},
	"initvarread":    {code: "var v = map[string]int{\"a\": ⟦1|2⟧}\n\n//go:noinline\nfunc Hot(n int) int { return v[\"a\"] * n }\n"},
	"initadded":      {same: true, imports: `"strings"`, code: "var v, w int\n\n⟦|func init() { w = len(strings.Repeat(\"b\", v)) }\n\n⟧func init() { println(strings.Count(\"ab\", \"a\")) }\n" + hot},
	"initaddedsets":  {code: "var v int\n\n⟦|func init() { v++ }\n⟧" + readsV},
	"initoffunction": {code: "var v int\n\nfunc set() { v = ⟦1|2⟧ }\n\nvar _ = call(set)\n\n//go:noinline\nfunc call(f func()) int { f(); return 1 }\n" + readsV},
	// One initializer has b point to what another changes through a.
	"initaliased": {code: "type t struct{ n int }\n\nvar a, b *t\n\nfunc init() {\n\ta = new(t)\n\tb = a\n}\n\nfunc init() { a.n = ⟦1|2⟧ }\n\n//go:noinline\nfunc Hot(n int) int { return b.n * n }\n"},
	// Initializers that may do anything.
	"initgoes":     {but: "/initgoes changed", code: "//go:noinline\nfunc spin(n int) {}\n\nfunc init() { go spin(⟦1|2⟧) }\n" + hot},
	"initcollects": {but: "/initcollects changed", imports: `"runtime/debug"`, code: "func init() { debug.SetGCPercent(⟦100|200⟧) }\n" + hot},
	"initbymethod": {but: "/initbymethod changed", imports: `"fmt"; "os"`, code: "type t struct{}\n\nfunc (t) String() string { return os.Getenv(\"X⟦1|2⟧\") }\n\nvar s = fmt.Sprint(t{})\n" + hot},
	"initsets": {imports: `"example.com/m/initsets/lib"`, code: "func init() { lib.V = ⟦1|2⟧ }\n\n//go:noinline\nfunc Hot(n int) int { return lib.Get() * n }\n",
		but: "/initsets changed", files: map[string]string{"lib/l.go": "package lib\n\nvar V int\n\n//go:noinline\nfunc Get() int { return V }\n"}},
	"initsame": {same: true, imports: `"os"`, code: "var v int\n\nfunc init() { v = len(os.Args) }\n\n⟦|// Comment.\n⟧" + readsV},

	// What nothing executes.
	"renamed":  {same: true, code: "//go:noinline\nfunc ⟦old|new⟧Name(n int) int { return n * n }\n\n//go:noinline\nfunc Hot(n int) int { return ⟦old|new⟧Name(n) + 1 }\n"},
	"moved":    {same: true, files: map[string]string{"a.go": "⟦package moved\n" + hot + "|⟧", "b.go": "⟦|package moved\n" + hot + "⟧"}},
	"testfile": {same: true, code: hot, files: map[string]string{"more_test.go": "⟦|package testfile\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {}\n⟧"}},
	// The compiler's output has no bytes of large embedded files.
	"embedunread":  {same: true, imports: `_ "embed"`, code: text + hot, files: map[string]string{"a.txt": "⟦a|b⟧" + long}},
	"embedsmall":   {same: true, imports: `_ "embed"`, code: text + hot, files: map[string]string{"a.txt": "⟦a|bc⟧"}},
	"embedread":    {imports: `_ "embed"`, code: text + "\n//go:noinline\nfunc Hot(n int) byte { return text[n] }\n", files: map[string]string{"a.txt": "⟦a|b⟧" + long}},
	"embedbytes":   {imports: `_ "embed"`, code: "//go:embed a.txt\nvar text []byte\n\n//go:noinline\nfunc Hot(n int) byte { return text[n] }\n", files: map[string]string{"a.txt": "⟦a|b⟧" + long}},
	"embedfs":      {imports: `"embed"`, code: "//go:embed a.txt\nvar files embed.FS\n\n//go:noinline\nfunc Hot(n int) any {\n\tb, _ := files.ReadFile(\"a.txt\")\n\treturn b[n]\n}\n", files: map[string]string{"a.txt": "⟦a|b⟧" + long}},
	"embedfewread": {imports: `_ "embed"`, code: "//go:embed a.txt\nvar text []byte\n\n//go:noinline\nfunc Hot(n int) byte { return text[n&1] }\n", files: map[string]string{"a.txt": "⟦a|b⟧bc"}},
}

// table is filled by an initializer.
const table = "var table = sorted([]int{3, 2, 1})\n\nfunc sorted(s []int) []int {\n\tsort.Ints(s)\n\treturn s\n}\n\n//go:noinline\nfunc Hot(n int) int { return table[n&1] }\n"
