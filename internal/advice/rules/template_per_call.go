package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"text/template/parse"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var templatePerCall = &advice.Rule{
	ID:    "template-per-call",
	Title: "a template is parsed per call",
	Doc: `Parsing a template takes tens of microseconds and hundreds of allocations. html/template also walks the whole template
on its first run, to find out how to escape each value. A parsed template can be run any number of times and is safe for
concurrent use, so parse a constant text once, in a package variable.

The rewrite does this if the template is built from constants and afterwards only run. Review it, because parsing moves
to program startup, where template.Must panics on an error. Templates read from files get advice only.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^(text|html)/template\.(\(\*(Template|escaper|nameSpace)\)\.)?(Parse|parse|escape|lookupAndEscape|New|Must)|^text/template/parse\.`),
	Gain:   5,
	Match:  matchTemplatePerCall,
	Conditions: advice.Conditions{
		Offered: "the template is built from constants and only run",
		Review:  "an error in its text may stop the program at startup; " + edit.InitOrder,
	},
}

func matchTemplatePerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls(
		"(*text/template.Template).Parse", "(*html/template.Template).Parse",
		"text/template.ParseFiles", "html/template.ParseFiles", "text/template.ParseGlob", "html/template.ParseGlob", "text/template.ParseFS", "html/template.ParseFS",
		"(*text/template.Template).ParseFiles", "(*html/template.Template).ParseFiles", "(*text/template.Template).ParseGlob", "(*html/template.Template).ParseGlob",
		"(*text/template.Template).ParseFS", "(*html/template.Template).ParseFS") {
		if facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		if !strings.HasSuffix(c.Name, ".Parse") {
			m.Why = fmt.Sprintf("%s reads and parses files each time. Do it once, at startup, and reuse the parsed template.", edit.Short(c.Name))
			matches = append(matches, m)
			continue
		}
		text, constant := facts.ConstantText(s.Place, c.Args[0])
		if !constant {
			m.Why = fmt.Sprintf("%s parses a text that is built at run time. If the texts repeat, keep the parsed templates by their text, with a size limit.", edit.Short(c.Name))
		} else {
			m.Why = fmt.Sprintf("%s parses the same text on each call; parse it once, in a package variable. Check that it may be parsed at startup.", edit.Short(c.Name))
			hoistTemplate(s, c, text, &m)
		}
		matches = append(matches, m)
	}
	return matches
}

// hoistTemplate fills in the rewrite, if the template consists of constants, parses, and is only
// executed.
func hoistTemplate(s *advice.Site, c code.Call, text string, m *advice.Match) {
	name, ok := templateOf(s, c.CallExpr)
	if !ok || s.Decl == nil || !facts.AtPackageLevel(s.Place, c.CallExpr) {
		return
	}
	trees := make(map[string]*parse.Tree)
	tree := parse.New(name)
	if _, err := tree.Parse(text, "", "", trees, templateFuncs); err != nil {
		return // it fails each time, or needs functions that aren't visible here
	}
	node, must := ast.Expr(c.CallExpr), false
	outer, ok := c.Parent().Node().(*ast.CallExpr)
	pkg := ""
	if ok && strings.HasSuffix(s.Callee(outer), "/template.Must") {
		node, must = outer, true
		if pkg, _, ok = strings.Cut(s.Source(outer.Fun), "."); !ok {
			return
		}
	} else if pkg, ok = packageOf(s, c.Name); !ok {
		return
	}
	at, ok := s.Func.FindNode(node)
	if !ok || facts.Commented(s.Place, node.Pos(), node.End()) {
		return
	}
	want := s.Decl.Name.Name
	want = s.Unused(edit.LowerFirst(want)+"Template", c.Pos())
	edits := []advice.Edit{edit.Replace(node, want)}
	if !must {
		if !facts.TwoResults(c) {
			return
		}
		if edits, ok = withoutError(s, c, want); !ok {
			return
		}
	}
	if !onlyRun(s, at) {
		return
	}
	m.Edits = toPackageVariable(s, at, want, fmt.Sprintf("%s.Must(%s)", pkg, s.Source(c.CallExpr)), edits)
	m.Class = advice.Review
}

// templateFuncs are the functions that every template has.
var templateFuncs = func() map[string]any {
	known := make(map[string]any)
	for _, name := range strings.Fields("and call html index slice js len not or print printf println urlquery eq ge gt le lt ne break continue _html_template_attrescaper") {
		known[name] = true
	}
	return known
}()

// templateOf returns the name that a chain template.New("name").Option("…").Parse(…)
// gives its template.
func templateOf(s *advice.Site, call *ast.CallExpr) (string, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	before, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	switch callee := s.Callee(before); {
	case strings.HasSuffix(callee, "/template.New"):
		return facts.ConstantText(s.Place, before.Args[0])
	case strings.HasSuffix(callee, "/template.Template).Option"):
		for _, a := range before.Args {
			option, ok := facts.ConstantText(s.Place, a)
			if !ok || !slices.Contains([]string{"missingkey=default", "missingkey=invalid", "missingkey=zero", "missingkey=error"}, option) {
				return "", false // it panics, and would do so at startup
			}
		}
		return templateOf(s, before)
	}
	return "", false
}

// packageOf returns the name of a method's package in the site's file.
func packageOf(s *advice.Site, method string) (string, bool) {
	p := strings.TrimLeft(method, "(*")
	p = p[:strings.LastIndexByte(p, '/')] + "/template"
	return facts.PackageName(s.Place, p, s.Decl.Pos())
}

// onlyRun reports whether a template is only executed.
func onlyRun(s *advice.Site, at inspector.Cursor) bool {
	runs := []string{"Execute", "ExecuteTemplate", "Name", "DefinedTemplates"}
	switch parent := at.Parent().Node().(type) {
	case *ast.SelectorExpr:
		return slices.Contains(runs, parent.Sel.Name)
	case *ast.AssignStmt:
		obj := facts.Object(s.Place, parent.Lhs[0])
		if obj == nil || !facts.IsLocal(s.Place, obj) || len(parent.Rhs) != 1 {
			return false
		}
		for _, id := range s.Uses(obj) {
			use, ok := s.Root().FindNode(id)
			if !ok {
				return false
			}
			sel, ok := use.Parent().Node().(*ast.SelectorExpr)
			if !ok || sel.X != ast.Expr(id) || !slices.Contains(runs, sel.Sel.Name) {
				return false
			}
		}
		_, isVar := obj.(*types.Var)
		return isVar
	}
	return false
}
