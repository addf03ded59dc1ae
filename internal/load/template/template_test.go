package template

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fill returns what requests 0 to n-1 get.
func fill(t testing.TB, tmpl *Template, feed *Feed, n int) []string {
	t.Helper()
	v := NewValues(1, 2)
	var out []string
	for i := range n {
		v.N, v.Row = int64(i), feed.Row(int64(i))
		out = append(out, string(tmpl.Append(nil, v)))
	}
	return out
}

func parse(t testing.TB, text string, feed *Feed) *Template {
	t.Helper()
	tmpl, err := Parse("text", text, feed)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func TestFunctions(t *testing.T) {
	now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.FixedZone("", 3600)) }
	defer func() { now = time.Now }()
	number := func(ok func(v float64) bool) func(string) bool {
		return func(s string) bool {
			v, err := strconv.ParseFloat(s, 64)
			return err == nil && ok(v)
		}
	}
	matches := func(pattern string) func(string) bool { return regexp.MustCompile("^" + pattern + "$").MatchString }
	for _, test := range []struct {
		text     string
		ok       func(string) bool
		distinct int // of 1000, at least
	}{
		{"", matches(""), 1},
		{"plain } }} { text", matches("plain } }} { text"), 1},
		{`{{"{{"}}x{{"\"}}"}}`, matches(`{{x"}}`), 1},
		{"{{n}}", matches("[0-9]{1,3}"), 1000},
		{"{{ int\n 1\t3 }}", number(func(v float64) bool { return v == 1 || v == 2 || v == 3 }), 3},
		{"{{int -5 -5}}", matches("-5"), 1},
		{"{{int -9223372036854775808 9223372036854775807}}", matches("-?[0-9]{1,19}"), 1000},
		{"{{float 0 1}}", matches(`[01]\.[0-9]{6}`), 900},
		{"{{float -2.5 1e3 2}}", number(func(v float64) bool { return v >= -2.5 && v <= 1000 }), 900},
		{"{{float 7 7 0}}", matches("7"), 1},
		{"{{float -1e308 1e308 0}}", matches("-?[0-9]+"), 900},
		{"{{hex 16}}", matches("[0-9a-f]{16}"), 1000},
		{"{{hex 1}}", matches("[0-9a-f]"), 16},
		{"{{letters 3}}", matches("[a-z]{3}"), 900},
		{"{{uuid}}", matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"), 1000},
		{`{{one "a" "b c" d}}`, matches("a|b c|d"), 3},
		{"{{unix}} {{unixms}} {{unixns}}", matches("1767319445 1767319445678 1767319445678900000"), 1},
		{"{{time}}", matches(`2026-01-02T02:04:05\.6789Z`), 1},
	} {
		tmpl := parse(t, test.text, nil)
		out := fill(t, tmpl, nil, 1000)
		for _, got := range out {
			if !test.ok(got) {
				t.Errorf("%s gives %q", test.text, got)
				break
			}
		}
		slices.Sort(out)
		if got := len(slices.Compact(out)); got < test.distinct || test.distinct == 1 && got > 1 {
			t.Errorf("%s gives %d different texts of 1000, want %d", test.text, got, test.distinct)
		}
	}
	if !parse(t, `a{{"b"}}`, nil).Static() || parse(t, "a{{n}}", nil).Static() {
		t.Error("Static")
	}
}

// The same seed gives the same texts, and another stream others.
func TestSeed(t *testing.T) {
	tmpl := parse(t, "{{hex 16}}{{int 1 1000000}}{{uuid}}", nil)
	text := func(seed, stream uint64) string { return string(tmpl.Append(nil, NewValues(seed, stream))) }
	if got := text(1, 2); got != text(1, 2) || got == text(1, 3) || got == text(2, 2) {
		t.Error("texts do not follow from seed and stream")
	}
}

