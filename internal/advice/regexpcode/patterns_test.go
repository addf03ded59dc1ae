package regexpcode

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// patterns are those that programs have.
var patterns = map[string]string{
	"identifier":  `^[A-Za-z_][A-Za-z0-9_]*$`,
	"email":       `^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,4}$`,
	"emailFold":   `(?i)^[a-z0-9.]+@[a-z0-9-]+\.[a-z]+$`,
	"semver":      `^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$`,
	"semverFull":  `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
	"date":        `^(\d{4})-(\d{2})-(\d{2})$`,
	"dateIn":      `(\d{4})-(\d{2})-(\d{2})`,
	"time":        `^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`,
	"hex":         `^(?:0x)?[0-9a-fA-F]+$`,
	"sha":         `^[0-9a-f]{40}$`,
	"uuid":        `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`,
	"path":        `^(/[^/]+)+/?$`,
	"pathIn":      `/[a-z]+(?:/[a-z]+)*`,
	"space":       `^\s+|\s+$`,
	"leading":     `^\s*`,
	"trailing":    `\s+$`,
	"ipv4":        `^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$`,
	"ipv4Plain":   `^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$`,
	"assignment":  `(\w+)\s*=\s*(\w+)`,
	"assignment2": `^\s*(\w+)\s*=\s*"([^"]*)"\s*$`,
	"number":      `\d+(?:\.(\d+))?`,
	"float":       `^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$`,
	"quotedText":  `"([^"\\]|\\.)*"`,
	"lazyQuoted":  `"(.*?)"`,
	"tag":         `<([a-z]+)>`,
	"variable":    `\$\{([^}]+)\}`,
	"level":       `\b(ERROR|WARN|INFO)\b`,
	"levelFirst":  `^(ERROR|WARN|INFO): (.*)$`,
	"lines":       `(?m)^#\s*(\w+)$`,
	"anyLine":     `(?s)^begin.*end$`,
	"word":        `\bfoo\b`,
	"request":     `^(GET|POST|PUT) (/[^ ]*) HTTP/(\d)\.(\d)$`,
	"version":     `go(\d+)(?:\.(\d+))*`,
	"list":        `^\d+(?:,\d+)*$`,
	"listIn":      `[a-z]+(?:,[a-z]+)*`,
	"pairs":       `^(?:([a-z]+)=([0-9]+);)*$`,
	"triple":      `^(?:[a-f]\d){3}x$`,
	"umlaut":      `^[äöü]+$`,
	"notComma":    `^[^,]*,[^,]*$`,
	"three":       `^.{3}$`,
	"greek":       `^\p{Greek}+$`,
	"error":       `error: \d+`,
	"prefix":      `é[a-z]+`,
	"optional":    `^(?:a(b)c)?d`,
	"fallback":    `x(?:a(b)c)?`,
	"digits":      `[0-9]`,
	"ranges":      `^\d{2,4}$|^x+y$`,
	"control":     "^[^\x00-\x1f]*$",
	"lazyEnd":     `^a+?$`,
	"lazySome":    `a+?`,
	"upTo":        `^([^:]{1,3}):`,
	"upToASCII":   `^([a-z]{1,3}):([a-z]{2,}) `,
	"anchors":     `\Aabc\z`,
	"emptyChoice": `^(a|)b$`,
	"star":        `[^a-z]*x`,
	"starIn":      `[0-9]*x`,
	"never":       `^[a-z]$x`,
	"nul":         "^a\x00b+$",
	"words":       `[A-Za-z]+(?:'[a-z]+)?`,
	"spaces":      `\s+`,
}

// randomPattern returns a pattern that package regexp compiles.
func randomPattern(r *rand.Rand) string {
	for {
		p := ""
		switch r.IntN(8) {
		case 0:
			p = "(?i)"
		case 1:
			p = "(?m)"
		case 2:
			p = "(?s)"
		case 3:
			p = "(?U)"
		}
		if r.IntN(2) == 0 {
			p += "^"
		}
		p += randomSequence(r, 3)
		if r.IntN(2) == 0 {
			p += "$"
		}
		if _, err := regexp.Compile(p); err == nil {
			return p
		}
	}
}

func randomSequence(r *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		atoms := []string{"a", "b", "ab", "k", "é", ".", "[a-c]", "[^a]", "[^a-c]", `\d`, `\w`, `\s`, "1", "-", `\n`, "[é-ü]", "[b-d1]", ",", "_"}
		n := r.IntN(len(atoms) + 8)
		switch {
		case n < len(atoms):
			b.WriteString(atoms[n])
		case n == len(atoms):
			b.WriteString([]string{`\b`, `\B`, "^", "$", `\z`, "\ufffd"}[r.IntN(6)])
			continue
		case depth == 0:
			b.WriteString("c")
		case n < len(atoms)+3:
			b.WriteString("(" + randomSequence(r, depth-1) + ")")
		case n < len(atoms)+6:
			b.WriteString("(?:" + randomSequence(r, depth-1) + ")")
		default:
			b.WriteString("(?:" + randomSequence(r, depth-1) + "|" + randomSequence(r, depth-1) + ")")
		}
		if r.IntN(2) == 0 {
			b.WriteString([]string{"*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0,2}"}[r.IntN(10)])
		}
	}
	return b.String()
}

// randomText returns a text of characters that random patterns are about.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(9) {
		some := []string{"a", "b", "c", "d", "ab", "k", "K", "\u212a", "é", "É", "ü", "1", "-", ",", "_", " ", "\n", "\xff", "\xc3", "\xe2\x82", "\ufffd", "\xa9"}
		b.WriteString(some[r.IntN(len(some))])
	}
	return b.String()
}

