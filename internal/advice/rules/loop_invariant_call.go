package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var loopInvariantCall = &advice.Rule{
	ID:    "loop-invariant-call",
	Title: "a call in a loop returns the same each time",
	Doc: `Many functions of the standard library depend only on their arguments: strings.ToLower, strconv.Itoa,
time.ParseDuration, Time.Format, json.Marshal. If the arguments don't change in a loop, call the function before the loop.

The rewrite calls the function once, before the innermost loop, and uses the result. The rule only gives advice if the
call may fail, since an empty loop would then fail too, and if fields, elements or maps are involved, which other code
may change. It also only gives advice if the function passes on its own parameters and is only called in loops, with the
same values in each iteration. Calls on the way out of the loop, before a return or break, are not reported.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^(strings|strconv|fmt|path|path/filepath|net/url|regexp|time|encoding/json|encoding/hex|html|net|net/netip)\.`),
	Gain:   10,
	Match:  matchLoopInvariantCall,
	Conditions: advice.Conditions{
		Offered: "the function belongs to the standard library, its result can't be changed, and its arguments are constants and local " +
			"variables that the loop doesn't set and no pointer refers to",
		Review: "most runs of the loop reach the call; it doesn't panic if the loop has no iterations or doesn't reach it; methods that " +
			"fmt calls for an argument have no side effects and return the same each time",
	},
}

func matchLoopInvariantCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		name, known := facts.PureCalls[c.Name]
		if !known || c.Ellipsis.IsValid() {
			continue
		}
		if m, ok := keyedMarshal(s, c); ok {
			matches = append(matches, m)
			continue
		}
		loop, ok := facts.LoopAround(c.Cursor)
		for ok && !facts.Repeats(loop.Node(), c.Pos()) {
			loop, ok = facts.LoopAround(loop)
		}
		if !ok {
			if m, ok := calledInLoop(s, c); ok {
				matches = append(matches, m)
			}
			continue
		}
		if facts.LastIteration(s.Place, c.Cursor, loop) || s.Info.Types[c.CallExpr].Value != nil {
			continue
		}
		v := &facts.Invariance{Place: s.Place, Loop: loop.Node(), Call: c}
		least := v.OfOperands(c.CallExpr)
		if least == facts.Varies || constantOnly(s, c) {
			continue // constant results belong in a package variable: other rules report them
		}
		if outer, ok := enclosingCall(s, c); ok && facts.PureCalls[outer.Name] != "" {
			w := &facts.Invariance{Place: s.Place, Loop: loop.Node(), Call: outer}
			if w.OfCall(outer.CallExpr) == least {
				continue // the enclosing call can be moved as a whole
			}
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Frames: framesOf(c.Name)}
		args := argumentsOf(s, c)
		results, single := s.Info.TypeOf(c.CallExpr).(*types.Tuple)
		fails := single && results.Len() > 1
		switch {
		case least == facts.Likely:
			m.Why = fmt.Sprintf("The loop doesn't seem to change the arguments of %s, %s. If that is so, call it once, before the loop.", edit.Short(c.Name), args)
		case fails:
			m.Why = fmt.Sprintf("%s gets %s in each iteration, and the loop doesn't change them; call it once, before the loop. If the loop may have no iterations, an error would then appear anyway.", edit.Short(c.Name), args)
		case facts.Mutable[c.Name] || !facts.PointerFree(s.Info.TypeOf(c.CallExpr)) || sizeUnknown(s, c.CallExpr):
			m.Why = fmt.Sprintf("%s gets %s in each iteration, and the loop doesn't change them; call it once, before the loop.", edit.Short(c.Name), args)
		default:
			m.Why = fmt.Sprintf("%s gets %s in each iteration, and the loop doesn't change them; the rewrite calls it once, before the loop.", edit.Short(c.Name), args)
			hoist(v, loop, name, &m)
		}
		matches = append(matches, m)
	}
	return matches
}

