package template

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	feed := &Feed{name: "f.csv", columns: []string{"id"}, rows: [][]string{{"a\"b\\c\n\x01é\xff"}}}
	for _, test := range []struct {
		doc     string
		replace []string
		want    string
	}{
		{`{"a": 1}`, nil, `{"a": 1}`},
		{` {"name":{"first":"Janet","last":"Prichard"}} `, []string{"name.first=J-{{n}}"}, ` {"name":{"first":"J-0","last":"Prichard"}} `},
		{`{"a":"x","b":[1,{"c":true}],"d e":null}`,
			[]string{`$.b[1].c={{int 5 5}}`, `$["d e"]=[{{n}}]`, `b[0]="{{n}}"`, `a=`}, `{"a":"","b":["0",{"c":5}],"d e":[0]}`},
		{`{"a":{"deep":"{{n}} and \"{{n}}\""},"b":"{{row.id}}","{{n}}":1}`, nil,
			`{"a":{"deep":"0 and \"0\""},"b":"a\"b\\c\u000a\u0001é�","0":1}`},
		{`{"a":"x"}`, []string{`a={{row.id}}{{one "\"" "\""}}` + "\n"}, `{"a":"a\"b\\c\u000a\u0001é�\"\u000a"}`},
		{`{"a":{"b":"{{bad"}}`, []string{"a=[]"}, `{"a":[]}`},
		{`[["{{n}}"],2]`, []string{"[1]={{n}}"}, `[["0"],0]`},
		{`"x"`, []string{"$={{n}}"}, `"0"`},
		{`{"a\u0000b":1,"a":{"b":2}}`, []string{"a.b=3"}, `{"a\u0000b":1,"a":{"b":3}}`},
		{`{"a":"1 < 2 & {{n}}"}`, nil, `{"a":"1 < 2 & 0"}`},
	} {
		var replace []Replacement
		for _, text := range test.replace {
			r, err := ParseReplacement(text)
			if err != nil {
				t.Fatal(err)
			}
			replace = append(replace, r)
		}
		tmpl, err := ParseJSON("doc", test.doc, feed, replace...)
		if err != nil {
			t.Errorf("%s %q: %v", test.doc, test.replace, err)
			continue
		}
		if got := fill(t, tmpl, feed, 1)[0]; got != test.want || !json.Valid([]byte(got)) {
			t.Errorf("%s %q:\n%s, want\n%s", test.doc, test.replace, got, test.want)
		}
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, test := range []struct{ doc, path, text, want string }{
		{"", "", "", "doc:1:1: unexpected end of JSON"},
		{"{\n \"a\": [1,\n  2", "", "", "doc:3:4: unexpected end of JSON"},
		{"{\n \"ä\": x}", "", "", "doc:2:7: invalid character 'x'"},
		{`{"a":1} 2`, "", "", "doc:1:9: invalid character '2' after top-level value"},
		{`{"a":1,}`, "", "", "doc:1:8: invalid character '}'"},
		{`{"a":"{{one "}}"}`, "", "", "doc:1:15: invalid character '}' after top-level value"},
		{"{\n\"a\":\"b {{int 2 x}}\"}", "", "", `doc:2:16: invalid integer "x"`},
		{`{"a":"\n{{nope}}"}`, "", "", "doc:1:6: unknown function {{nope}}"},
		{`{"a{{one ":"}}"}`, "", "", "doc:1:4: {{ without }}"},
		{`{"a":1}`, "b", "1", "doc has no value at b"},
		{`{"a":1}`, "a[0]", "1", "doc has no value at a[0]"},
		{`{"a":1}`, "a..b", "1", "invalid path a..b"},
		{`{"a":1}`, `$["a`, "1", "invalid path"},
		{`{"a":1}`, "[-1]", "1", "invalid path"},
		{`{"a":1}`, "[x", "1", "invalid path"},
		{`{"a":1}`, "$a", "1", "invalid path"},
		{`{"a":1}`, "a", "\n{{x}}", "a:2:3: unknown function {{x}}"},
		{`{"a":1}`, "a", "dev-{{n}}", `dev-{{n}} replaces a value other than a string, and "dev-0" is not JSON`},
		{strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "", "", "doc:1:1002: values are nested more than 1000 deep"},
		{strings.Repeat("[", 1<<20), "", "", "exceeded max depth"},
	} {
		var replace []Replacement
		if test.path != "" {
			replace = append(replace, Replacement{test.path, test.text})
		}
		_, err := ParseJSON("doc", test.doc, nil, replace...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: %v; want %s", test.doc, err, test.want)
		}
	}
	_, err := ParseJSON("doc", `{"a":{"b":1}}`, nil, Replacement{"a", "1"}, Replacement{"a.b", "1"})
	if err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("a value within another: %v", err)
	}
	for _, text := range []string{"", "a", "=x"} {
		if _, err := ParseReplacement(text); err == nil {
			t.Errorf("%q is a replacement", text)
		}
	}
}

// What a document gives is JSON, whatever rows and replacements have.
func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a":"x{{n}}","b":[1,"{{row.a}}"]}`, "$.a", `q"{{row.a}}`, "\"\n\xff")
	f.Add(`["{{one \"a\" \"\\\"\"}}"]`, "[0]", "", "")
	f.Add(`{"a":{"b c":null}}`, `a["b c"]`, "{{int 1 9}}", "x")
	f.Add(`{"a{{one ":"}}"}`, "a", `{{"{{"}}`, "}}")
	f.Fuzz(func(t *testing.T, doc, path, text, row string) {
		if s := doc + text; strings.Contains(s, "hex") || strings.Contains(s, "letters") {
			doc, text = long.ReplaceAllString(doc, "99"), long.ReplaceAllString(text, "99")
		}
		feed := &Feed{name: "f", columns: []string{"a"}, rows: [][]string{{row}}}
		for _, replace := range [][]Replacement{nil, {{path, text}}} {
			tmpl, err := ParseJSON("doc", doc, feed, replace...)
			if err != nil {
				continue
			}
			for n, out := range fill(t, tmpl, feed, 3) {
				// Where no text stood, what comes is taken as it is; it was tried once.
				if raw := replace != nil && strings.Contains(text, "{{"); !raw && !json.Valid([]byte(out)) {
					t.Fatalf("request %d: %q", n, out)
				}
			}
		}
	})
}

func TestEndsEarly(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " ": true, "[": true, "[1,2": true, "[1,": true, `{"a":1`: true, `{"a"`: true, `"ab`: true, `"a\`: true, "1e": true, "-": true, "tru": true,
		"1": false, "[]": false, "[1 2]": false, "[1 2": false, `{"a":1]`: false, "[}": false, "\"a\nb": false, "trx": false, "1 2": false,
	} {
		if got := EndsEarly(text); got != want {
			t.Errorf("%q: ends early %v, want %v", text, got, want)
		}
	}
}
