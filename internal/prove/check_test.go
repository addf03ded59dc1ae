package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

const sumTest = `package m

import "testing"

func TestSum(t *testing.T) {
	if got := Sum(4); got != 6 {
		t.Errorf("Sum(4) = %d", got)
	}
}

func BenchmarkSum(b *testing.B) {
	for b.Loop() {
		Sum(1000)
	}
}
`

// TestCheck has changes of a small module, and what the check says of them. Each builds and tests a module.
func TestCheck(t *testing.T) {
	replace := func(from, to string) map[string]string {
		return map[string]string{"m.go": strings.Replace(sumGo, from, to, 1)}
	}
	files := module(map[string]string{
		"m_test.go":        sumTest,
		"user/user.go":     "package user\n\nimport \"example.com/m\"\n\nfunc Twice(n int) int { return 2 * m.Sum(n) }\n",
		"user/x_test.go":   "package user\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(4) != 12 {\n\t\tt.Error(Twice(4))\n\t}\n}\n",
		"alone/alone.go":   "package alone\n\nfunc Alone(n int) int { return n }\n",
		"broken/b.go":      "package broken\n\nfunc B() int { return 1 }\n\nfunc c() int { return 1 }\n",
		"broken/b_test.go": "package broken\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Error(B(), c()) }\n",
	})
	top, dir := repository(t, "", files)
	for name, c := range map[string]struct {
		change map[string]string
		want   string // the state and a part of the reason
		output string
	}{
		"right":         {replace("sum += i", "sum = sum + i"), "right: tests pass, and execute 1 of 1 changed statements", ""},
		"partly":        {replace("	sum := 0\n", "	sum := 0\n	if n == 77 {\n		return 2926\n	}\n"), "right: tests pass, and execute 1 of 2 changed statements", ""},
		"wrong result":  {replace("sum := 0", "sum := 1"), "wrong: tests fail, and pass on the base: TestSum, TestTwice", "Sum(4) = 7"},
		"no build":      {replace("sum := 0", "sum := none"), "wrong: it doesn't build", "undefined: none"},
		"vet":           {replace("return sum", "return sum\n	panic(1)"), "wrong: go vet complains", "unreachable code"},
		"not called":    {map[string]string{"alone/alone.go": "package alone\n\nfunc Alone(n int) int { return +n }\n"}, "untested: it builds, but no package that depends on it has tests", ""},
		"new function":  {map[string]string{"m.go": sumGo + "\nfunc More() int {\n\treturn 1\n}\n"}, "untested: tests pass, but don't execute what changed in More", ""},
		"fails already": {map[string]string{"broken/b.go": "package broken\n\nfunc B() int { return +1 }\n\nfunc c() int { return 1 }\n"}, "untested: tests of example.com/m/broken also fail on the base", "TestB"},
		"weaker test": {map[string]string{"m.go": strings.Replace(sumGo, "sum := 0", "sum := 1", 1), "m_test.go": strings.Replace(sumTest, "got != 6", "got < 6", 1),
			"user/x_test.go": "package user\n"}, "wrong: it changes tests (m_test.go, x_test.go), and those of the base fail: TestSum, TestTwice", "Sum(4) = 7"},
		"new test": {map[string]string{"m.go": replace("sum += i", "sum = sum + i")["m.go"], "n_test.go": "package m\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { Sum(1) }\n"},
			"right: tests pass, and execute 1 of 1", ""},
		"other signature": {map[string]string{"broken/b.go": strings.ReplaceAll(files["broken/b.go"], "c()", "d()"), "broken/b_test.go": "package broken\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { B() }\n"},
			"untested: it changes tests (b_test.go), and those of the base don't build with it: review the tests", "undefined: c"},
		"constant": {map[string]string{"m.go": sumGo + "\nconst Limit = 1\n"}, "right: tests pass; no function changed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if rare := []string{"partly", "not called", "fails already", "new test", "other signature", "constant"}; testing.Short() && slices.Contains(rare, name) {
				t.Skip("-short")
			}
			check, _, err := checkOf(t, dir, patch(diffOf(t, top, c.change)))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s: %s", check.State, check.Why); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\nwant %s\n%s", got, c.want, check.Output)
			}
			if !strings.Contains(check.Output, c.output) || c.output == "" && check.Output != "" {
				t.Errorf("the output isn't one with %q:\n%s", c.output, check.Output)
			}
		})
	}
}

// checkOf checks what a source makes of the module.
func checkOf(t *testing.T, dir string, s source) (Check, []Function, error) {
	t.Helper()
	copied, of, err := tree(t, dir, s)
	if err != nil {
		return Check{}, nil, err
	}
	c := &checker{scratchCopy: copied, stage: func(stage, what string) {}}
	found, err := c.examine(t.Context(), of)
	if err != nil {
		return Check{}, nil, err
	}
	return found.check, found.functions, nil
}

// TestFunctionsOf checks which functions and statements changed lines belong to.
func TestFunctionsOf(t *testing.T) {
	const text = `package m

import "fmt"

// T has a number.
type T struct{ n int }

// Get returns it.
func (t *T) Get() int {
	if t.n > 1 &&
		t.n < 5 {
		return 1
	}
	// a comment
	return t.n
}

func Print(s string) {
	defer func() {
		fmt.Println(s)
	}()
	for range 3 {
		fmt.Print(
			s)
	}
}
`
	for at, want := range map[string]string{
		"+3":      "",                      // an import
		"+5":      "",                      // a comment
		"+6":      "elsewhere",             // a type
		"+8":      "",                      // a comment
		"+11":     "(*T).Get 10",           // the second line of a condition
		"+12":     "(*T).Get 12",           // a block, not the if
		"+14":     "",                      // a comment in it
		"+15":     "(*T).Get 15",           // a return
		"-13":     "(*T).Get",              // a line that went away before it
		"-17":     "elsewhere",             // between functions
		"+20":     "Print 19 20",           // a closure, and the statement around it
		"+24":     "Print 23",              // the second line of a call
		"+9 +18":  "(*T).Get Print",        // what has no statements
		"+12 +24": "(*T).Get 12 Print 23",  // two functions
		"+6 +12":  "(*T).Get 12 elsewhere", // both
	} {
		l := lines{make(map[int]bool), make(map[int]bool)}
		for _, one := range strings.Fields(at) {
			var line int
			fmt.Sscanf(one[1:], "%d", &line)
			maps.Copy(map[byte]map[int]bool{'+': l.changed, '-': l.removed}[one[0]], map[int]bool{line: true})
		}
		functions, elsewhere, err := functionsOf([]byte(text), l)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range functions {
			got = append(got, f.Name)
			for _, p := range f.changed {
				got = append(got, fmt.Sprint(p.line))
			}
		}
		if elsewhere {
			got = append(got, "elsewhere")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}

// TestExecuted checks that the innermost block decides, as a closure is inside of another function's block.
func TestExecuted(t *testing.T) {
	blocks := []cover.ProfileBlock{
		{StartLine: 1, StartCol: 10, EndLine: 9, EndCol: 2, Count: 1},
		{StartLine: 3, StartCol: 5, EndLine: 5, EndCol: 2, Count: 0},
	}
	for at, want := range map[position]bool{{2, 1}: true, {4, 1}: false, {6, 1}: true, {1, 1}: false, {9, 2}: false} {
		if got := executed(blocks, at); got != want {
			t.Errorf("%v: %v", at, got)
		}
	}
}
