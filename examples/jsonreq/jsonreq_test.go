package jsonreq

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// steps are the versions in the order they were written.
var steps = []struct {
	name    string
	process func(requests []string) ([]string, error)
}{
	{"reflection", processReflection},
	{"generated", processGenerated},
	{"builder", processBuilder},
	{"pooled", processPooled},
}

// batch returns n requests of 100 readings each.
func batch(n int) []string {
	requests := make([]string, n)
	for i := range requests {
		readings := make([]int, 100)
		for j := range readings {
			readings[j] = i + j
		}
		text, err := json.Marshal(&request{Sensor: fmt.Sprintf("hall-%d", i), Readings: readings})
		if err != nil {
			panic(err)
		}
		requests[i] = string(text)
	}
	return requests
}

func TestSteps(t *testing.T) {
	tests := map[string]struct {
		requests []string
		want     []string
		err      string // part of it
	}{
		"no request": {[]string{}, []string{}, ""},
		"one":        {[]string{`{"sensor":"a","readings":[1,20,-300]}`}, []string{`{"sensor":"a","stored":"1;20;-300;"}`}, ""},
		"in order":   {[]string{`{"sensor":"b"}`, `{"sensor":"a"}`}, []string{`{"sensor":"b","stored":""}`, `{"sensor":"a","stored":""}`}, ""},
		"nothing is kept": {
			[]string{`{"sensor":"b","readings":[1]}`, `{}`, `{"readings":[]}`},
			[]string{`{"sensor":"b","stored":"1;"}`, `{"sensor":"","stored":""}`, `{"sensor":"","stored":""}`}, "",
		},
		"blanks":         {[]string{" {\n\t\"readings\" : [ 1 , 2 ] } "}, []string{`{"sensor":"","stored":"1;2;"}`}, ""},
		"escapes":        {[]string{`{"sensor":"\u00e9\"\n<"}`}, []string{`{"sensor":"é\"\n\u003c","stored":""}`}, ""},
		"other case":     {[]string{`{"SENSOR":"a"}`}, []string{`{"sensor":"a","stored":""}`}, ""},
		"unknown key":    {[]string{`{"unit":{"name":"K"},"readings":[1]}`}, []string{`{"sensor":"","stored":"1;"}`}, ""},
		"twice":          {[]string{`{"readings":[1,2],"readings":[3]}`}, []string{`{"sensor":"","stored":"3;"}`}, ""},
		"null":           {[]string{`{"sensor":null,"readings":null}`}, []string{`{"sensor":"","stored":""}`}, ""},
		"large":          {[]string{`{"readings":[9223372036854775807]}`}, []string{`{"sensor":"","stored":"9223372036854775807;"}`}, ""},
		"empty text":     {[]string{``}, nil, "request 0: unexpected end"},
		"cut off":        {[]string{`{}`, `{"readings":[1`}, nil, "request 1: unexpected end"},
		"leading zero":   {[]string{`{"readings":[01]}`}, nil, "request 0: invalid character '1'"},
		"fraction":       {[]string{`{"readings":[1.5]}`}, nil, "cannot unmarshal number 1.5"},
		"too large":      {[]string{`{"readings":[9223372036854775808]}`}, nil, "cannot unmarshal number"},
		"trailing text":  {[]string{`{} x`}, nil, "after top-level value"},
		"trailing comma": {[]string{`{"sensor":"a",}`}, nil, "request 0: invalid character '}'"},
	}
	for name, test := range tests {
		for _, step := range steps {
			got, err := step.process(test.requests)
			switch {
			case test.err == "" && err != nil:
				t.Errorf("%s: %s: %v", name, step.name, err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("%s: %s: error %v, want one with %q", name, step.name, err, test.err)
			case !slices.Equal(got, test.want):
				t.Errorf("%s: %s:\ngot  %q\nwant %q", name, step.name, got, test.want)
			}
		}
	}
}

// FuzzSteps checks that all versions give the same responses or the same
// error.
func FuzzSteps(f *testing.F) {
	for _, text := range append(batch(2), seeds...) {
		f.Add(text, `{"sensor":"b","readings":[1]}`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		requests := []string{a, b, a}
		want, wantErr := processReflection(requests)
		for _, step := range steps[1:] {
			got, err := step.process(requests)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
				t.Errorf("%s(%q) = %q, %v\nwant %q, %v", step.name, requests, got, err, want, wantErr)
			}
		}
	})
}

// FuzzCodec checks the generated code against encoding/json, with structs
// that held something before.
func FuzzCodec(f *testing.F) {
	for _, text := range append(batch(1), seeds...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		req := request{Sensor: "old", Readings: []int{7, 8, 9}}
		checkCodec(t, text, decodeRequest, appendRequest, &req)
		res := response{Sensor: "old", Stored: "7;"}
		checkCodec(t, text, decodeResponse, appendResponse, &res)
	})
}

func checkCodec[T any](t *testing.T, text string, decode func(string, *T) error, appendTo func([]byte, *T) []byte, v *T) {
	t.Helper()
	var want T
	wantErr := json.Unmarshal([]byte(text), &want)
	if err := decode(text, v); fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(*v, want) {
		t.Errorf("decoding %q gives %#v, %v; want %#v, %v", text, *v, err, want, wantErr)
	}
	wantText, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := appendTo(nil, v); string(got) != string(wantText) {
		t.Errorf("encoding %#v gives %s, want %s", *v, got, wantText)
	}
}

var seeds = []string{
	``, `null`, `{}`, `{"sensor":"a"}`, `{"readings":[]}`, `{"readings":[1,-2,30]}`, `{"readings":null}`,
	`{"readings":[1],"readings":[]}`, `{"Readings":[0]}`, `{"sensor":"<&>"}`, `{"sensor":"\u2028é"}`, "{\"sensor\":\"\xff\"}",
	`{"readings":[1e2]}`, `{"readings":[-0]}`, `{"readings":[999999999999999999]}`, `{"readings":[9999999999999999999]}`,
	`{"sensor":1}`, `{"stored":"1;2;"}`, ` { "sensor" : "a" , "readings" : [ 1 , 2 ] } `, `{"sensor":"a"}}`, `[]`,
}

func BenchmarkProcess(b *testing.B) {
	requests := batch(10)
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) { benchmark(b, step.process, requests) })
	}
}

// BenchmarkInUse measures the version in use.
func BenchmarkInUse(b *testing.B) { benchmark(b, Process, batch(10)) }

func benchmark(b *testing.B, process func([]string) ([]string, error), requests []string) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := process(requests); err != nil {
			b.Fatal(err)
		}
	}
}