// calledInLoop matches calls that depend on the function's arguments, where the package only calls the
// function in loops, with the same arguments in each iteration.
func calledInLoop(s *advice.Site, c code.Call) (advice.Match, bool) {
	if s.Decl == nil || s.Func.Node() != ast.Node(s.Decl) || s.Decl.Name.IsExported() || constantOnly(s, c) {
		return advice.Match{}, false
	}
	f, ok := s.Info.Defs[s.Decl.Name].(*types.Func)
	if !ok || f.Signature().Variadic() || calledByInterface(s, f) || facts.ReceiverOf(s.Place, c.CallExpr) != nil {
		return advice.Match{}, false
	}
	given, ok := givenTo(s, c, f)
	if !ok {
		return advice.Match{}, false
	}
	var loop ast.Node // one that calls it
	for _, id := range s.Uses(f) {
		if strings.HasSuffix(s.Fset.Position(id.Pos()).Filename, "_test.go") {
			continue // benchmarks have loops
		}
		use, ok := s.Root().FindNode(id)
		if !ok {
			return advice.Match{}, false
		}
		if sel, method := use.Parent().Node().(*ast.SelectorExpr); method {
			if selection := s.Info.Selections[sel]; selection == nil || selection.Kind() != types.MethodVal {
				return advice.Match{}, false
			}
			use = use.Parent()
		}
		call, ok := use.Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun != use.Node() || len(call.Args) != f.Signature().Params().Len() {
			return advice.Match{}, false
		}
		around, caller := &advice.Site{Place: s.Around(use)}, code.Call{CallExpr: call, Cursor: use.Parent(), Name: s.Callee(call)}
		in, ok := facts.LoopAround(caller.Cursor)
		if !ok || around.Func.Node() == s.Func.Node() || !facts.Repeats(in.Node(), call.Pos()) || facts.LastIteration(around.Place, caller.Cursor, in) {
			return advice.Match{}, false
		}
		v := &facts.Invariance{Place: around.Place, Loop: in.Node(), Call: caller}
		if slices.ContainsFunc(given, func(at int) bool { return v.Of(call.Args[at]) == facts.Varies }) {
			return advice.Match{}, false
		}
		loop = in.Node()
	}
	if loop == nil {
		return advice.Match{}, false
	}
	where := fmt.Sprintf("on line %d", s.Package.Line(loop.Pos()))
	if name := s.Fset.Position(loop.Pos()).Filename; name != s.Fset.Position(c.Pos()).Filename {
		where += " of " + filepath.Base(name)
	}
	return advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Frames: framesOf(c.Name),
		Why: fmt.Sprintf("%s gets %s, and %s seems to be called with the same values in each iteration of the loop %s. Call %[1]s there, before the loop, and pass its result.",
			edit.Short(c.Name), argumentsOf(s, c), f.Name(), where)}, true
}

// calledByInterface reports whether a method may be called through an interface of its package.
func calledByInterface(s *advice.Site, f *types.Func) bool {
	if f.Signature().Recv() == nil {
		return false
	}
	for _, name := range s.Types.Scope().Names() {
		if i, ok := s.Types.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok {
			if m, _, _ := types.LookupFieldOrMethod(i, false, s.Types, f.Name()); m != nil {
				return true
			}
		}
	}
	return false
}

// givenTo returns which parameters of its function a call has as arguments, if the parameters are
// never assigned to, not even in part, and all other arguments are constants.
func givenTo(s *advice.Site, c code.Call, f *types.Func) (given []int, ok bool) {
	params := slices.Collect(f.Signature().Params().Variables())
	for _, a := range c.Args {
		if s.Info.Types[a].Value != nil {
			continue
		}
		v, isVar := facts.Object(s.Place, a).(*types.Var)
		at := slices.Index(params, v)
		if !isVar || at < 0 || !facts.PointerFree(v.Type()) || !facts.Private(s.Place, v) {
			return nil, false
		}
		for e := range facts.Targets(s.Body()) {
			if facts.RootOf(s.Place, e) == v {
				return nil, false
			}
		}
		given = append(given, at)
	}
	return given, len(given) > 0
}

// argumentsOf are the arguments of a call as they are written, if they are short.
func argumentsOf(s *advice.Site, c code.Call) string {
	args := s.Text(c.Lparen+1, c.Rparen)
	if receiver := facts.ReceiverOf(s.Place, c.CallExpr); receiver != nil {
		args = strings.TrimSuffix(s.Source(receiver)+", "+args, ", ")
	}
	if len(args) > 40 || strings.Contains(args, "\n") {
		return "its arguments"
	}
	return args
}

func constantOnly(s *advice.Site, c code.Call) bool {
	if facts.ReceiverOf(s.Place, c.CallExpr) != nil {
		return false
	}
	for _, a := range c.Args {
		if s.Info.Types[a].Value == nil {
			return false
		}
	}
	switch c.Name {
	case "strings.NewReplacer", "time.LoadLocation", "regexp.MustCompile", "regexp.Compile":
		return true
	}
	return false
}

