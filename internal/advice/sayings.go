package advice

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A compiled is a package, and the compiler's remarks about it.
type compiled struct {
	path    string // import path
	main    bool   // it is a command
	pattern string // what the go command calls it
	sources []string
	built   string // build ID of the package in the usual build; "" if unknown
	id      string // build ID of the package as compiled for diagnostics
	files   []compiledFile
}

// newCompiled returns a loaded package, about which nothing is known yet. patterns are what the go command was asked to load.
func newCompiled(l *packages.Package, patterns []string) *compiled {
	c := &compiled{path: l.PkgPath, main: l.Name == "main", pattern: l.PkgPath, sources: l.CompiledGoFiles, built: buildID(l.ExportFile)}
	if slices.Contains(patterns, l.Dir) {
		c.pattern = l.Dir
	}
	return c
}

// has reports whether the package may have a file, given the compiler's name for it.
func (c *compiled) has(file string) bool {
	return slices.ContainsFunc(c.sources, func(name string) bool {
		return name == file || path.Dir(filepath.ToSlash(file)) == c.path && filepath.Base(name) == path.Base(filepath.ToSlash(file))
	})
}

// A compiledFile is what the compiler says about a source file.
type compiledFile struct {
	Name    string // the compiler's name for it
	Remarks []saying
}

// A saying is a remark that advice needs.
type saying struct {
	File          string `json:",omitempty"` // the compiler's name for it; "": the file that the remark was found for
	Line          int
	Code, Message string
	Steps         []Step `json:",omitempty"`
}

// add adds a remark, if advice needs it.
func (f *compiledFile) add(m *remark) {
	t := saying{Code: m.Code, Message: m.Message}
	switch m.Code {
	case "copy", "escapes", string(Escapes):
		t.Steps = m.steps()
	case string(FunctionNotInlined), string(IndexChecked), string(SliceChecked):
	default:
		return
	}
	t.File, t.Line = m.place()
	f.Remarks = append(f.Remarks, t)
}

// merged returns the compiler's remarks about packages. folders has the packages' folders by import path.
func merged(pkgs []*compiled, of folders) (Diagnostics, Decisions) {
	found, decided := make(Diagnostics), make(Decisions)
	pkgs = slices.Clone(pkgs)
	slices.SortFunc(pkgs, func(a, b *compiled) int { return cmp.Compare(url.PathEscape(a.path), url.PathEscape(b.path)) })
	for _, p := range pkgs {
		for _, f := range p.files {
			file := of.full(f.Name)
			found.MarkCompiled(file)
			for i := range f.Remarks {
				t := &f.Remarks[i]
				at := lineOf{file, t.Line}
				if t.File != "" {
					at.file = of.full(t.File)
				}
				found.told(at, t)
				decided.told(at, t)
			}
		}
	}
	return found, decided
}

// told adds a remark about the heap or copies.
func (d Diagnostics) told(at lineOf, t *saying) {
	switch t.Code {
	case "escape", "escapes":
		// Most diagnostics appear twice, the second time without a message.
		if t.Message != "" {
			d.Add(at.file, at.line, t.Message)
		} else if len(d[at]) == 0 {
			d.Add(at.file, at.line, "escapes to heap")
		}
	case "copy":
		d.Add(at.file, at.line, "copies "+t.Message)
	}
}

// told adds a remark about a decision.
func (d Decisions) told(at lineOf, t *saying) {
	switch kind := DecisionKind(t.Code); kind {
	case "escapes", Escapes: // the former for interfaces
		if t.Message != "" { // else it is the same once more
			d.Add(at.file, at.line, Decision{Kind: Escapes, Text: t.Message, Steps: t.Steps})
		}
	case FunctionNotInlined:
		d.Add(at.file, at.line, Decision{Kind: kind, Text: t.Message})
	case IndexChecked, SliceChecked:
		d.Add(at.file, at.line, Decision{Kind: kind})
	}
}

// folders maps import paths to folders. With -trimpath, which may be set in GOFLAGS, the compiler
// names files by their package: example.com/m/file.go.
type folders map[string]string

// full returns the absolute name of a file.
func (f folders) full(file string) string {
	if folder, ok := f[path.Dir(filepath.ToSlash(file))]; ok {
		return filepath.Join(folder, path.Base(filepath.ToSlash(file)))
	}
	return file
}

// withImporters returns packages, and all others that import one of them, directly or not. What the compiler says about generic or inlined code
// depends on the package that uses it.
func withImporters(asked, all []*Package) (found []*Package) {
	within := make(map[*packages.Package]bool) // whether it or what it imports is asked
	for _, p := range asked {
		within[p.listed] = true
	}
	var imports func(l *packages.Package) bool
	imports = func(l *packages.Package) bool {
		is, known := within[l]
		if known {
			return is
		}
		for _, i := range l.Imports {
			is = imports(i) || is
		}
		within[l] = is
		return is
	}
	for _, p := range all {
		if p.listed != nil && imports(p.listed) {
			found = append(found, p)
		}
	}
	return found
}
