package srcfind

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Use is what a profile tells of a function's place in a file.
type Use struct {
	Function  string // its name in the profile, as "net/http.(*conn).serve.func1"
	StartLine int64  // its first line, 0 if unknown
	Lines     []Line // those with values
	// Inlined is whether the profile tells inlined functions from those they are
	// inlined into. If not, lines of the one stand under the name of the other.
	Inlined bool
}

// Line is a line of a file and how much it has.
type Line struct {
	Number int64
	Weight int64
}

// MismatchError reports that a file can't be what a function was compiled from.
type MismatchError struct {
	Path, Function string
	reason         string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s is not the source of %s: %s; the file and the program have different versions", e.Path, e.Function, e.reason)
}

// Verify checks whether the text can be the source that a function was compiled
// from: of a Go file, whether that function is where the profile has it. It errs
// towards yes, which is also its answer for what it can't read. Its error is a
// [MismatchError].
func (t *Text) Verify(u Use) error {
	if !strings.HasSuffix(t.Path, ".go") {
		return nil
	}
	t.parsed.Do(func() { t.funcs = parseFuncs(t.Lines) })
	name, ok := parseSymbol(u.Function)
	if t.funcs == nil || !ok {
		return nil
	}
	reason := t.funcs.mismatch(&u, name, int64(len(t.Lines)))
	if reason == "" {
		return nil
	}
	return &MismatchError{t.Path, u.Function, reason}
}

// Span returns the first and last line of a function, of which startLine is the first if
// it isn't 0. For a part of a function, it is that of the function. It is ok if the text is a
// Go file that has the function once.
func (t *Text) Span(function string, startLine int64) (first, last int64, ok bool) {
	if !strings.HasSuffix(t.Path, ".go") {
		return 0, 0, false
	}
	t.parsed.Do(func() { t.funcs = parseFuncs(t.Lines) })
	function, _, _ = strings.Cut(withoutRanges(function), "-range") // the body of a loop over an iterator
	name, ok := parseSymbol(function)
	if t.funcs == nil || !ok {
		return 0, 0, false
	}
	return t.funcs.span(name, startLine)
}

// span finds a function. A literal without its first line has the function around it.
func (f *goFuncs) span(s symbol, startLine int64) (first, last int64, ok bool) {
	if s.literal && startLine > 0 {
		for _, sp := range f.literals {
			if sp.first == startLine {
				return sp.first, sp.to, true
			}
		}
	}
	found := 0
	for _, sp := range f.decls {
		if !f.is(&sp, s) {
			continue
		}
		found++
		first, last = sp.first, sp.to
	}
	return first, last, found == 1
}

// maxParsed bounds the size of files that are parsed, as their trees take some
// twenty times that for a moment. Generated Go files are smaller by far.
const maxParsed = 8 << 20

// parseFuncs returns the functions of a Go file, nil if it can't be read or tells
// by itself what its lines are called.
func parseFuncs(lines []string) *goFuncs {
	size := 0
	f := &goFuncs{linked: map[string][]string{}}
	for _, line := range lines {
		if size += len(line) + 1; size > maxParsed {
			return nil
		}
		if strings.HasPrefix(line, "//line ") || strings.Contains(line, "/*line ") {
			return nil
		}
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "//go:linkname" {
			f.linked[fields[1]] = append(f.linked[fields[1]], fields[2])
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", strings.Join(lines, "\n"), parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	f.cgo = slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
	line := func(p token.Pos) int64 { return int64(fset.PositionFor(p, false).Line) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.decls = append(f.decls, funcSpan{DeclName(n), line(n.Pos()), line(n.Name.Pos()), line(n.End())})
		case *ast.FuncLit:
			f.literals = append(f.literals, funcSpan{"", line(n.Pos()), line(n.Pos()), line(n.End())})
		}
		return true
	})
	return f
}

// symbol is what the name of a Go function tells of its declaration.
type symbol struct {
	name    string // as DeclName has it; of a literal, that of the function it is in
	full    string // with the package, without type arguments
	literal bool   // a function literal
}

var (
	literalSuffix = lazyregexp.New(`(\.func\d+|\.\d+)+$`)
	rangeBody     = lazyregexp.New(`(-range\d+)+\.`)
	plainName     = lazyregexp.New(`^(\(\*?[\pL_][\pL\pN_]*\)|[\pL_][\pL\pN_]*)(\.[\pL_][\pL\pN_]*)?$`)
	majorVersion  = lazyregexp.New(`^v\d+\.`) // of a package, as "gopkg.in/yaml.v3.F"
)

