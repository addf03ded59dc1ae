package advice

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/ast/astutil"
)

// rewrite makes the rewrite of a match, of a file in the folder of its module. It is nil if
// there is none to make, and an error says what speaks against one.
func rewrite(s *Site, r *Rule, m *Match, root string) (*Fix, error) {
	if len(m.Edits) == 0 || cmp.Or(m.Class, r.Class) == AdviceOnly {
		return nil, nil
	}
	switch {
	case ast.IsGenerated(s.File):
		return nil, errors.New("the file is generated: change its generator")
	case slices.ContainsFunc(s.File.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }):
		return nil, errors.New("the file uses cgo, which rewrites it before compilation")
	case r.Since != "" && !s.AtLeast(r.Since):
		return nil, fmt.Errorf("the rewrite needs go %s in go.mod, which says %s", r.Since, strings.TrimPrefix(s.GoVersion, "go"))
	}
	fix, err := newFix(s.In, s.File, m, root)
	if err == nil {
		err = s.In.compiles(fix.File, fix.After)
	}
	if err != nil {
		return nil, fmt.Errorf("no rewrite: %w", err)
	}
	return fix, nil
}

// newFix applies a match's edits to the text of its file, adds the imports it needs,
// removes those it no longer needs, and formats what was formatted: the file, or else
// the declarations that change.
func newFix(p *Package, file *ast.File, m *Match, root string) (*Fix, error) {
	tf := p.Fset.File(file.FileStart)
	name, before := tf.Name(), p.Texts[tf.Name()]
	text, changed, err := splice(before, tf, m.Edits)
	if err != nil {
		return nil, err
	}
	formatted, err := format.Source(before)
	wasFormatted := err == nil && bytes.Equal(formatted, before)
	if !wasFormatted && declsFormatted(before, tf, file, m.Edits) {
		if text, err = formatDecls(name, text, changed); err != nil {
			return nil, err
		}
	}
	if text, err = fixImports(name, text, file, m.Imports); err != nil {
		return nil, err
	}
	if wasFormatted {
		for range 2 { // a literal of a function that comes to span lines is done after the first time
			if text, err = format.Source(text); err != nil {
				return nil, err
			}
		}
	}
	if bytes.Equal(text, before) {
		return nil, errors.New("the rewrite changes nothing")
	}
	fix := &Fix{File: name, Diff: diffFrom(root, name, before, text), Before: before, After: text}
	for _, add := range m.Adds {
		a := AddedFile{filepath.Join(filepath.Dir(name), add.Name), []byte(add.Text)}
		fix.Diff += diffFrom(root, a.File, nil, a.Text)
		fix.Added = append(fix.Added, a)
	}
	return fix, nil
}

// splice puts the new text of edits in the place of the old, and returns where it is.
func splice(before []byte, tf *token.File, edits []Edit) (after []byte, changed []extent, err error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return int(a.Pos - b.Pos) })
	at := 0
	for _, e := range edits {
		if int(e.Pos) < tf.Base() || int(e.Pos) > tf.Base()+tf.Size() {
			return nil, nil, errors.New("an edit is in another file")
		}
		from, to := tf.Offset(e.Pos), tf.Offset(e.End)
		if from < at || to < from || to > len(before) {
			return nil, nil, fmt.Errorf("edits overlap at offset %d", from)
		}
		after = append(after, before[at:from]...)
		changed = append(changed, extent{len(after), len(after) + len(e.New)})
		after = append(after, e.New...)
		at = to
	}
	return append(after, before[at:]...), changed, nil
}

// noFile is the name of the file before, in the diff of a new one.
const noFile = "/dev/null"

// diffFrom is a unified diff of a file, with paths from the folder of its module. Before is nil for a new
// file.
func diffFrom(root, name string, before, after []byte) string {
	rel, err := filepath.Rel(root, name)
	if err != nil {
		rel = name
	}
	rel = filepath.ToSlash(rel)
	old := "a/" + rel
	if before == nil {
		old = noFile
	}
	d := diff.Diff(old, before, "b/"+rel, after)
	if _, rest, ok := bytes.Cut(d, []byte("\n")); ok && bytes.HasPrefix(d, []byte("diff ")) {
		d = rest // the line above the names, which git apply takes for one of its own
	}
	return string(d)
}

// An extent is part of a text, from an offset to another.
type extent struct{ from, to int }

// formatDecls formats the declarations of a file that have one of some extents, without
// the comments above them.
func formatDecls(name string, text []byte, changed []extent) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the rewrite does not parse: %w", err)
	}
	for _, d := range slices.Backward(f.Decls) {
		from, to := fset.Position(d.Pos()).Offset, fset.Position(d.End()).Offset
		if !slices.ContainsFunc(changed, func(e extent) bool { return e.from < to && from <= e.to }) {
			continue
		}
		formatted := text[from:to]
		for range 2 {
			if formatted, err = format.Source(formatted); err != nil {
				return nil, err
			}
		}
		text = slices.Concat(text[:from], formatted, text[to:])
	}
	return text, nil
}

// declsFormatted reports whether the declarations that some edits are in are formatted.
func declsFormatted(text []byte, tf *token.File, f *ast.File, edits []Edit) bool {
	for _, d := range f.Decls {
		if !slices.ContainsFunc(edits, func(e Edit) bool { return e.Pos < d.End() && d.Pos() <= e.End }) {
			continue
		}
		was := text[tf.Offset(d.Pos()):tf.Offset(d.End())]
		if formatted, err := format.Source(was); err != nil || !bytes.Equal(formatted, was) {
			return false
		}
	}
	return true
}

// fixImports adds imports, and removes those that were used and are not any more.
func fixImports(name string, text []byte, was *ast.File, add []string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the rewrite does not parse: %w", err)
	}
	from, to := importLines(fset, f)
	changed := false
	for _, p := range add {
		if !imports(f, p) {
			changed = astutil.AddImport(fset, f, p) || changed
		}
	}
	before := selectors(was)
	now := selectors(f)
	for _, spec := range slices.Clone(f.Imports) {
		p, _ := strconv.Unquote(spec.Path.Value)
		local := path.Base(p)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		// The last element of a path is not always the package's name: what wasn't
		// used under that name before is left alone.
		if local == "_" || local == "." || !before[local] || now[local] {
			continue
		}
		if spec.Name != nil {
			changed = astutil.DeleteNamedImport(fset, f, spec.Name.Name, p) || changed
		} else {
			changed = astutil.DeleteImport(fset, f, p) || changed
		}
	}
	if !changed {
		return text, nil
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		return nil, err
	}
	// All else stays as it is: it may not have been formatted.
	fset = token.NewFileSet()
	if f, err = parser.ParseFile(fset, name, out.Bytes(), parser.ImportsOnly); err != nil {
		return nil, err
	}
	made, end := importLines(fset, f)
	return slices.Concat(text[:from], out.Bytes()[made:end], text[to:]), nil
}

// importLines returns where a file's imports are, from the end of its package's name.
func importLines(fset *token.FileSet, f *ast.File) (from, to int) {
	end := f.Name.End()
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			end = d.End()
		}
	}
	return fset.Position(f.Name.End()).Offset, fset.Position(end).Offset
}

func imports(f *ast.File, p string) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == strconv.Quote(p) && (s.Name == nil || s.Name.Name == path.Base(p))
	})
}

// selectors are the names before dots, among them the packages a file uses.
func selectors(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}
