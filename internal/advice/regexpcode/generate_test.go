package regexpcode

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	seed   = flag.Uint64("seed", 3, "another seed makes other random patterns")
	random = flag.Int("patterns", 400, "random patterns to compile functions of")
)

// TestGolden: what generated functions look like.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, method string }{
		{"identifier", "MatchString"}, {"ipv4", "MatchString"}, {"level", "Match"}, {"error", "MatchString"}, {"three", "Match"}, {"float", "MatchString"},
		{"semver", "FindStringSubmatch"}, {"number", "FindStringIndex"}, {"assignment", "FindStringSubmatchIndex"}, {"variable", "FindStringSubmatch"},
		{"request", "FindSubmatch"}, {"listIn", "FindString"}, {"lazyQuoted", "Find"}, {"words", "FindAllString"}, {"spaces", "ReplaceAllString"},
	} {
		golden := filepath.Join("testdata", c.name+".go.golden")
		code, err := Generate(patterns[c.name], Options{Name: "find" + strings.ToUpper(c.name[:1]) + c.name[1:], Pattern: c.name, Method: c.method, Test: "TestIt"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := fmt.Sprintf("var %s = regexp.MustCompile(`%s`)\n\n%s\n", c.name, patterns[c.name], code.Text)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%s: %v; now it is\n%s", golden, err, got)
		}
	}
}

// TestGenerated compiles functions of patterns that programs have, and of random ones, and compares
// what they return with what the patterns do.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	var all []compared
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		all = append(all, candidates(name, patterns[name])...)
	}
	sequences := 0
	r := rand.New(rand.NewPCG(*seed, 3))
	for n := range *random {
		some := candidates(fmt.Sprint(n), randomPattern(r))
		if len(some) > 2 { // also those with places
			sequences++
			for range 2 {
				all = append(all, take(r, &some))
			}
		} else if n%20 == 0 { // there are enough automatons
			all = append(all, some...)
		}
	}
	if sequences < *random/5 {
		t.Errorf("%d random patterns have places: too few to tell", sequences)
	}
	t.Logf("%d functions, %d random patterns with places", len(all), sequences)
	files := program(all)
	if kept := os.Getenv("HONE_KEEP"); kept != "" {
		gittest.Write(t, kept, files)
	}
	out, err := runGo(t, files, "run", ".")
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%.5000s", err, out)
	}
}

// take removes one of several.
func take(r *rand.Rand, some *[]compared) compared {
	i := r.IntN(len(*some))
	c := (*some)[i]
	*some = slices.Delete(*some, i, i+1)
	return c
}

// program compares functions with their patterns.
func program(all []compared) map[string]string {
	var functions, calls, variables strings.Builder
	imports := map[string]bool{"fmt": true, "reflect": true, "regexp": true, "os": true, "math/rand/v2": true}
	done := make(map[string]bool)
	for _, c := range all {
		for _, path := range c.Imports {
			imports[path] = true
		}
		functions.WriteString(c.Text + "\n\n")
		re := "re" + strings.TrimSuffix(strings.TrimPrefix(c.name, "f"), c.method)
		if !done[re] {
			done[re] = true
			fmt.Fprintf(&variables, "var %s = regexp.MustCompile(%q)\n", re, c.pattern)
			fmt.Fprintf(&variables, "var %sTexts = %#v\n", re, Texts(c.pattern))
		}
		arg, methodArg := methods[c.method].arguments("text")
		fmt.Fprintf(&calls, "compare(%q, %q, %sTexts, func(text string) (any, any) { return %s(%s), %s.%s(%s) })\n", c.pattern, c.method, re, c.name, arg, re, c.method, methodArg)
	}
	var list strings.Builder
	for path := range imports {
		fmt.Fprintf(&list, "%q\n", path)
	}
	return map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.24\n",
		"functions.go": strings.Replace("package main\n\nimport (\nIMPORTS)\n\n", "IMPORTS", list.String(), 1) + functions.String() + variables.String() + harness + "func main() {\n" + calls.String() + "if differences > 0 {\nos.Exit(1)\n}\n}\n",
	}
}