func TestParseErrors(t *testing.T) {
	feed := &Feed{name: "users.csv", columns: []string{"id", "name"}, rows: [][]string{{"1", "a"}}}
	for text, want := range map[string]string{
		"{{":                 "text:1:1: {{ without }}",
		"ab\ncä{{n":          "text:2:3: {{ without }}",
		"{{ }}":              "text:1:1: nothing between {{ and }}",
		"a\n\n {{nope}}":     "text:3:4: unknown function {{nope}} (known: float, hex, int,",
		"{{n 1}}":            "text:1:3: wrong number of arguments: use {{n}}",
		"{{int 1}}":          "text:1:3: wrong number of arguments: use {{int MIN MAX}}",
		"{{int a 2}}":        `text:1:7: invalid integer "a"`,
		"{{int 3 2}}":        "text:1:9: 2 is less than 3",
		"{{float x 2}}":      `text:1:9: invalid number "x"`,
		"{{float 0 NaN}}":    `text:1:11: invalid number "NaN"`,
		"{{float 0 1 16}}":   `text:1:13: invalid number of digits "16": use 0 to 15`,
		"{{hex 0}}":          "text:1:7: invalid length 0: use 1 to",
		"{{letters 9999999}": "text:1:18: unexpected \"}\"",
		`{{"a}}`:             "text:1:3: missing closing quotation mark",
		`{{"a" b}}`:          "text:1:7: unexpected argument after a text",
		"{{row.email}}":      "text:1:3: users.csv has no column \"email\" (columns: id, name)",
		"{{row.id 1}}":       "text:1:10: unexpected argument after a column",
		"{{n}x}}":            "text:1:4: unexpected \"}\"",
	} {
		_, err := Parse("text", text, feed)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	if _, err := Parse("text", "{{row.id}}", nil); err == nil || !strings.Contains(err.Error(), "needs a feed") {
		t.Errorf("without a feed: %v", err)
	}
}

func TestNoAllocations(t *testing.T) {
	feed := &Feed{name: "f", columns: []string{"id"}, rows: [][]string{{"a\"\n\\"}, {"b"}}}
	all := `{{n}}{{int 1 9}}{{float 0 1}}{{hex 9}}{{letters 9}}{{uuid}}{{one "a\n" "b"}}{{unix}}{{unixms}}{{unixns}}{{time}}{{row.id}}{{"\n"}}`
	doc, err := ParseJSON("doc", `{"a":"line\n{{row.id}}","b":1,"c":{"d":"x"}}`, feed, Replacement{"a", all}, Replacement{"b", "{{int 1 9}}"}, Replacement{"c.d", all})
	if err != nil {
		t.Fatal(err)
	}
	v := NewValues(1, 1)
	buf := make([]byte, 0, 4096)
	for name, tmpl := range map[string]*Template{"text": parse(t, all, feed), "JSON": doc} {
		if n := testing.AllocsPerRun(1000, func() {
			v.Row = feed.Row(v.N)
			buf = tmpl.Append(buf[:0], v)
			v.N++
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFeeds(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv":    "\ufeffid,name\n1,\"a,\"\"b\"\"\"\n2,c\n",
		"a.jsonl":  "{\"id\":1,\"name\":\"a,\\\"b\\\"\"}\n\n{\"name\":\"c\",\"id\":2,\"more\":null}",
		"b.csv":    "id,name\n1,\"a,\"\"b\"\"\"\n2,c\n",
		"c.csv":    "\ufeff\"id\",name\r\n1,\"a,\"\"b\"\"\"\r\n2,c\r\n",
		"b.jsonl":  "\ufeff{\"id\":1,\"name\":\"a,\\\"b\\\"\"}\r\n{\"id\":2,\"name\":\"c\"}\r\n",
		"a.NDJSON": " {\"name\": \"a,\\\"b\\\"\", \"id\": 1 }\r\n{\"id\":2,\"name\":\"c\"}\r\n",
	} {
		feed, err := ReadFeed(t.Context(), writeFile(t, name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fill(t, parse(t, "{{row.id}}:{{row.name}}", feed), feed, 3)
		if want := []string{`1:a,"b"`, "2:c", `1:a,"b"`}; !slices.Equal(got, want) || feed.Rows() != 2 {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, test := range []struct{ name, text, want string }{
		{"a.txt", "a", "unknown format of a feed: use a .csv, .jsonl or .ndjson file"},
		{"a.csv", "\xff\xfei\x00d\x00", "a.csv: the text is UTF-16"},
		{"a.jsonl", "\xfe\xff\x00{\x00}", "a.jsonl: the text is UTF-16"},
		{"a.csv", "", "the names of the columns: EOF"},
		{"a.csv", "a,b\n", "the feed has no rows"},
		{"a.csv", "a,a\n1,2\n", `a.csv:1: two columns are named "a"`},
		{"a.csv", "a,b\n1,2\n3\n", "record on line 3: wrong number of fields"},
		{"a.csv", "a,b\n1,\"2\n", "on line 2, column 6"},
		{"a.jsonl", "\n", "the feed has no rows"},
		{"a.jsonl", "{\"a\":1}\n\n{\"b\":1}", `a.jsonl:3: missing "a", which the first line has`},
		{"a.jsonl", "{}\n{\"b\":1}\n", ""},
		{"a.jsonl", "null\n", "a.jsonl:1: not a JSON object"},
		{"a.jsonl", "{\"a\":1}\n[1]\n", "a.jsonl:2: json: cannot unmarshal array"},
		{"a.jsonl", "{\"a\":1\n", "a.jsonl:1: unexpected end of JSON"},
	} {
		feed, err := ReadFeed(t.Context(), writeFile(t, test.name, test.text))
		if test.want == "" {
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
			} else if _, err := Parse("x", "{{row.b}}", feed); err == nil {
				t.Errorf("%q: a column that the first row does not have", test.text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v; want %s", test.name, test.text, err, test.want)
		}
	}
	if _, err := ReadFeed(t.Context(), filepath.Join(t.TempDir(), "none.csv")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

var long = regexp.MustCompile("[0-9]{3,}")

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{{int 1 2}} {{float 0 1 3}}`, `{{one "a" "b"}}{{"{{"}}`, "{{row.a}}{{hex 4}}", "{{", `{{"\x00`, "{{uuid}}}}"} {
		f.Add(text)
	}
	feed := &Feed{name: "f", columns: []string{"a"}, rows: [][]string{{"x"}}}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "hex") || strings.Contains(text, "letters") {
			text = long.ReplaceAllString(text, "99") // megabytes take time, and find nothing
		}
		tmpl, err := Parse("text", text, feed)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Line < 1 || e.Line > 1+strings.Count(text, "\n") || e.Column < 1 {
				t.Fatalf("%#v", err)
			}
			return
		}
		out := fill(t, tmpl, feed, 2)
		if tmpl.Static() && out[0] != out[1] {
			t.Fatalf("static, and %q is not %q", out[0], out[1])
		}
		if !strings.Contains(text, "{{") && out[0] != text {
			t.Fatalf("%q became %q", text, out[0])
		}
	})
}
