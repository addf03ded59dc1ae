package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var listParsedPerCall = &advice.Rule{
	ID:    "list-parsed-per-call",
	Title: "a list is parsed again on each call",
	Doc: `A function that checks a value against many patterns, addresses or names, and receives them as text, parses all of them
on each call. Usually the list stays the same and the values change. Parse the list once, into a type with a method that
answers, or keep the parsed form next to the text.

The rule reports loops over strings from a parameter, a field or a package variable, in functions that return a bool, if
a call that parses one element, and depends on nothing else, takes a tenth of the time. Only callers know whether the
list stays the same, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Gain:  2,
	Match: matchListParsedPerCall,
}

const parsedMuch = 0.1

// parsers are functions that parse one text. Others are recognized by the start of their name.
var parsers = []string{
	"net.ParseCIDR", "net.ParseIP", "net/netip.ParsePrefix", "net/netip.ParseAddr", "net/url.Parse", "strings.Split", "strings.SplitN", "strings.Fields", "strings.ToLower",
	"strings.ToUpper", "path.Clean", "path/filepath.Clean", "time.Parse", "time.ParseDuration", "strconv.Atoi", "strconv.ParseInt", "strconv.ParseFloat", "regexp.Compile", "regexp.MustCompile",
}

var preparing = lazyregexp.New(`(?i)^(must)?(parse|prepare|compile|normali[sz]e|tokeni[sz]e|split|decode|canonicali[sz]e)`)

func matchListParsedPerCall(s *advice.Site) []advice.Match {
	if s.Decl == nil || s.Func.Node() != ast.Node(s.Decl) || !answers(s) || s.Share(nil) < parsedMuch {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls() {
		name := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
		if c.Name == "" || !slices.Contains(parsers, c.Name) && !preparing.MatchString(name) || len(c.Args) == 0 {
			continue
		}
		loop, ok := facts.LoopAround(c.Cursor)
		if !ok {
			continue
		}
		r, ok := loop.Node().(*ast.RangeStmt)
		if !ok || r.Value == nil || !facts.IsString(s.Place, r.Value) || !ofElement(s, c, r) || !stays(s, r.X) {
			continue
		}
		list := s.Source(r.X)
		matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
			"%s depends only on the elements of %s and runs for all of them on each call. If %[2]s stays the same between calls, parse it once, into a type with a method for this check.", edit.Called(s, c.CallExpr), list)})
	}
	return matches
}

// answers reports whether a function returns a bool.
func answers(s *advice.Site) bool {
	f, ok := s.Info.Defs[s.Decl.Name].(*types.Func)
	if !ok {
		return false
	}
	for v := range f.Signature().Results().Variables() {
		if types.Identical(v.Type(), types.Typ[types.Bool]) {
			return true
		}
	}
	return false
}

// ofElement reports whether the arguments of a call are only the element of the list and constants.
func ofElement(s *advice.Site, c code.Call, r *ast.RangeStmt) bool {
	element := facts.Object(s.Place, r.Value)
	given := false
	for _, a := range c.Args {
		switch {
		case s.Info.Types[a].Value != nil:
		case element != nil && facts.Object(s.Place, a) == element:
			given = true
		default:
			return false
		}
	}
	return given && !facts.Assigned(s.Place, element, r.Body)
}

// stays reports whether a list may be the same in the next call: it is a parameter that isn't assigned
// to, a field, or a package variable.
func stays(s *advice.Site, list ast.Expr) bool {
	switch e := ast.Unparen(list).(type) {
	case *ast.Ident:
		obj := facts.Object(s.Place, e)
		return obj != nil && (obj.Parent() == s.Types.Scope() || facts.IsParameter(s.Place, obj) && !facts.Assigned(s.Place, obj, s.Body()))
	case *ast.SelectorExpr:
		if v := s.Info.Selections[e]; v == nil || v.Kind() != types.FieldVal {
			return false
		}
		root := facts.Object(s.Place, e.X)
		return root != nil && s.Decl.Recv != nil && facts.Within(s.Decl.Recv, root.Pos())
	}
	return false
}
