package store

import (
	"errors"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func mustMatch(t *testing.T, name string, op Op, value string) Matcher {
	t.Helper()
	m, err := NewMatcher(name, op, value)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseSelector(t *testing.T) {
	m := func(name string, op Op, value string) Matcher { return mustMatch(t, name, op, value) }
	for _, test := range []struct {
		text string
		want Selector
	}{
		{`cpu`, Selector{m("kind", Equal, "cpu")}},
		{` cpu `, Selector{m("kind", Equal, "cpu")}},
		{`off-cpu.v2`, Selector{m("kind", Equal, "off-cpu.v2")}},
		{`{}`, nil},
		{`{ }`, nil},
		{`cpu{}`, Selector{m("kind", Equal, "cpu")}},
		{`cpu {service="api"}`, Selector{m("kind", Equal, "cpu"), m("service", Equal, "api")}},
		{`{service="api",}`, Selector{m("service", Equal, "api")}},
		{`cpu{service="api", version=~"v1.*", zone!="b", instance!~"x|y"}`, Selector{
			m("kind", Equal, "cpu"), m("service", Equal, "api"), m("version", Match, "v1.*"),
			m("zone", NotEqual, "b"), m("instance", NotMatch, "x|y")}},
		{"\n{\n\tk8s.pod-name = 'a' ,\n\tb!~`\\d+\n`,\n}\n", Selector{m("k8s.pod-name", Equal, "a"), m("b", NotMatch, "\\d+\n")}},
		{`{a="\"'\t\\\x41\101\u00e4\U0001F600ö"}`, Selector{m("a", Equal, "\"'\t\\AAä😀ö")}},
		{`{a='"\''}`, Selector{m("a", Equal, `"'`)}},
		{`{a="\xc3\xa4"}`, Selector{m("a", Equal, "ä")}},
		{`{a=""}`, Selector{m("a", Equal, "")}},
		{`{a="x", a!="y"}`, Selector{m("a", Equal, "x"), m("a", NotEqual, "y")}},
		{`{service="api", kind="cpu"}`, Selector{m("service", Equal, "api"), m("kind", Equal, "cpu")}},
		{`{"a b/c"="x", 'größe'!="y", "\"9"=~"z|"}`, Selector{m("a b/c", Equal, "x"), m("größe", NotEqual, "y"), m(`"9`, Match, "z|")}},
		{`{kind="1st"}`, Selector{m("kind", Equal, "1st")}},
		{`{kind=~"cpu|wall"}`, Selector{m("kind", Match, "cpu|wall")}},
	} {
		got, err := ParseSelector(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.text, got, test.want)
		}
		again, err := ParseSelector(got.String())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: String returns %s, which reads as %v, %v", test.text, got, again, err)
		}
	}
}

