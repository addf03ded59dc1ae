package prove

import (
	"slices"
	"strings"
	"testing"
)

const sameGo = `package m

import "strings"

func Odd(all []int) []int {
	var odd []int
	for _, n := range all {
		if n%2 != 0 {
			odd = append(odd, n)
		}
	}
	return odd
}

func Upper(s string) []byte {
	b := make([]byte, 0, len(s))
	return append(b, strings.ToUpper(s)...)
}

func Count(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

func Trim(s string) string { return strings.TrimSpace(s) }

type Path struct{ parts []string }

func Parse(s string) Path { return Path{strings.Split(s, "/")} }

func (p Path) String() string { return strings.Join(p.parts, "/") }

type Set struct{ m map[string]bool }

func New() *Set { return &Set{make(map[string]bool)} }

func (s *Set) Add(k string) { s.m[strings.ToLower(k)] = true }

type Encoder struct{ prefix string }

var Default = &Encoder{"x"}

func (e *Encoder) Encode(s string) []byte { return append([]byte(e.prefix), s...) }

func (s *Set) Has(k string) bool { return s.m[strings.ToLower(k)] }
`

const sameTest = `package m

import "testing"

func TestAll(t *testing.T) {
	s := New()
	s.Add("x")
	if !s.Has("x") || len(Odd([]int{1, 2, 3})) != 2 || string(Upper("a")) != "A" || Count("abc") != 3 || Trim(" x") != "x" || Parse("a/b").String() != "a/b" || string(Default.Encode("y")) != "xy" {
		t.Error("wrong")
	}
}
`

// TestOtherResults has changes that tests let pass: a remainder of negative numbers, a buffer that results share, a cache that goroutines share,
// a method that looks for other keys. And one that is right.
func TestOtherResults(t *testing.T) {
	top, dir := repository(t, "", module(map[string]string{"m.go": sameGo, "m_test.go": sameTest}))
	wrong := strings.NewReplacer(
		"n%2 != 0", "n%2 == 1",
		"b := make([]byte, 0, len(s))\n\treturn append(b, strings.ToUpper(s)...)", "buffer = append(buffer[:0], strings.ToUpper(s)...)\n\treturn buffer[:len(s):len(s)]",
		"n := 0\n", "n := 0\n\tlast.text, last.n = s, 0\n", "n++", "last.n++\n\t\tn = last.n",
		"s.m[strings.ToLower(k)] }", "s.m[k] }",
		"append([]byte(e.prefix), s...)", "append(append(buffer[:0], e.prefix...), s...)",
		"func New", "var buffer []byte\n\nvar last struct {\n\ttext string\n\tn int\n}\n\nfunc New",
	).Replace(sameGo)
	better := strings.Replace(sameGo, "n := 0\n	for range s {\n		n++\n	}\n	return n", "return len([]rune(s))", 1)
	inside := strings.Replace(sameGo, `strings.Split(s, "/")`, `strings.SplitN(s, "/", 2)`, 1)
	for text, want := range map[string][]string{wrong: {"Encoder.Encode", "Odd", "Set.Has", "Upper"}, inside: {"Parse"}, better: nil} {
		copied, of, err := tree(t, dir, patch(diffOf(t, top, map[string]string{"m.go": text})))
		if err != nil {
			t.Fatal(err)
		}
		e, err := (&checker{scratchCopy: copied, stage: func(string, string) {}}).examine(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		verdict := map[string]string{wrong: "different: tests pass, and execute 8 of 8 changed statements, but it answers otherwise than the base: ",
			inside: "untested: tests pass, and execute 1 of 1 changed statements, but values that it returns differ inside", better: "right: tests pass"}[text]
		if state := e.check.State; !strings.HasPrefix(string(state)+": "+e.check.Why, verdict) {
			t.Errorf("%s: %s", state, e.check.Why)
		}
		var got []string
		for _, d := range e.compared.Differences {
			if !slices.Contains(got, d.Function) && d.Function != "Count" { // goroutines disturb each other in it only by chance
				got = append(got, d.Function)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || e.compared.Calls < 50 || e.compared.Why != "" {
			t.Errorf("%v, want %v; %d calls, %s", e.compared.Differences, want, e.compared.Calls, e.compared.Why)
		}
	}
}