// sizeUnknown reports whether a call makes a text of any length: before a loop without iterations,
// that could take all memory.
func sizeUnknown(s *advice.Site, call *ast.CallExpr) bool {
	for n := range ast.Preorder(call) {
		if n, ok := n.(*ast.CallExpr); ok && s.Callee(n) == "strings.Repeat" && len(n.Args) == 2 && !facts.IsLength(s.Place, n.Args[1]) {
			return true
		}
	}
	return false
}

// enclosingCall returns the call that a call is an argument of.
func enclosingCall(s *advice.Site, c code.Call) (code.Call, bool) {
	outer, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || outer.Fun == ast.Expr(c.CallExpr) {
		return code.Call{}, false
	}
	return code.Call{CallExpr: outer, Cursor: c.Parent(), Name: s.Callee(outer)}, true
}

// hoist fills in the rewrite: the call moves before the loop, and a variable takes its place.
func hoist(v *facts.Invariance, loop inspector.Cursor, name string, m *advice.Match) {
	first := facts.WithLabel(loop)
	if stmt, ok := facts.Statement(first); !ok || stmt != first || facts.Commented(v.Place, v.Call.Pos(), v.Call.End()) {
		return
	}
	if _, call := v.Call.Parent().Node().(*ast.ExprStmt); call {
		return
	}
	if facts.Jumps(v.Place) || !facts.SameAt(v.Place, v.Call.CallExpr, first.Node().Pos()) {
		return
	}
	name = v.Unused(name, v.Call.Pos())
	edit.MustCheck(m, checkHoisted(v))
	m.Edits = []advice.Edit{
		edit.Insert(first.Node().Pos(), fmt.Sprintf("%s := %s\n", name, v.Source(v.Call.CallExpr))),
		edit.Replace(v.Call.CallExpr, name),
	}
}

// checkHoisted returns what to check if a call moves before the loop: it then runs once, even if the
// loop never or often reaches it.
func checkHoisted(v *facts.Invariance) []string {
	call := v.Source(v.Call.CallExpr)
	check := []string{"that most runs of the loop reach the call"}
	does := facts.EffectsOf(v.Place, v.Call.CallExpr)
	if does&facts.MayPanic != 0 {
		check = append(check, fmt.Sprintf("that %s doesn't panic if the loop has no iterations or doesn't reach it", call))
	}
	if does&facts.MayWrite != 0 {
		check = append(check, fmt.Sprintf("that methods called for %s, such as String, have no side effects and return the same each time", call))
	} else if does&(facts.MayRead|facts.ReadsBytes) != 0 && facts.EffectsOf(v.Place, v.Loop)&facts.MayWrite != 0 {
		check = append(check, fmt.Sprintf("that the loop doesn't change what %s depends on", call))
	}
	return check
}

// keyedMarshal matches functions that receive a map, set a few of its keys and encode it as JSON.
func keyedMarshal(s *advice.Site, c code.Call) (advice.Match, bool) {
	if c.Name != "encoding/json.Marshal" || s.Decl == nil || s.Func.Node() != ast.Node(s.Decl) {
		return advice.Match{}, false
	}
	obj := facts.Object(s.Place, c.Args[0])
	if obj == nil || !facts.IsParameter(s.Place, obj) {
		return advice.Match{}, false
	}
	if _, ok := obj.Type().Underlying().(*types.Map); !ok {
		return advice.Match{}, false
	}
	set, other := "", false
	for _, id := range s.Uses(obj) {
		use, ok := s.Root().FindNode(id)
		if !ok || id == ast.Unparen(c.Args[0]) {
			continue
		}
		index, ok := use.Parent().Node().(*ast.IndexExpr)
		if !ok || index.X != ast.Expr(id) || s.Info.Types[index.Index].Value == nil {
			other = true
			continue
		}
		if assign, ok := use.Parent().Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && assign.Lhs[0] == ast.Expr(index) && assign.Pos() < c.Pos() {
			set = s.Source(index)
		}
	}
	if set == "" || other {
		return advice.Match{}, false
	}
	return advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Title: "a whole map is encoded as JSON for each changed key", Frames: framesOf(c.Name),
		Why: fmt.Sprintf("Only %s of the map is set here before all of it is encoded. If the rest stays the same between calls, encode it once and insert this value into the text.", set)}, true
}
