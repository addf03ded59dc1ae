package kafkaload

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/load/template"
)

func TestReadPayloads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "devices.jsonl")
	lines := `{"name":{"first":"Janet","last":"Prichard"},"n":1}
{"name":{"first":"Tom"},"n":{{int 5 5}}}
{"name":"none"}

{"name":{"first":"{{letters}}"}}
{"name":{"first":"Ann"}
{"name":{"first":"Ann"}}`
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	first := template.Replacement{Path: "$.name.first", Text: "{{n}}_x"}
	p, err := ReadPayloads(t.Context(), path, true, nil, first)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	v := template.NewValues(1, 1)
	for n, tmpl := range p.Values {
		v.N = int64(n)
		got = append(got, string(tmpl.Append(nil, v)))
	}
	want := []string{`{"name":{"first":"0_x","last":"Prichard"},"n":1}`, `{"name":{"first":"1_x"}}`, `{"name":{"first":"2_x"}}`}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	errs := strings.ReplaceAll(strings.Join(p.Errors, "\n"), path, "FILE")
	wantErrs := `FILE:2:30: invalid character '{' looking for beginning of object key string
FILE:3 has no value at $.name.first
FILE:6:24: unexpected end of JSON`
	if errs != wantErrs || p.Failed != 3 {
		t.Errorf("%d failed:\n%s\nwant\n%s", p.Failed, errs, wantErrs)
	}

	for _, test := range []struct {
		text string
		err  string
	}{
		{"", "devices.jsonl: the file is empty"},
		{"\xff\xfe{\x00}\x00", "devices.jsonl: the text is UTF-16"},
		{"{\n[\n", "none of 2 lines can be sent: " + path + ":1:2: unexpected end of JSON"},
		{`{"a":1}`, "has no value at $.name.first"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPayloads(t.Context(), path, true, nil, first); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %v; want %q", test.text, err, test.err)
		}
	}
	if err := os.WriteFile(path, []byte("a {{n}}\r\n{{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err = ReadPayloads(t.Context(), path, true, nil)
	if err != nil || len(p.Values) != 1 || p.Failed != 1 || string(p.Values[0].Append(nil, v)) != "a 2" {
		t.Errorf("plain: %+v, %v", p, err)
	}

	// What is not asked to be filled in is sent as it is.
	for text, want := range map[string]string{"\ufeff{{n}} \x00\xff\n": "{{n}} \x00\xff", `{"name":{"first":"x"},"t":"{{n}} {{nope"}`: `{"name":{"first":"2_x"},"t":"{{n}} {{nope"}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var replace []template.Replacement
		if text[0] == '{' {
			replace = append(replace, first)
		}
		p, err := ReadPayloads(t.Context(), path, false, nil, replace...)
		if err != nil || len(p.Values) != 1 || string(p.Values[0].Append(nil, v)) != want {
			t.Errorf("%q: %+v, %v; want %q", text, p, err, want)
		}
	}
}
