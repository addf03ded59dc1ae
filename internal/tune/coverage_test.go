package tune

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
)

// TestCoverage: what tests execute of the functions that a rewrite changes, wherever the
// function and the tests are.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules")
	}
	const before = `package m

import "fmt"

var table = func(n int) string { return fmt.Sprint(n) }

type T[E any] struct{ all []E }

func (t *T[E]) Len(n int) int {
	if n < 0 {
		return 0
	}
	return len(fmt.Sprint(n))
}

func Closure(n int) int {
	f := func() int { return len(fmt.Sprint(n)) }
	return f()
}

func Map[K comparable](m map[K]int) int { return len(fmt.Sprint(m)) }

func Empty() {}

func Plain(n int) int {
	if n > 100 {
		return len(fmt.Sprint(n))
	}
	return 0
}
`
	calls := func(body string) string {
		return "package m\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {\n" + body + "\n}\n"
	}
	for _, c := range []struct {
		name     string
		old, new string // in before
		tests    map[string]string
		want     string
		keeps    bool // of class A
	}{
		{"method of a generic type", "return len(fmt.Sprint(n))\n}\n\nfunc Closure", "x := fmt.Sprint(n)\n\treturn len(x)\n}\n\nfunc Closure", map[string]string{"m_test.go": calls("(&T[int]{}).Len(1)")}, "tests execute 2 of 3 statements of (*T).Len", true},
		{"none of what changed", "return len(fmt.Sprint(n))\n\t}\n\treturn 0", "x := fmt.Sprint(n)\n\t\treturn len(x)\n\t}\n\treturn 0", map[string]string{"m_test.go": calls("Plain(1)")}, "tests execute 2 of 3 statements of Plain, but none of those that changed", true},
		{"closure", "f := func() int { return len(fmt.Sprint(n)) }", "f := func() int { x := fmt.Sprint(n); return len(x) }", map[string]string{"m_test.go": calls("Closure(1)")}, "tests execute 3 of 3 statements of Closure", true},
		{"generic function", "{ return len(fmt.Sprint(m)) }", "{ x := fmt.Sprint(m); return len(x) }", map[string]string{"m_test.go": calls("Map(map[int]int{})\nMap(map[string]int{})")}, "tests execute 1 of 1 statements of Map", true},
		{"function of a variable", "func(n int) string { return fmt.Sprint(n) }", "func(n int) string { return fmt.Sprint(n + 0) }", map[string]string{"m_test.go": calls("table(1)")}, "tests execute 1 of 1 statements of the functions at line 5", true},
		{"two functions", "return len(fmt.Sprint(n))", "return len(fmt.Sprint(n + 0))", map[string]string{"m_test.go": calls("Plain(1000)\n(&T[int]{}).Len(1)")}, "tests execute 2 of 3 statements of (*T).Len; no test executes Closure; tests execute 2 of 3 statements of Plain", false},
		{"tests of another package", "{ return len(fmt.Sprint(m)) }", "{ x := fmt.Sprint(m); return len(x) }", map[string]string{"other/other_test.go": "package other\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m\"\n)\n\nfunc Test(t *testing.T) { m.Map(map[int]int{}) }\n"}, "tests execute 1 of 1 statements of Map", true},
		{"benchmarks are no tests", "{ return len(fmt.Sprint(m)) }", "{ x := fmt.Sprint(m); return len(x) }", map[string]string{"m_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkMap(b *testing.B) { Map(map[int]int{}) }\n"}, "no test executes Map", false},
		{"no tests at all", "{ return len(fmt.Sprint(m)) }", "{ x := fmt.Sprint(m); return len(x) }", nil, "no test executes Map", false},
		{"only a removal", "\tif n > 100 {\n\t\treturn len(fmt.Sprint(n))\n\t}\n", "", map[string]string{"m_test.go": calls("Plain(1)")}, "tests execute 2 of 3 statements of Plain", true},
		{
			"coverage makes tests fail", "{ return len(fmt.Sprint(m)) }", "{ x := fmt.Sprint(m); return len(x) }",
			map[string]string{"m_test.go": calls("if testing.CoverMode() != \"\" {\n\tt.Error(\"counted\")\n}\nMap(map[int]int{})")},
			"tests execute 1 of 1 statements of Map", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			after := strings.ReplaceAll(before, c.old, c.new)
			if after == before {
				t.Fatal("nothing changes")
			}
			files := map[string]string{"go.mod": goMod, "m.go": before}
			for name, text := range c.tests {
				files[name] = text
			}
			dir := module(t, files)
			f := finding(dir, before, after)
			f.Class = advice.Safe
			trial := tuner(t, dir)
			trial.CheckOnly, trial.Dirty = true, true
			r, err := trial.Try(t.Context(), f, nil)
			if err != nil || r.State != advice.Patched {
				t.Fatalf("%v, %+v", err, r)
			}
			if r.Tests != c.want {
				t.Errorf("%q\nwant %q", r.Tests, c.want)
			}
			if keeps := !strings.Contains(r.Why, "-untested"); keeps != c.keeps {
				t.Errorf("keeps %v: %s", keeps, r.Why)
			}
			if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `"tests":"`) {
				t.Errorf("%s, %v", text, err)
			}
			f.Fix.Diff = "--- a/m.go\n"
			if mail := string(mailText(r, f, nobody, f.Fix.Diff)); !strings.Contains(mail, "Tests: "+r.Tests+".\n") {
				t.Errorf("the patch is\n%s", mail)
			}
			f.Class = advice.Review
			if why := trial.needsTests(r, f); why != "" {
				t.Errorf("of class B: %s", why)
			}
			trial.Untested, f.Class = true, advice.Safe
			if why := trial.needsTests(r, f); why != "" {
				t.Errorf("with -untested: %s", why)
			}
		})
	}
}

