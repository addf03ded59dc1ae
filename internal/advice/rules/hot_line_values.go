package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/flow"
)

// maxValues limits what is said about the values on a line.
const maxValues = 2

// whatValues says what becomes of the values on a line, and what the line computes for nothing: the most telling
// first.
func whatValues(s *advice.Site, work advice.Work) string { return strings.Join(valuesOn(s, work), " ") }

func valuesOn(s *advice.Site, work advice.Work) (said []string) {
	f := flow.In(s.Place)
	if f == nil {
		return nil
	}
	v := values{s, f, work}
	for _, say := range []func() string{v.readBack, v.remade, v.repeated, v.calledAgain, v.invariant, v.hashedAgain, v.searched, v.factors, v.constant, v.needed, v.copied, v.littleUsed} {
		if text := say(); text != "" {
			if said = append(said, text); len(said) == maxValues {
				break
			}
		}
	}
	return said
}

// values are what is known of the values on a line.
type values struct {
	*advice.Site
	flow *flow.Function
	work advice.Work
}

// counts reports whether profiles show a call of the function.
func (v *values) counts(c flow.Caller) bool { return v.CalledFrom(c.Function, v.Fset.Position(c.Call)) }

// maxSource is the length of code in a sentence.
const maxSource = 50

// name is the source of an expression, if it is short; "" otherwise.
func (v *values) name(e ast.Expr) string {
	if text := v.Source(e); len(text) <= maxSource && !strings.Contains(text, "\n") {
		return text
	}
	return ""
}

// named is the source of a call, or at least of its function.
func (v *values) named(call *ast.CallExpr) string {
	return cmp.Or(v.name(call), v.name(call.Fun), "the call")
}

// worth reports whether a call may cost something: profiles show the function, or it belongs to the user's code, so
// that its cost is on other lines.
func (v *values) worth(call code.Call) bool {
	if call.Name == "" || v.flow.Cheap(call.CallExpr) {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(call.Name, "(*"), v.Types.Path()+".") {
		return true
	}
	re := framesOf(call.Name)
	return slices.ContainsFunc(v.work.Parts, func(p advice.Part) bool { return re.MatchString(p.Function) && p.CPU >= smallPart*v.work.CPU }) || v.Share(re) >= someAllocated
}

// at says where something is: on which line, and of which file if that is another one.
func (v *values) at(pos token.Pos) string { return lineAt(v.Site, pos) }

func lineAt(s *advice.Site, pos token.Pos) string {
	at, here := s.Fset.Position(pos), s.Fset.Position(s.Func.Node().Pos())
	if at.Filename != here.Filename {
		return fmt.Sprintf("line %d of %s", at.Line, filepath.Base(at.Filename))
	}
	return fmt.Sprintf("line %d", at.Line)
}

// on says on which line something is, or that it is on the line itself.
func (v *values) on(pos token.Pos, here string) string {
	if text := v.at(pos); text != fmt.Sprintf("line %d", v.Line) {
		return "on " + text
	}
	return here
}

func (v *values) readBack() string {
	for _, call := range v.Calls() {
		if by, ok := v.flow.ParsesBack(call.CallExpr); ok {
			return fmt.Sprintf("%s reads back the text that %s makes %s.", cmp.Or(v.name(call.Fun), "It"), v.named(by), v.on(by.Pos(), "here"))
		}
		if first, _, ok := v.flow.ConvertedBack(call.CallExpr); ok {
			return fmt.Sprintf("%s converts back what %s has converted %s: that makes two copies.", v.named(call.CallExpr), v.named(first.(*ast.CallExpr)), v.on(first.Pos(), "here"))
		}
	}
	return ""
}

func (v *values) remade() string {
	for _, call := range v.Calls() {
		if at, ok := v.flow.Remade(call.CallExpr, v.counts); ok {
			function := v.name(call.Fun)
			return fmt.Sprintf("%s gets what %s has returned %s.", function, function, v.on(at, "here"))
		}
	}
	return ""
}

func (v *values) repeated() string {
	for _, call := range v.Calls() {
		pairs := v.flow.Twice(call.CallExpr)
		if len(pairs) == 0 || !v.worth(call) {
			continue
		}
		other := pairs[0].First.Node()
		if other == ast.Node(call.CallExpr) {
			other = pairs[0].Second.Node()
		}
		return fmt.Sprintf("%s is called with the same arguments again %s, and nothing that it depends on changes.", v.named(call.CallExpr), v.on(other.Pos(), "on this line"))
	}
	return ""
}

