package edit

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestAlwaysBuilt(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a.go", "package p", true},
		{"a_b.go", "// Package p.\npackage p", true},
		{"a_linux.go", "package p", false},
		{"a_arm64.go", "package p", false},
		{"a_test.go", "package p", false},
		{"a.go", "//go:build !none\n\npackage p", false},
		{"a.go", "// +build !none\n\npackage p", false},
		{"a.go", "package p\n\nimport \"C\"", false},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), c.name, c.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := alwaysBuilt(f, c.name); got != c.want {
			t.Errorf("%s with %q: %v, want %v", c.name, c.text, got, c.want)
		}
	}
}
