package srcfind

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestReceiverOf(t *testing.T) {
	for _, c := range []struct {
		decl string
		want Receiver
		name string
	}{
		{"func F()", Receiver{}, "F"},
		{"func (T) F()", Receiver{Type: "T"}, "T.F"},
		{"func (t *T) F()", Receiver{Type: "T", Pointer: true}, "T.F"},
		{"func (t (*(T))) F()", Receiver{Type: "T", Pointer: true}, "T.F"},
		{"func (t T[K]) F()", Receiver{Type: "T", Generic: true}, "T.F"},
		{"func (t *T[K, V]) F()", Receiver{Type: "T", Pointer: true, Generic: true}, "T.F"},
		{"func () F()", Receiver{}, "F"},
		{"func (t []T) F()", Receiver{}, "F"},
		{"func (t pkg.T) F()", Receiver{}, "F"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+c.decl, parser.SkipObjectResolution)
		if file == nil || len(file.Decls) == 0 {
			t.Fatalf("%s: %v", c.decl, err)
		}
		d := file.Decls[0].(*ast.FuncDecl)
		if got := ReceiverOf(d); got != c.want {
			t.Errorf("%s: receiver %+v, want %+v", c.decl, got, c.want)
		}
		if got := DeclName(d); got != c.name {
			t.Errorf("%s: name %s, want %s", c.decl, got, c.name)
		}
	}
}
