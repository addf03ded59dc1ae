package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var regexpPerCall = &advice.Rule{
	ID:    "regexp-per-call",
	Title: "a regular expression is compiled per call",
	Doc: `Compiling a pattern parses it and builds a program. This takes microseconds and dozens of allocations; matching a short
text takes a fraction of that. Compile a constant pattern once, as a package variable. If patterns are built at run
time, keep the compiled ones by their text, in a sync.Map or in a map with a lock.

A pattern built with regexp.QuoteMeta doesn't need package regexp: strings.Contains, HasPrefix, HasSuffix and EqualFold
find the text, and a loop over EqualFold finds it case-insensitively, like (?i).

The rewrite moves the pattern to a variable, or finds the quoted text, which must be valid UTF-8. Review it, because all
callers share the variable: the list below says when that matters. Other patterns built at run time only get advice,
because a benchmark that repeats the same pattern would confirm any cache. Code that runs once, in init or under
sync.Once, is not reported.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^regexp\.(Must)?[cC]ompile|^regexp\.Match(String|Reader)?$|^regexp/syntax\.`),
	Gain:   20,
	Match:  matchRegexpPerCall,
	Conditions: advice.Conditions{
		Offered: "the pattern is constant, or a quoted text",
		Review: "no code calls Longest on the pattern, which all callers share, or compares it with ==; a quoted text is valid UTF-8; " +
			edit.InitOrder,
	},
}

func matchRegexpPerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("regexp.MustCompile", "regexp.MustCompilePOSIX", "regexp.Compile", "regexp.CompilePOSIX", "regexp.MatchString", "regexp.Match", "regexp.MatchReader") {
		if facts.RunsOnce(s.Place, c.Cursor) || len(c.Args) == 0 {
			continue
		}
		pattern, constant := facts.ConstantText(s.Place, c.Args[0])
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		if !constant && findQuoted(s, c, &m) {
			matches = append(matches, m)
			continue
		}
		if !constant && s.Decl != nil && strings.HasPrefix(strings.ToLower(s.Decl.Name.Name), "new") {
			continue // the object that it creates keeps the pattern
		}
		if !constant {
			m.Why = fmt.Sprintf("%s compiles a pattern that is built at run time. If patterns repeat, keep the compiled ones by their text, in a sync.Map or a map with a lock and a size limit; to find a fixed text, use strings.Contains or strings.Index.", edit.Short(c.Name))
			matches = append(matches, m)
			continue
		}
		m.Why = fmt.Sprintf("%s compiles the same pattern %s on each call; compile it once, in a package variable.", edit.Short(c.Name), edit.Quoted(pattern))
		if handedOut(s, c) {
			m.Why += " Check that no code calls its Longest method, which would change it for all callers, or compares it with ==."
		}
		if s.Decl != nil && facts.AtPackageLevel(s.Place, c.Args[0]) {
			hoistRegexp(s, c, pattern, &m)
		}
		if m.Class == advice.Review {
			m.Why += " Check that no initialization of a package variable calls this function through an interface: the pattern may not be compiled by then."
		}
		matches = append(matches, m)
	}
	return matches
}