// withoutRanges is the name of a literal without the loops over iterators that it is in. Go
// 1.27 has them in the names: F-range1.1 is a literal in the body of a loop in F.
func withoutRanges(s string) string { return rangeBody.ReplaceAllString(s, ".") }

// parseSymbol takes the name of a function apart. ok is false for those without a
// declaration of their own: initializers of variables, parts of functions such as
// the bodies of loops, wrappers, code that isn't Go's.
func parseSymbol(s string) (out symbol, ok bool) {
	s = withoutRanges(WithoutTypeArguments(s))
	out.full = s
	slash := strings.LastIndexByte(s, '/') + 1
	dot := strings.IndexByte(s[slash:], '.')
	if dot < 0 {
		return out, false
	}
	rest := majorVersion.ReplaceAllString(s[slash+dot+1:], "")
	if in := literalSuffix.ReplaceAllString(rest, ""); in != rest {
		out.literal, rest = true, in
	}
	if !plainName.MatchString(rest) {
		return out, false
	}
	switch first, _, _ := strings.Cut(rest, "."); first {
	case "init", "glob", "map", "_", "type", "go":
		return out, false
	}
	out.name = strings.NewReplacer("(", "", ")", "", "*", "").Replace(rest)
	return out, true
}

// WithoutTypeArguments removes what is in square brackets from a function's name.
func WithoutTypeArguments(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mismatch tells why a function can't be where a profile has it, "" if it can.
//
// Of a function that the file hasn't got, nothing is said: compilers give single
// instructions of an inlined function its file and line, and the name of the
// function it is inlined into.
func (f *goFuncs) mismatch(u *Use, s symbol, lines int64) string {
	for _, ln := range u.Lines {
		if ln.Number > lines {
			return fmt.Sprintf("it has %d lines, and the profile tells of line %d", lines, ln.Number)
		}
	}
	switch {
	case !slices.ContainsFunc(f.decls, func(sp funcSpan) bool { return f.is(&sp, s) }), s.literal && f.cgo:
		return ""
	case u.StartLine > 0:
		if f.startsAt(u.StartLine, s) {
			return ""
		}
		return fmt.Sprintf("in line %d, where it begins, is %s", u.StartLine, f.at(u.StartLine))
	case !u.Inlined:
		return ""
	}
	// Without a first line the lines tell, if none is the function's: bodies of loops
	// over iterators have lines of the iterators under the name of the function that
	// they are inlined into, and may well be most of it.
	worst := Line{Weight: -1}
	for _, ln := range u.Lines {
		if f.within(ln.Number, s) {
			return ""
		}
		if ln.Weight > worst.Weight {
			worst = ln
		}
	}
	if worst.Weight < 0 {
		return ""
	}
	return fmt.Sprintf("in line %d is %s", worst.Number, f.at(worst.Number))
}

// startsAt reports whether a function, or a literal, begins in a line.
func (f *goFuncs) startsAt(line int64, s symbol) bool {
	if s.literal {
		return slices.ContainsFunc(f.literals, func(sp funcSpan) bool { return sp.first == line })
	}
	return slices.ContainsFunc(f.decls, func(sp funcSpan) bool {
		return sp.first <= line && line <= sp.nameLine && f.is(&sp, s)
	})
}

// within reports whether a line can be one of a function.
func (f *goFuncs) within(line int64, s symbol) bool {
	has := func(sp funcSpan) bool { return sp.first <= line && line <= sp.to }
	if s.literal {
		return slices.ContainsFunc(f.literals, has)
	}
	return slices.ContainsFunc(f.decls, func(sp funcSpan) bool { return has(sp) && f.is(&sp, s) })
}

// is reports whether a declaration is that of a symbol, by its name or by one
// that it is linked to.
func (f *goFuncs) is(sp *funcSpan, s symbol) bool {
	return sp.name == s.name || slices.Contains(f.linked[sp.name], s.full)
}

// at names what is in a line.
func (f *goFuncs) at(line int64) string {
	for _, sp := range f.decls {
		if sp.first <= line && line <= sp.to {
			return cmp.Or(sp.name, "another function")
		}
	}
	return "no function"
}
