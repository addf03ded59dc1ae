package advice

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/srcfind"
)

// parseName parses "pkg/path.(*T[...]).Method.func1".
func parseName(full string) funcName {
	_, rest, _ := strings.Cut(ShortName(full), ".")
	var f funcName
	rest = strings.TrimSuffix(rest, "-fm")
	rest, f.inside = withoutRanges(rest)
	if i := strings.LastIndexByte(rest, '.'); i > 0 && isWrapper(rest[i+1:]) {
		rest, f.inside = rest[:i], true
	}
	if r, ok := strings.CutPrefix(rest, "("); ok {
		f.receiver, rest, _ = strings.Cut(r, ").")
		f.receiver = strings.TrimPrefix(f.receiver, "*")
	}
	f.all = strings.Split(rest, ".")
	f.name = f.all[0]
	f.closure = strings.Join(f.all[1:], ".")
	if f.receiver == "" && f.closure != "" && !isClosure(f.all[1]) { // a method of a value: T.Method
		f.receiver, f.name = f.all[0], f.all[1]
		f.closure = strings.Join(f.all[2:], ".")
	}
	return f
}

// withoutRanges removes what a name has of the bodies of loops over functions, and reports whether it
// is the name of such a body: "f-range1". Go 1.27 names a literal in one "f-range1.1".
func withoutRanges(name string) (bare string, body bool) {
	const mark = "-range"
	body = strings.Contains(name[strings.LastIndexByte(name, '.')+1:], mark)
	for {
		before, after, ok := strings.Cut(name, mark)
		if !ok {
			return name, body
		}
		name = before + strings.TrimLeft(after, "0123456789")
	}
}

// A funcName has the parts of a function's name in profiles.
type funcName struct {
	receiver string   // type without * and type arguments
	name     string   // of the declared function
	closure  string   // "func1.2", "func1"; "" for the function itself
	all      []string // elements, where an inlined closure has names of several functions
	// inside means that the compiler made the function from a statement of another one: the body of a
	// range over a function, "f-range1", or the call of a defer or go statement, "f.deferwrap1". It
	// starts where the statement does.
	inside bool
}

// declared is the name of the function's declaration: "Type.Method" or "function".
func (f *funcName) declared() string { return strings.TrimPrefix(f.receiver+"."+f.name, ".") }

// initializes reports whether the compiler made a function for package variables, "init" and
// "map.init.0", or for an init function, "init.0".
func (f funcName) initializes() bool {
	return f.name == "init" && (f.receiver == "" || f.receiver == "map") && strings.Trim(f.closure, "0123456789") == ""
}

func (f funcName) is(d *ast.FuncDecl) bool {
	return srcfind.DeclName(d) == f.declared()
}

// within reports whether a function may have the name. A declared function must have it. A literal
// must be in a function with that name or, because an inlined literal carries the names of the
// functions it was inlined into, with a name that occurs anywhere in it.
func (f funcName) within(c inspector.Cursor) bool {
	if d, ok := c.Node().(*ast.FuncDecl); ok {
		return f.is(d) || f.name == "init" && d.Name.Name == "init"
	}
	for outer := range c.Enclosing((*ast.FuncDecl)(nil)) {
		d := outer.Node().(*ast.FuncDecl)
		return f.is(d) || slices.Contains(f.all, d.Name.Name)
	}
	return f.name == "init" || f.name == "glob" || f.name == "" // a variable's value
}

// isClosure reports whether an element of a name is the compiler's name for a literal.
func isClosure(element string) bool {
	if digits, ok := strings.CutPrefix(element, "func"); ok && digits != "" && strings.Trim(digits, "0123456789-range") == "" {
		return true
	}
	return isWrapper(element) || element != "" && strings.Trim(element, "0123456789") == ""
}

// isWrapper reports whether an element of a name is the compiler's name for the call of a defer or go
// statement.
func isWrapper(element string) bool {
	for _, prefix := range []string{"gowrap", "deferwrap"} {
		if digits, ok := strings.CutPrefix(element, prefix); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// ShortName is a function's name in profiles without the path of its package and its type arguments.
func ShortName(full string) string {
	name := cutTypeArguments(full)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// cutTypeArguments removes the text in brackets, which may contain slashes and dots.
func cutTypeArguments(name string) string {
	if !strings.Contains(name, "[") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// initializes reports whether a function initializes package variables. It runs once, with code from
// all files of the package.
func initializes(function string) bool {
	n := parseName(function)
	return n.name == "init" && n.receiver == "" && n.closure == ""
}