func TestSelectorString(t *testing.T) {
	for text, want := range map[string]string{
		"cpu{}":                       "cpu",
		"{}":                          "{}",
		"{kind='cpu',service=`a\"b`}": `cpu{service="a\"b"}`,
		"{service='a',kind='cpu'}":    `{service="a", kind="cpu"}`,
		"{kind='a b'}":                `{kind="a b"}`,
		`{"k8s.pod" = 'x', 'a'!="b"}`: `{k8s.pod="x", a!="b"}`,
		"{kind!='cpu'}":               `{kind!="cpu"}`,
	} {
		s, err := ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Errors tell the byte where reading ended and what should stand there.
func TestParseSelectorErrors(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int
		msg    string
	}{
		{``, 0, "a kind of profile or {, but the selector ends"},
		{`  `, 2, "a kind of profile or {"},
		{`"cpu"`, 0, "a kind of profile or {, found '\"'"},
		{`cpu mem`, 4, "{ or the end of the selector, found 'm'"},
		{`cpu}`, 3, "{ or the end"},
		{`1cpu`, 0, "a kind of profile or {"},
		{`{`, 1, "the name of a label or }, but the selector ends"},
		{`{{`, 1, "the name of a label or }"},
		{`cpu{{}`, 4, "the name of a label or }"},
		{`{,}`, 1, "the name of a label or }, found ','"},
		{`{a="b",,}`, 7, "the name of a label or }"},
		{`{a="b"`, 6, ", or }"},
		{`{a="b" c="d"}`, 7, ", or }, found 'c'"},
		{`{a="b"} x`, 8, "the end of the selector, found 'x'"},
		{`{a}`, 2, "one of = != =~ !~ after a, found '}'"},
		{`{a!"b"}`, 2, "one of = != =~ !~"},
		{`{a==“b”}`, 3, "a value in quotes"},
		{`{a=b}`, 3, "a value in quotes, found 'b'"},
		{`{a=~~"b"}`, 4, "a value in quotes"},
		{`{a="b}`, 3, `is not closed: expected "`},
		{`{a='b"}`, 3, `is not closed: expected '`},
		{"{a=`b}", 3, "is not closed: expected `"},
		{`{"a\tb"="c"}`, 1, "invalid label name"},
		{`{"a\u202eb"="c"}`, 1, "invalid label name"},
		{`{"a\xff"="c"}`, 1, "not UTF-8"},
		{`{""="c"}`, 1, "empty label name"},
		{`{"a`, 1, "is not closed"},
		{"{a=\"b\n\"}", 3, "is not closed"},
		{`{a="b\q"}`, 5, `expected one of \a \b`},
		{`{a="b\'"}`, 5, `expected one of \a \b`},
		{`{a="\xff"}`, 1, "not UTF-8"},
		{`{a=~"(b"}`, 4, "missing closing )"},
		{`{a=~"b)(c"}`, 4, "unexpected )"},
		{`{ä="b"}`, 1, "the name of a label or }, found 'ä'"},
	} {
		s, err := ParseSelector(test.text)
		var e *SelectorError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, %v", test.text, s, err)
			continue
		}
		if e.Offset != test.offset || !strings.Contains(e.Msg, test.msg) {
			t.Errorf("%s: got %v; want byte %d: %s", test.text, err, test.offset, test.msg)
		}
	}
}