// TestUntestedIsNotMeasured: a benchmark executes the function, and no test does.
func TestUntestedIsNotMeasured(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow, "m_test.go": strings.Replace(tests, "Length(12345) != 5", "false", 1)})
	f := finding(dir, slow, fast)
	f.Class = advice.Safe
	r, err := tuner(t, dir).Try(t.Context(), f, length)
	if err != nil || r.State != advice.Patched || r.Kept || r.Run != "" || r.Why != "it builds and passes the tests, but no test executes Length: write one, or keep it with -untested" {
		t.Errorf("%v, %+v", err, r)
	}
	if got := read(t, filepath.Join(dir, "m.go")); got != slow {
		t.Errorf("the file is\n%s", got)
	}
}

// TestOutsideIsNotRewritten: files, and files below folders, that symbolic links lead to.
func TestOutsideIsNotRewritten(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": goMod, "in/m.go": slow})
	out := module(t, map[string]string{"m.go": slow, "folder/m.go": slow})
	for link, to := range map[string]string{
		"m.go": filepath.Join(out, "m.go"), "folder": filepath.Join(out, "folder"), "within": filepath.Join(dir, "in"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for file, outside := range map[string]bool{"m.go": true, "folder/m.go": true, "within/m.go": false, "in/m.go": false} {
		f := finding(dir, slow, fast)
		f.Fix.Files[0].File = filepath.Join(dir, file)
		trial := tuner(t, dir)
		if err := trial.keep(f.Fix); errors.Is(err, ErrOutside) != outside || !outside && err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if outside {
			if _, err := trial.Try(t.Context(), f, length); !errors.Is(err, ErrOutside) {
				t.Errorf("trying %s: %v", file, err)
			}
		}
	}
	for _, file := range []string{"m.go", "folder/m.go"} {
		if got := read(t, filepath.Join(out, file)); got != slow {
			t.Errorf("%s is\n%s", file, got)
		}
	}
}