// hoistRegexp fills in the rewrite, if there is one.
func hoistRegexp(s *advice.Site, c code.Call, pattern string, m *advice.Match) {
	posix := strings.HasSuffix(c.Name, "POSIX")
	compile := regexp.Compile
	if posix {
		compile = regexp.CompilePOSIX
	}
	if _, err := compile(pattern); err != nil {
		return // it fails each time, which isn't for this rule to report
	}
	if changesHow(s, c) || facts.Commented(s.Place, c.Pos(), c.End()) {
		return
	}
	pkg := s.Source(c.Fun)
	pkg, _, found := strings.Cut(pkg, ".") // the package's own name, whatever the file calls it
	if !found {
		return
	}
	name := s.Unused(variableName(s, c)+"RE", c.Pos())
	must := pkg + ".MustCompile"
	if posix {
		must += "POSIX"
	}
	value := fmt.Sprintf("%s(%s)", must, s.Source(c.Args[0]))
	switch strings.TrimSuffix(c.Name, "POSIX") {
	case "regexp.MustCompile":
		m.Edits = toPackageVariable(s, c.Cursor, name, value, []advice.Edit{edit.Replace(c.CallExpr, name)})
	case "regexp.Compile":
		// The error of a valid pattern is nil.
		if !facts.TwoResults(c) {
			return
		}
		edits, ok := withoutError(s, c, name)
		if !ok {
			return
		}
		m.Edits = toPackageVariable(s, c.Cursor, name, value, edits)
	case "regexp.MatchString", "regexp.Match", "regexp.MatchReader":
		method := strings.TrimPrefix(c.Name, "regexp.")
		edits, ok := withoutError(s, c, fmt.Sprintf("%s.%s(%s)", name, method, s.Source(c.Args[1])))
		if !ok {
			return
		}
		m.Edits = append(edits, edit.BeforeDecl(s, "var "+name+" = "+value))
	}
	m.Class = advice.Review
}

// changesHow reports whether the pattern is changed to match in another way, which would affect all
// users, or isn't used.
func changesHow(s *advice.Site, c code.Call) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return true
	case *ast.SelectorExpr:
		return p.Sel.Name == "Longest"
	case *ast.AssignStmt:
		obj := facts.Object(s.Place, p.Lhs[0])
		for _, id := range s.Uses(obj) {
			if use, ok := s.Root().FindNode(id); ok {
				if sel, ok := use.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel.Name == "Longest" {
					return true
				}
			}
		}
	}
	return false
}

// handedOut reports whether a compiled pattern is used for anything but method calls, or for Longest.
func handedOut(s *advice.Site, c code.Call) bool {
	called := func(c inspector.Cursor) bool {
		method, ok := c.Parent().Node().(*ast.SelectorExpr)
		return ok && method.Sel.Name != "Longest" && facts.CalledAtOnce(c.Parent(), method)
	}
	if strings.HasPrefix(c.Name, "regexp.Match") || called(c.Cursor) {
		return false
	}
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Rhs) != 1 {
		return true
	}
	return slices.ContainsFunc(s.Uses(facts.Object(s.Place, assign.Lhs[0])), func(id *ast.Ident) bool {
		use, ok := s.Root().FindNode(id)
		return !ok || !called(use)
	})
}

// variableName is a name for the result of a call: that of the variable it is assigned to, or else of
// the function.
func variableName(s *advice.Site, c code.Call) string {
	if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok && strings.Contains(c.Name, "ompile") {
		if id, ok := assign.Lhs[0].(*ast.Ident); ok && id.Name != "_" && len(id.Name) > 2 {
			return id.Name
		}
	}
	return edit.LowerFirst(s.Decl.Name.Name)
}

// A quotedPattern is a pattern that is built at run time from regexp.QuoteMeta and constants, so it
// only finds a text.
type quotedPattern struct {
	text         ast.Expr
	begins, ends bool // ^ before it, $ after it
	fold         bool // ignores case
}

// quotedText parses a pattern; ok is false for other patterns.
func quotedText(s *advice.Site, pattern ast.Expr) (q quotedPattern, ok bool) {
	before, behind := "", ""
	for _, part := range facts.Operands(s.Place, pattern) {
		constant, isConstant := facts.ConstantText(s.Place, part)
		switch {
		case isConstant && q.text == nil:
			before += constant
		case isConstant:
			behind += constant
		case q.text != nil:
			return q, false
		default:
			call, ok := ast.Unparen(part).(*ast.CallExpr)
			if !ok || s.Callee(call) != "regexp.QuoteMeta" {
				return q, false
			}
			q.text = call.Args[0]
		}
	}
	before, q.fold = strings.CutPrefix(before, "(?i)")
	before, q.begins = strings.CutPrefix(before, "^")
	behind, q.ends = strings.CutSuffix(behind, "$")
	return q, q.text != nil && before == "" && behind == ""
}