// automatonOf builds the automaton of a pattern.
func automatonOf(pattern string) (*automaton, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	return newAutomaton(prog)
}

// TestAutomaton compares automatons with package regexp.
func TestAutomaton(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	built, bytes := 0, 0
	check := func(pattern string, texts int) {
		a, err := automatonOf(pattern)
		if err != nil {
			return
		}
		if built++; a.bytes {
			bytes++
		}
		re := regexp.MustCompile(pattern)
		all := Texts(pattern)
		for range texts {
			all = append(all, randomText(r))
		}
		for _, text := range all {
			if got, want := a.matches(text), re.MatchString(text); got != want {
				t.Errorf("%q of %q: %v, want %v", pattern, text, got, want)
			}
		}
	}
	for _, pattern := range patterns {
		check(pattern, 200)
	}
	for range 3000 {
		check(randomPattern(r), 60)
	}
	if built < 2000 || bytes < 500 {
		t.Errorf("%d automatons, %d of them for bytes: too few to tell", built, bytes)
	}
	t.Logf("%d automatons, %d of them for bytes", built, bytes)
}

func FuzzAutomaton(f *testing.F) {
	for _, pattern := range patterns {
		f.Add(pattern, "a1.b-\xff é")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > 200 {
			return
		}
		a, err := automatonOf(pattern)
		if err != nil {
			return
		}
		for _, text := range append(Texts(pattern), text) {
			if got, want := a.matches(text), re.MatchString(text); got != want {
				t.Errorf("%q of %q: %v, want %v", pattern, text, got, want)
			}
		}
	})
}

// TestSets compares sets with a slice of booleans.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const size = 20
	random := func() (s set, members [size]bool) {
		var ranges []rune
		for range r.IntN(4) {
			lo := rune(r.IntN(size))
			hi := min(lo+rune(r.IntN(6)), size-1)
			ranges = append(ranges, lo, hi)
			for c := lo; c <= hi; c++ {
				members[c] = true
			}
		}
		return newSet(ranges), members
	}
	for range 2000 {
		a, inA := random()
		b, inB := random()
		for c := range rune(size) {
			for _, check := range []struct {
				name string
				got  bool
				want bool
			}{
				{"or", a.or(b).has(c), inA[c] || inB[c]}, {"and", a.and(b).has(c), inA[c] && inB[c]},
				{"minus", a.minus(b).has(c), inA[c] && !inB[c]}, {"not", a.not().has(c), !inA[c]},
			} {
				if check.got != check.want {
					t.Fatalf("%v %s %v, %d: %v", a, check.name, b, c, check.got)
				}
			}
		}
	}
}

// TestRefused: patterns without a function, and why.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ pattern, method, want string }{
		{`^[a-z]+`, "ReplaceAllStringFunc", "not supported"},
		{`^[a-z]+`, "ReplaceAllString", "at most one match"},
		{`[a-z]*`, "ReplaceAllString", "empty text"},
		{`(`, "MatchString", "missing closing"},
		{`a*`, "MatchString", "every text or none"},
		{`(?s)^.{3}$`, "MatchString", "only counts"},
		{`(?:[a-z]\d){30}x|y`, "MatchString", "limit of 32"},
		{`(?:a|b)*a(?:a|b){9}$`, "MatchString", "more than 500 states"},
		{`^\pL+$`, "MatchString", "more than 100 ranges"},
		{`a+b|a+c`, "FindString", "decide"},
		{`^[a-z]*z`, "FindString", "doesn't decide whether [a-z] is repeated"},
		{`\bfoo`, "FindString", `\b`},
		{`(?m)^a`, "FindString", "lines"},
		{`(a|b$)c`, "FindString", "inside"},
		{`[^a]b`, "FindString", "outside of ASCII"},
		{`.b`, "FindString", "outside of ASCII"},
		{`(?i)kelvin`, "FindString", "outside of ASCII"},
		{"\ufffd", "FindString", "invalid bytes"},
		{`a*`, "FindString", "empty text"},
		{`(?:a*)*`, "FindString", "may be empty"},
		{`^(?:a|b|)c`, "FindString", "may be empty"},
		{`^(?:ab){2,5}`, "FindString", "varies"},
		{`a[ab]*z`, "FindString", "quadratic"},
		{`^a.*?bc$`, "FindString", "as few as possible"},
		{`(?:a(?:bc)?){2}`, "FindString", "in another way"},
		{`(?:,a??){2}`, "FindString", "in another way"},
		{`".+?"`, "FindString", "as few as possible"},
		{`x(?:a(?:bc+d)?e)?`, "FindString", "left out"},
		{`x(?:,(\d+);)*`, "FindStringSubmatch", "left out"},
		{`^\x{d800}$`, "MatchString", "surrogate"},
		{`^a?[\x{d800}-\x{e000}]$`, "MatchString", "surrogate"},
	} {
		code, err := Generate(c.pattern, Options{Name: "f", Pattern: "re", Method: c.method})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %s: %v, want an error with %q\n%s", c.pattern, c.method, err, c.want, code.Text)
		}
	}
}

// compared is a generated function with what it is compared to.
type compared struct {
	Code
	name, pattern, method string
}

// candidates generates functions for all methods of a pattern.
func candidates(name, pattern string) (all []compared) {
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		fn := fmt.Sprintf("f%s%s", name, method)
		if code, err := Generate(pattern, Options{Name: fn, Pattern: "re" + name, Method: method, Test: "TestX"}); err == nil {
			all = append(all, compared{code, fn, pattern, method})
		}
	}
	return all
}