// calledAgain says whether a caller calls the line's function for nothing.
func (v *values) calledAgain() string {
	c, again, ok := v.flow.CalledForNothing(v.counts)
	if !ok || v.Decl == nil {
		return ""
	}
	if again.IsValid() {
		return fmt.Sprintf("%s calls %s on %s and on %s with the same arguments.", c.Function, v.Decl.Name.Name, v.at(min(c.Call, again)), v.at(max(c.Call, again)))
	}
	return fmt.Sprintf("%s calls %s with the same arguments in each iteration of the loop on %s.", c.Function, v.Decl.Name.Name, v.at(c.Loop))
}

func (v *values) invariant() string {
	for _, call := range v.Calls() {
		if at, ok := v.flow.Invariant(call.CallExpr); ok && v.worth(call) {
			return fmt.Sprintf("%s returns the same in each iteration of the loop on %s.", v.named(call.CallExpr), v.at(at))
		}
	}
	return ""
}

// hashedAgain says whether the function looks up an element of a map, and then again, to change it or to read it.
func (v *values) hashedAgain() string {
	for _, c := range v.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		name := ""
		if ok {
			name = v.name(index)
		}
		if name == "" || !facts.IsMap(v.Place, index.X) {
			continue
		}
		for other := range v.Func.Preorder((*ast.IndexExpr)(nil)) {
			again := other.Node().(*ast.IndexExpr)
			if v.Package.Line(again.Pos()) == v.Line || !facts.SameCode(v.Place, index, again) {
				continue
			}
			first, second := c, other
			if again.Pos() < index.Pos() {
				first, second = other, c
			}
			if v.sameElement(first, second) {
				return fmt.Sprintf("%s is looked up again %s: if the map's values are pointers or indexes, one lookup is enough.", name, v.on(again.Pos(), "here"))
			}
		}
	}
	return ""
}

// sameElement reports whether an element of a map is looked up, and then again: in the same block or inside it, with the same key. If
// the second only stores a new value, the first may have been needed to know that.
func (v *values) sameElement(first, second inspector.Cursor) bool {
	if assign, ok := facts.WithParens(second).Parent().Node().(*ast.AssignStmt); ok && assign.Tok == token.ASSIGN && slices.Contains(assign.Lhs, facts.WithParens(second).Node().(ast.Expr)) {
		return false
	}
	statement, ok := facts.Statement(first)
	if !ok {
		return false
	}
	index := second.Node().(*ast.IndexExpr)
	if block := statement.Parent().Node(); index.Pos() < block.Pos() || block.End() < index.End() {
		return false
	}
	code, ok := between(second, statement, statement.Parent())
	if n := statement.Node(); n.End() <= index.Pos() {
		code = append(code, n)
	}
	change := facts.Change{Code: code}
	return ok && facts.UnchangedBy(v.Place, index.X, false, change) && facts.UnchangedBy(v.Place, index.Index, false, change)
}

func (v *values) searched() string {
	found, ok := v.flow.SearchedAgain(v.Line, v.counts)
	if !ok {
		return ""
	}
	if found.Itself {
		return fmt.Sprintf("It goes through %s again for each element of it: the loop on %s makes that quadratic.", cmp.Or(found.In, "a slice"), v.at(found.Loop))
	}
	if found.Call {
		if v.Decl == nil || v.Func.Node() != ast.Node(v.Decl) {
			return ""
		}
		return fmt.Sprintf("It searches %s from the start in each call of %s.", cmp.Or(found.In, "a slice"), v.Decl.Name.Name)
	}
	in := ""
	if found.By != "" {
		in = " in " + found.By
	}
	return fmt.Sprintf("It searches %s from the start for each iteration of the loop on %s%s.", cmp.Or(found.In, "a slice"), v.at(found.Loop), in)
}

func (v *values) factors() string {
	found, ok := v.flow.CommonFactors(v.Line)
	if !ok {
		return ""
	}
	a, b := v.name(found.A), v.name(found.B)
	if a == "" || b == "" {
		return ""
	}
	where := ""
	if line := v.Package.Line(found.At); line != v.Line {
		where = fmt.Sprintf(" from line %d on", line)
	}
	return fmt.Sprintf("%d products%s have the factors %s and %s: the product of the two can be computed once (floats then round differently).", found.Products, where, a, b)
}

