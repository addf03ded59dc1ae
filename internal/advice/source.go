package advice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// source is what was loaded from the user's packages.
type source struct {
	files      map[string]*Package // by absolute name
	packages   []*Package
	unexamined []string
	failed     bool              // packages couldn't be loaded or compiled
	excluded   map[string]bool   // files of the packages that this build leaves out
	folders    map[string]string // by import path
	copied     map[string]bool   // files of the packages that have a copy, which doesn't name them
}

// noGoLine is the language version of a module without a go line in go.mod.
const noGoLine = "1.16"

// load reads and type-checks packages. For imported packages it reads the
// compiler's export data, not the source.
//
// goflags are the flags of GOFLAGS. go/packages also runs go commands outside of modules, which refuse -modfile there, so
// it becomes a build flag.
func load(ctx context.Context, dir, toolchain, goroot string, goflags, flags, patterns []string) (*source, error) {
	s := &source{files: make(map[string]*Package), excluded: make(map[string]bool), copied: make(map[string]bool), folders: make(map[string]string)}
	if len(patterns) == 0 {
		return s, nil
	}
	var env []string
	if i := slices.IndexFunc(goflags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "modfile=") }); i >= 0 {
		flags = append([]string{goflags[i]}, flags...)
		env = append(os.Environ(), "GOFLAGS="+quoted(slices.Delete(slices.Clone(goflags), i, i+1)))
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Env: env, BuildFlags: append([]string{"-buildvcs=false"}, flags...), // or else it runs git
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("reading packages: %w", err)
	}
	for _, l := range loaded {
		s.folders[l.PkgPath] = l.Dir
		if len(l.Errors) > 0 {
			s.failed = true
			s.unexamined = append(s.unexamined, fmt.Sprintf("%s: %v", l.PkgPath, l.Errors[0]))
			continue
		}
		texts, err := readFiles(l.CompiledGoFiles)
		if err != nil {
			return nil, err
		}
		p := &Package{Toolchain: toolchain, GOROOT: goroot, Package: &code.Package{
			Path: l.PkgPath, Fset: l.Fset, Files: l.Syntax, Types: l.Types, Info: l.TypesInfo, Sizes: l.TypesSizes, Texts: texts,
		}}
		p.listed = l
		if l.Module != nil {
			p.GoVersion = "go" + cmp.Or(l.Module.GoVersion, noGoLine)
		}
		p.written = make(map[string]time.Time)
		for _, name := range l.CompiledGoFiles {
			s.files[name] = p
			if info, err := os.Stat(name); err == nil {
				p.written[name] = info.ModTime()
			}
		}
		for _, name := range l.IgnoredFiles {
			s.excluded[name] = true
		}
		for _, f := range l.Syntax {
			name, copied := p.Name(f)
			if !copied || !slices.Contains(l.GoFiles, name) {
				continue
			}
			if texts[name], err = infile.ReadFile(ctx, name, infile.MaxSource); err != nil {
				return nil, err
			}
			s.files[name] = p
		}
		for _, name := range l.GoFiles {
			s.copied[name] = s.files[name] == nil
		}
		s.packages = append(s.packages, p)
	}
	return s, nil
}

var errCopied = errors.New("isn't examined: cgo copies the file, and the go command, with -trimpath, has the copy of another folder")

// unexaminable says why a line can't be examined though its package was read; nil if nothing is known of its file.
func (s *source) unexaminable(h *hot) error {
	switch {
	case s.copied[h.file]:
		return errCopied
	case s.excluded[h.file]:
		return exclusion(h.file)
	}
	pkg := (&profile.Frame{Name: h.function}).Package()
	switch folder := s.folders[pkg]; {
	case folder == "":
		return nil
	case folder != filepath.Dir(h.file):
		return fmt.Errorf("isn't examined: %s is built from %s", pkg, folder)
	case !isFile(h.file):
		return errGone
	}
	return nil
}

// quoted returns flags for GOFLAGS.
func quoted(flags []string) string {
	all := make([]string, len(flags))
	for i, f := range flags {
		all[i] = "'" + f + "'"
		if strings.Contains(f, "'") {
			all[i] = `"` + f + `"`
		}
	}
	return strings.Join(all, " ")
}

// exclusion says why a build leaves a file out.
func exclusion(name string) error {
	text, err := infile.ReadFile(context.Background(), name, infile.MaxSource)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) && c.Pos() < f.Package {
				return fmt.Errorf("%w: %s excludes it; use -tags for build tags", errNotBuilt, c.Text)
			}
		}
	}
	if usesCgo(f) {
		return fmt.Errorf("%w: it uses cgo, which is off", errNotBuilt)
	}
	return fmt.Errorf("%w: its name excludes it on this system", errNotBuilt)
}

// usesCgo reports whether a file imports C.
func usesCgo(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

var (
	errGone  = errors.New("no longer exists: take a new profile")
	errMoved = errors.New("doesn't match the profile: take a new profile")
	errOnce  = errors.New("runs only once, at package initialization: no rule covers that")
)

// site finds the syntax of a hot line. A function is identified by its first line or, if the file has
// changed, by its name, and the line by its distance from there and by what it calls.
func (p *Package) site(h *hot, e *evidence) (*Site, error) {
	file := p.File(h.file)
	if file == nil {
		return nil, errNotBuilt
	}
	root, ok := p.Root().FindNode(file)
	if !ok {
		return nil, errNotBuilt
	}
	line := int(h.line)
	changed := p.newerThan(h)
	names := parseName(h.function)
	var named, begun inspector.Cursor
	for c := range root.Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		n := c.Node()
		first, last := p.Line(n.Pos()), p.Line(n.End())
		decl, _ := n.(*ast.FuncDecl)
		if decl != nil {
			first = p.Line(decl.Type.Func)
		}
		// A trace doesn't know where functions begin.
		inside := (names.inside || h.startLine == 0 && names.closure != "") && (decl != nil) == (names.closure == "") && first <= line
		if (h.startLine != 0 && int64(first) == h.startLine || inside) && line <= last && names.within(c) {
			begun = c // of several on one line the innermost
		}
		if decl != nil && names.closure == "" && names.is(decl) && !names.initializes() {
			named = c
		}
	}
	var function inspector.Cursor
	switch {
	case begun.Valid():
		function = begun
	case named.Valid() && !names.inside:
		function = named
		first, last := p.Line(named.Node().(*ast.FuncDecl).Type.Func), p.Line(named.Node().End())
		if h.startLine != 0 {
			line += first - int(h.startLine)
			changed = true
		}
		if line < first || line > last {
			return nil, errMoved
		}
	case names.initializes():
		return nil, errOnce
	default:
		return nil, errMoved
	}
	if changed {
		line = p.relocate(h, function, line)
	}
	return &Site{Place: p.Around(function), In: p, Costs: Costs{h, e}, Allocations: Allocations{h, e}, Line: line}, nil
}