const harness = `
var differences int

var some = []string{"a", "b", "c", "d", "ab", "k", "K", "\u212a", "é", "É", "ü", "1", "-", ",", "_", " ", "\n", "\xff", "\xc3", "\xe2\x82", "\ufffd", "\xa9"}

func compare(pattern, method string, texts []string, call func(text string) (any, any)) {
	random := rand.New(rand.NewPCG(1, 1))
	try := func(text string) bool {
		got, want := call(text)
		if same(got, want) {
			return true
		}
		fmt.Printf("%q %s(%q) is %#v, want %#v\n", pattern, method, text, got, want)
		differences++
		return false
	}
	for _, text := range texts {
		if !try(text) {
			return
		}
	}
	for range 400 {
		text := ""
		if random.IntN(2) == 0 {
			text = texts[random.IntN(len(texts))]
		}
		for range random.IntN(8) {
			i := random.IntN(len(text) + 1)
			insert := some[random.IntN(len(some))]
			if random.IntN(3) == 0 {
				insert = texts[random.IntN(len(texts))]
			}
			text = text[:i] + insert + text[i:]
		}
		if !try(text) {
			return
		}
	}
}

// same also compares capacities.
func same(a, b any) bool {
	if !reflect.DeepEqual(a, b) {
		return false
	}
	switch a := a.(type) {
	case []byte:
		return cap(a) == cap(b.([]byte))
	case [][]byte:
		for i, x := range b.([][]byte) {
			if cap(x) != cap(a[i]) {
				return false
			}
		}
	}
	return true
}

`

// runGo runs the go command in a module of some files.
func runGo(t *testing.T, files map[string]string, args ...string) (string, error) {
	t.Helper()
	dir := gittest.Folder(t, files)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestTestFile: the test of a function passes go vet, passes, and fails if the function does something
// else.
func TestTestFile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	right, wrong := map[string]string{}, map[string]string{}
	for _, files := range []map[string]string{right, wrong} {
		files["go.mod"] = "module example.com/m\n\ngo 1.18\n"
	}
	for i, c := range []struct{ name, method string }{{"identifier", "MatchString"}, {"semver", "FindStringSubmatch"}, {"number", "FindIndex"}, {"hex", "Match"}} {
		for _, files := range []map[string]string{right, wrong} {
			o := TestOptions{Package: "m", Texts: c.name + "Texts", Fuzz: "Fuzz" + fmt.Sprint(i), Compare: "compare" + c.name}
			o.Options = Options{Name: "match" + c.name, Pattern: c.name, Method: c.method, Test: "Test" + fmt.Sprint(i)}
			code, err := Generate(patterns[c.name], o.Options)
			if err != nil {
				t.Fatal(err)
			}
			test, err := TestFile(patterns[c.name], o)
			if err != nil {
				t.Fatal(err)
			}
			imports := `import "regexp"` + "\n"
			for _, path := range code.Imports {
				imports += fmt.Sprintf("import %q\n", path)
			}
			files[c.name+".go"] = "package m\n\n" + imports + "\nvar " + c.name + " = regexp.MustCompile(`" + patterns[c.name] + "`)\n\n" + code.Text + "\n"
			files[c.name+"_test.go"] = test
		}
	}
	if out, err := runGo(t, right, "vet", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := runGo(t, right, "test", "-count=1", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wrong["identifier.go"] = strings.Replace(wrong["identifier.go"], "`^[A-Za-z_]", "`^[A-Za-z]", 1)
	out, err := runGo(t, wrong, "test", "-count=1", "./...")
	if err == nil || !strings.Contains(out, `matchidentifier("_`) || strings.Contains(out, "FAIL: Test1") {
		t.Errorf("the test of another pattern: %v\n%s", err, out)
	}
}