// forTheProgram are functions that return the same as long as a program runs.
var forTheProgram = map[string]bool{
	"os.Executable": true, "os.Getpid": true, "os.Getppid": true, "os.Getuid": true, "os.Hostname": true, "os/user.Current": true, "runtime.GOROOT": true, "runtime.NumCPU": true, "runtime.Version": true,
	"runtime/debug.ReadBuildInfo": true,
}

func (v *values) constant() string {
	for _, call := range v.Calls() {
		if forTheProgram[call.Name] && v.worth(call) {
			return fmt.Sprintf("%s returns the same as long as the program runs.", v.named(call.CallExpr))
		}
		if v.Decl != nil && v.flow.Constant(call.CallExpr) && v.worth(call) {
			return fmt.Sprintf("%s returns the same in each call of %s.", v.named(call.CallExpr), v.Decl.Name.Name)
		}
	}
	return ""
}

// needed says whether only one branch needs what the line loads or computes.
func (v *values) needed() string {
	for _, c := range v.Nodes() {
		switch e := c.Node().(type) {
		case *ast.IndexExpr:
			if text := v.neededIn(e); text != "" {
				return text
			}
		case *ast.CallExpr:
			if call, ok := v.CallAt(c); ok && v.worth(call) && v.flow.Computes(e) {
				if text := v.neededIn(e); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

func (v *values) neededIn(e ast.Expr) string {
	b, ok := v.flow.NeededIn(e)
	name := v.name(e)
	if !ok || name == "" {
		return ""
	}
	return fmt.Sprintf("%s is only used if the condition on line %d is %v.", name, b.Line, b.When)
}

func (v *values) copied() string {
	for _, call := range v.Calls() {
		c, ok := v.flow.CopiedUnchanged(call.CallExpr)
		if !ok || v.name(c.Of) == "" || len(c.PassedTo) > 1 || v.Decl == nil {
			continue
		}
		function := v.Decl.Name.Name
		if len(c.PassedTo) == 1 {
			return fmt.Sprintf("It makes a copy of %s, and %s writes to neither, unless %s does.", v.name(c.Of), function, c.PassedTo[0])
		}
		return fmt.Sprintf("It makes a copy of %s, and %s writes to neither.", v.name(c.Of), function)
	}
	return ""
}

// littleUsed says whether only little of a new text or slice is used.
func (v *values) littleUsed() string {
	if v.work.BlockSize == 0 {
		return ""
	}
	for _, call := range v.Calls() {
		if call.Name == "make" || call.Name == "append" || v.Info.Types[call.Fun].IsType() || !v.worth(call) {
			continue
		}
		uses, ok := v.flow.UsesOf(call.CallExpr)
		if !ok {
			continue
		}
		name := v.named(call.CallExpr)
		switch uses {
		case 0:
			if !v.flow.Computes(call.CallExpr) {
				continue // it is called for what else it does
			}
			return fmt.Sprintf("Nothing uses the result of %s.", name)
		case flow.Measured:
			return fmt.Sprintf("Only the length of %s is used.", name)
		case flow.AsKey:
			return fmt.Sprintf("%s is only used to look up a map.", name)
		case flow.Compared, flow.Compared | flow.Measured:
			return fmt.Sprintf("%s is only compared.", name)
		case flow.Converted:
			return fmt.Sprintf("%s is only converted to another type, which makes another copy.", name)
		case flow.Ranged, flow.Ranged | flow.Measured:
			return fmt.Sprintf("%s is only ranged over.", name)
		case flow.Written:
			return fmt.Sprintf("%s is only written.", name)
		}
	}
	return ""
}

// loopAbove says which loop of a caller runs the function of a site; "" if none is known.
func loopAbove(s *advice.Site) string {
	f := flow.In(s.Place)
	if f == nil || s.Func.Node() != ast.Node(s.Decl) {
		return ""
	}
	c, ok := f.InLoopOf(func(c flow.Caller, direct bool) bool {
		if direct {
			return s.CalledFrom(c.Function, s.Fset.Position(c.Call))
		}
		return s.Ran(s.Fset.Position(c.Call))
	})
	if !ok {
		return ""
	}
	return fmt.Sprintf("the loop on %s in %s repeats these calls", lineAt(s, c.Loop), c.Function)
}
