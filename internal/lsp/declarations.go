package lsp

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/hone-go/hone/internal/srcfind"
)

// A declaration is one of a file, at its top level.
type declaration struct {
	symbol      string // "F" or "(*T).M", as profiles have it; "" if it isn't a function
	text        string // without the comment above
	from, to    int    // offsets
	first, last int    // lines, from 1, ended by \n as in go/token
}

// declarations are the functions of a file, and what else has code in it. Of a file with syntax errors, those that can be read count.
func declarations(src string) (all []declaration) {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	file := fset.File(f.FileStart)
	if file == nil {
		return nil
	}
	offset := func(p token.Pos) int { return min(max(int(p)-file.Base(), 0), len(src)) }
	for _, d := range f.Decls {
		symbol := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			symbol = srcfind.FuncName(d)
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
		default:
			continue
		}
		from, to := offset(d.Pos()), offset(d.End())
		if to <= from {
			continue
		}
		// Comments //line change what Position says, but not the lines of the text.
		first, last := file.PositionFor(file.Pos(from), false).Line, file.PositionFor(file.Pos(to-1), false).Line
		all = append(all, declaration{symbol, src[from:to], from, to, first, last})
	}
	return all
}

// symbolsOf are the functions among declarations.
func symbolsOf(all []declaration) map[string]bool {
	symbols := make(map[string]bool)
	for i := range all {
		if all[i].symbol != "" {
			symbols[all[i].symbol] = true
		}
	}
	return symbols
}

// around returns the declaration that a line is in; nil if there is none.
func around(all []declaration, line int) *declaration {
	for i := range all {
		if all[i].first <= line && line <= all[i].last {
			return &all[i]
		}
	}
	return nil
}
