package main

import (
	"os"
	"strings"
	"testing"
)

// TestCommitted checks that codec_gen.go is what go generate writes.
func TestCommitted(t *testing.T) {
	src, err := os.ReadFile("../types.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate("types.go", src)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../codec_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("codec_gen.go is not what codecgen makes of types.go; run go generate ./examples/jsonreq")
	}
}

func TestRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"type T struct {":           "expected",
		"var x int":                 "no structs",
		"type T struct{}":           "T has 0 fields",
		"type T struct{ A string }": "t.go:1:26: T: A has no json tag",
		"type T struct{ A string `json:\",string\"` }": "is more than a name",
		"type T struct{ A float64 `json:\"a\"` }":      "A is neither a string nor an []int",
		"type T struct{ A [2]int `json:\"a\"` }":       "A is neither",
		"type T struct{ A, B string `json:\"a\"` }":    "one name per field",
	} {
		if _, err := generate("t.go", []byte("package p;"+src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", src, err, want)
		}
	}
}

func TestWithoutLists(t *testing.T) {
	code, err := generate("t.go", []byte("package p; type t struct { A string `json:\"a\"`; b int }"))
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{"strconv", "kept"} {
		if strings.Contains(string(code), unwanted) {
			t.Errorf("strings only, but %s occurs in\n%s", unwanted, code)
		}
	}
}