func TestSelectorMatches(t *testing.T) {
	labels, err := NewLabels(Label{"service", "api"}, Label{"kind", "cpu"}, Label{"version", "v1.2\nb"}, Label{"k8s.pod-name", "p"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{}`:                             true,
		`cpu`:                            true,
		`heap`:                           false,
		`cpu{service="api"}`:             true,
		`cpu{service="ap"}`:              false,
		`cpu{service!="web"}`:            true,
		`cpu{service!="api"}`:            false,
		`{service=~"ap"}`:                false, // the whole value
		`{service=~"ap|i"}`:              false, // each alternative, too
		`{service=~"api|web"}`:           true,
		`{service!~"a.."}`:               false,
		`{service!~"a."}`:                true,
		`{version=~"v1.*"}`:              true, // a dot is any character, also a newline
		`{zone=""}`:                      true, // no label is an empty one
		`{zone!=""}`:                     false,
		`{zone=~".*"}`:                   true,
		`{zone!~"a"}`:                    true,
		`{k8s.pod-name="p"}`:             true,
		`{service=~"a.*", service=~"b"}`: false,
		`{service=~"(?i)API"}`:           true,
		`{service=~"api|"}`:              true,
		`{zone=~"api|"}`:                 true,
	} {
		s, err := ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Matches(labels); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestLabelsAreASelector(t *testing.T) {
	labels, err := NewLabels(Label{"service", "a\"b\\\n\u2028"}, Label{"kind", "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseSelector(labels.String())
	if err != nil {
		t.Fatal(err)
	}
	if !s.Matches(labels) || len(s) != 2 {
		t.Errorf("%s reads as %v", labels, s)
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, text := range []string{`cpu`, `{}`, `cpu{service="api", version=~"v1.*", zone!='b', instance!~` + "`x|y`" + `}`, `{a="\xc3\xa4",}`, `{a=~"(?s:.)"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSelector(text)
		if err != nil {
			var e *SelectorError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := ParseSelector(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%q: String returns %s, which reads as %v, %v", text, s, again, err)
		}
		s.Matches(Labels{{"kind", "cpu"}, {"service", "api"}})
	})
}

// TestSelectorCost checks that a selector that would take long is refused with
// what it has too much of, and that those which people write are not.
func TestSelectorCost(t *testing.T) {
	list := strings.Repeat(`shop-\.cart|`, 1000) + "api"
	for _, test := range []struct{ name, text, refused string }{
		{"nested repetitions", `{a=~"(((x?){10}){10}){10}"}`, "steps"},
		{"many in one", `{a=~"` + strings.Repeat("(.{40})?", 300) + `"}`, "steps"},
		{"many patterns", `{` + strings.Repeat(`a=~"(x?){100}",`, 6) + `}`, "steps"},
		{"open repetitions", `{a=~"(x{300,}y){2,}"}`, "steps"},
		{"long", `{a=~".` + strings.Repeat("(?:)", 2000) + `"}`, "limit is 4096"},
		{"longer than all", `{a="` + strings.Repeat("x", 20_000) + `"}`, "limit is 16384"},
		{"conditions", `{` + strings.Repeat(`a="b",`, 65) + `}`, "more than 64 conditions"},
		{"a list of texts", "{a=~`" + list + "`}", ""},
		{"as people write", `{a=~"(prod|staging)-(eu|us)-[0-9]{1,3}\\..*", b!~"(?i)v[0-9]+(\\.[0-9]+){2}(-rc[0-9]+)?"}`, ""},
	} {
		_, err := ParseSelector(test.text)
		switch {
		case test.refused == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused) || len(err.Error()) > 500):
			t.Errorf("%s: %v, want one line with %q", test.name, err, test.refused)
		}
	}
	m := mustMatch(t, "a", Match, list)
	for value, want := range map[string]bool{"api": true, "shop-.cart": true, "shop-xcart": false, "": false, "ap": false} {
		if m.Matches(value) != want {
			t.Errorf("%q in a list of texts: %t", value, !want)
		}
	}
}

// TestPatterns checks that patterns that are read as lists of texts match what
// package regexp has them match.
func TestPatterns(t *testing.T) {
	values := []string{"", "a", "b", "ab", "a|b", "a.b", "axb", "\n", "a\n", `\`, "ä", "d", "5", "-", "A"}
	for _, text := range []string{"a|b", "", "a|", "|", `a\.b`, `a.b`, `a\|b`, `\\`, "ä|a", `\d`, `\x61`, `a\nb`, `\-`, "(?i)a", "a|b.*", `\Qa.b\E`, "^a$", "a\n", "[ab]"} {
		m := mustMatch(t, "x", Match, text)
		re := regexp.MustCompile("^(?s:" + text + ")$")
		for _, v := range values {
			if got, want := m.Matches(v), re.MatchString(v); got != want {
				t.Errorf("%q matches %q: %t, want %t", text, v, got, want)
			}
		}
	}
}

// TestStepsBoundPrograms checks that the count of steps is one of the program that
// package regexp makes, but for a constant factor.
func TestStepsBoundPrograms(t *testing.T) {
	for _, text := range []string{"abc", "(a|b|c)*", "x{3,17}", "(x{2,5}y?){4}", "[a-z]+[0-9]{2}", "(((a{3}){3}){3})", `\pL{40}|x`, "(?i)straße", "(x?){50}", "^a.*b$"} {
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		n := steps(tree)
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if len(prog.Inst) > 2*n+4 {
			t.Errorf("%s: %d steps, its program has %d", text, n, len(prog.Inst))
		}
	}
}