// findQuoted fills in code that finds the text without a pattern. It returns false if the call is
// another one, or has no such rewrite.
func findQuoted(s *advice.Site, c code.Call, m *advice.Match) bool {
	q, ok := quotedText(s, c.Args[0])
	if !ok {
		return false
	}
	m.Why = fmt.Sprintf("%s compiles a pattern on each call only to find a fixed text; package strings does that.", edit.Short(c.Name))
	in, at, method := ast.Expr(nil), c.CallExpr, c.Name
	switch c.Name {
	case "regexp.MatchString":
		in = c.Args[1]
	case "regexp.MustCompile":
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "MatchString" {
			return true
		}
		call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun != sel {
			return true
		}
		in, at, method = call.Args[0], call, "(*regexp.Regexp).MatchString"
	default:
		return true
	}
	pkg, imported := facts.PackageName(s.Place, "strings", c.Pos())
	if s.Decl == nil || !imported || facts.Commented(s.Place, at.Pos(), at.End()) {
		return true
	}
	// The two operands are evaluated in reverse order.
	if facts.Calls(s.Place, in) && facts.Calls(s.Place, q.text) || !facts.UnchangedBy(s.Place, q.text, false, facts.Change{Code: []ast.Node{in}}) || !facts.UnchangedBy(s.Place, in, false, facts.Change{Code: []ast.Node{q.text}}) {
		return true
	}
	text, within := s.Source(q.text), s.Source(in)
	var found string
	var helper []advice.Edit
	m.Imports = []string{"strings"}
	switch {
	case q.fold && q.begins && q.ends:
		found = fmt.Sprintf("%s.EqualFold(%s, %s)", pkg, within, text)
	case q.fold && !q.begins && !q.ends:
		utf8, imported := facts.PackageName(s.Place, "unicode/utf8", s.Decl.Pos())
		if !imported {
			return true
		}
		name := s.Unused("containsFold", c.Pos())
		found = fmt.Sprintf("%s(%s, %s)", name, within, text)
		helper = []advice.Edit{edit.BeforeDecl(s, fmt.Sprintf(containsFold, name, utf8, pkg))}
		m.Imports = append(m.Imports, "unicode/utf8")
	case q.fold:
		return true
	case q.begins && q.ends:
		found = fmt.Sprintf("(%s == %s)", within, text)
	case q.begins:
		found = fmt.Sprintf("%s.HasPrefix(%s, %s)", pkg, within, text)
	case q.ends:
		found = fmt.Sprintf("%s.HasSuffix(%s, %s)", pkg, within, text)
	default:
		found = fmt.Sprintf("%s.Contains(%s, %s)", pkg, within, text)
	}
	edits := []advice.Edit{edit.Replace(at, found)}
	if method == "regexp.MatchString" {
		if edits, ok = withoutError(s, c, found); !ok {
			return true
		}
	}
	m.Why += " Check that the text is valid UTF-8: as a pattern, invalid text is an error or a panic."
	m.Class, m.Edits = advice.Review, append(helper, edits...)
	return true
}

// containsFold does what (?i) does. strings.EqualFold and package regexp both compare letters as
// unicode.SimpleFold does.
const containsFold = `// %[1]s reports whether s contains text, ignoring case.
func %[1]s(s, text string) bool {
	end := 0 // s[i:end] has as many characters as text
	for range text {
		if end == len(s) {
			return false
		}
		_, size := %[2]s.DecodeRuneInString(s[end:])
		end += size
	}
	for i := range s {
		if %[3]s.EqualFold(s[i:end], text) {
			return true
		}
		if end == len(s) {
			return false
		}
		_, size := %[2]s.DecodeRuneInString(s[end:])
		end += size
	}
	return true // both are empty
}`
