package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var bulkAppend = &advice.Rule{
	ID:    "bulk-append",
	Title: "bytes of a text are appended one by one",
	Doc: `append checks the capacity on every call. If most of a text is copied unchanged, find the next byte that needs work, and
append everything before it in one call, which copies many bytes per instruction. A loop that appends a whole text is a
single append.

The same holds for writing to a strings.Builder or bytes.Buffer byte by byte or rune by rune, also in a function that is
called for each one. If nothing in the text changes, return it as it is.`,
	Class: advice.Safe,
	Gain:  2,
	Match: matchBulkAppend,
	Conditions: advice.Conditions{
		Offered: "a loop only appends all bytes of a text",
		Review: "the text isn't part of the slice that is appended to, since the loop would then read what it appended; no other slice " +
			"uses the spare capacity that the loop fills",
	},
}

func matchBulkAppend(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.ASSIGN {
			continue
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		if !ok || s.Callee(call) != "append" || len(call.Args) != 2 || call.Ellipsis.IsValid() || !facts.PlainBytes(s.Info.TypeOf(assign.Lhs[0])) || !facts.SameCode(s.Place, assign.Lhs[0], call.Args[0]) {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok {
			continue
		}
		text, whole, ok := byteOf(s, loop, call.Args[1])
		if !ok {
			continue
		}
		m := advice.Match{Node: assign, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("Each unchanged byte of %s is appended separately. Find the next byte that needs work, and append everything before it in one call: append(dst, %[1]s[start:i]...).", s.Source(text))
		body := facts.LoopBody(loop.Node())
		if c.Parent().Node() == body && len(body.List) > 1 && !facts.ExitsOf(s.Place, loop).Skips {
			continue // all bytes are appended, with other text in between
		}
		if len(body.List) == 1 && body.List[0] == assign && whole && facts.Pure(s.Place, assign.Lhs[0]) && !facts.Commented(s.Place, loop.Node().Pos(), assign.Pos()) && !facts.SameCode(s.Place, assign.Lhs[0], text) {
			dst := s.Source(assign.Lhs[0])
			m.Why = fmt.Sprintf("Each byte of %s is appended separately, with a capacity check; a single append copies them all.", s.Source(text))
			m.Edits = []advice.Edit{edit.Replace(loop.Node(), fmt.Sprintf("%s = append(%s, %s...)", dst, dst, s.Source(text)))}
			m.Class = advice.Safe
			var overlap []string
			if facts.MayShare(s.Place, text, facts.Sink{Expr: assign.Lhs[0], Name: dst}) {
				overlap = []string{fmt.Sprintf("that %s isn't part of %s or its spare capacity: the loop would read what it has appended, a single append doesn't", s.Source(text), dst)}
			}
			edit.MustCheck(&m, overlap, facts.SharedRoom(s.Place, assign.Lhs[0], loop.Node()))
			m.Node = loop.Node()
		}
		matches = append(matches, m)
	}
	return slices.Concat(matches, writtenOneByOne(s), writtenByCallee(s))
}

// writtenOneByOne matches loops that write the bytes or runes of a text to a buffer one by one.
func writtenOneByOne(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls(
		"(*strings.Builder).WriteByte", "(*bytes.Buffer).WriteByte", "(*bufio.Writer).WriteByte",
		"(*strings.Builder).WriteRune", "(*bytes.Buffer).WriteRune", "(*bufio.Writer).WriteRune",
	) {
		loop, ok := facts.LoopAround(c.Cursor)
		if !ok || len(c.Args) != 1 {
			continue
		}
		text, ok := characterOf(s, loop, c.Args[0])
		if !ok || !edit.OneLine(s.Source(text)) {
			continue
		}
		body := facts.LoopBody(loop.Node())
		if stmt := c.Parent(); stmt.Parent().Node() == body && len(body.List) > 1 && !facts.ExitsOf(s.Place, loop).Skips {
			continue // all bytes are written, with other text in between
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Title: "characters of a text are written one by one",
			Why: fmt.Sprintf("Each unchanged character of %s is written separately. Find the next one that needs work, and write everything before it in one call. If only one character is replaced, strings.ReplaceAll does this.", s.Source(text))})
	}
	return matches
}

// writtenByCallee matches bytes or runes of a text that are passed one by one to a function of the
// package, which writes the unchanged ones.
func writtenByCallee(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		loop, ok := facts.LoopAround(c.Cursor)
		if !ok || c.Ellipsis.IsValid() {
			continue
		}
		for i, arg := range c.Args {
			text, ok := characterOf(s, loop, arg)
			if !ok || !edit.OneLine(s.Source(text)) || !passesOn(s, c.CallExpr, i) {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Title: "characters of a text are written one by one",
				Why: fmt.Sprintf("%s is called for each character of %s and writes the unchanged ones separately. Find the next one that needs work, and write everything before it in one call.", edit.Called(s, c.CallExpr), s.Source(text))})
			break
		}
	}
	return matches
}

// passesOn reports whether a function of the package writes its argument i to a buffer unchanged or
// writes something else, depending on that argument.
func passesOn(s *advice.Site, call *ast.CallExpr, i int) bool {
	decl := facts.CalleeDecl(s.Place, call)
	if decl == nil || decl.Body == nil {
		return false
	}
	f := s.Info.Defs[decl.Name].(*types.Func)
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && s.Info.Types[sel.X].IsType() || i >= f.Signature().Params().Len() {
		return false // the first argument of T.f(t, x) is the receiver
	}
	character := f.Signature().Params().At(i)
	if facts.Assigned(s.Place, character, decl.Body) || !decides(s, decl.Body, character) {
		return false
	}
	var asItIs []ast.Expr // buffers that it is written to unchanged
	writes := make(map[string]int)
	for n := range ast.Preorder(decl.Body) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		var buffer ast.Expr
		switch name := s.Callee(call); name[strings.LastIndexByte(name, '.')+1:] {
		case "append":
			buffer = call.Args[0]
		case "WriteByte", "WriteRune", "WriteString", "Write", "AppendByte", "AppendString":
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			buffer = sel.X
		default:
			continue
		}
		writes[s.Source(buffer)]++
		if facts.Object(s.Place, call.Args[len(call.Args)-1]) == character {
			asItIs = append(asItIs, buffer)
		}
	}
	return slices.ContainsFunc(asItIs, func(b ast.Expr) bool { return writes[s.Source(b)] > 1 })
}

// decides reports whether code does one thing or another depending on a variable.
func decides(s *advice.Site, body *ast.BlockStmt, v types.Object) bool {
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if facts.Mentions(s.Place, n.Cond, v) {
				return true
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && facts.Mentions(s.Place, n.Tag, v) {
				return true
			}
			for _, clause := range n.Body.List {
				if slices.ContainsFunc(clause.(*ast.CaseClause).List, func(e ast.Expr) bool { return facts.Mentions(s.Place, e, v) }) {
					return true
				}
			}
		}
	}
	return false
}

// characterOf returns the text that a loop iterates over, if an expression is its current byte or
// rune.
func characterOf(s *advice.Site, loop inspector.Cursor, e ast.Expr) (ast.Expr, bool) {
	if text, _, ok := byteOf(s, loop, e); ok {
		return text, true
	}
	if text, ok := runeIn(s, loop.Node(), e); ok {
		return text, true
	}
	return taken(s, loop.Node(), e)
}

// taken matches c, n := next(text, i), or next(text[i:]), in a loop over i up to the end of the text,
// where next decodes a rune, or is a function of the package that returns a byte of its text.
func taken(s *advice.Site, loop ast.Node, e ast.Expr) (ast.Expr, bool) {
	f, ok := loop.(*ast.ForStmt)
	obj := facts.Object(s.Place, e)
	if !ok || obj == nil || !facts.IsLocal(s.Place, obj) {
		return nil, false
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || facts.Object(s.Place, cond.X) == nil {
		return nil, false
	}
	length, ok := ast.Unparen(cond.Y).(*ast.CallExpr)
	if !ok || s.Callee(length) != "len" || !isText(s, length.Args[0]) || !facts.Pure(s.Place, length.Args[0]) {
		return nil, false
	}
	text := length.Args[0]
	for _, stmt := range f.Body.List {
		def, ok := stmt.(*ast.AssignStmt)
		if !ok || def.Tok != token.DEFINE || len(def.Rhs) != 1 || def.Lhs[0].Pos() != obj.Pos() {
			continue
		}
		call, ok := def.Rhs[0].(*ast.CallExpr)
		if !ok || !facts.Mentions(s.Place, call, facts.Object(s.Place, cond.X)) || !nextOf(s, call) || assignedBesides(s, obj, f.Body, e) {
			return nil, false
		}
		for _, arg := range call.Args {
			if part, ok := ast.Unparen(arg).(*ast.SliceExpr); ok {
				arg = part.X
			}
			if facts.SameCode(s.Place, arg, text) {
				return text, true
			}
		}
	}
	return nil, false
}

// nextOf reports whether the first result of a call is a character of the text it is given.
func nextOf(s *advice.Site, call *ast.CallExpr) bool {
	switch s.Callee(call) {
	case "unicode/utf8.DecodeRune", "unicode/utf8.DecodeRuneInString":
		return true
	}
	decl := facts.CalleeDecl(s.Place, call)
	if decl == nil || decl.Body == nil {
		return false
	}
	for n := range ast.Preorder(decl.Body) {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			index, ok := ast.Unparen(r.Results[0]).(*ast.IndexExpr)
			if ok && isText(s, index.X) && facts.Object(s.Place, index.X) != nil && facts.Within(decl.Type, facts.Object(s.Place, index.X).Pos()) {
				return true
			}
		}
	}
	return false
}

// runeIn returns the text that a range iterates over, if an expression is its current rune.
func runeIn(s *advice.Site, loop ast.Node, e ast.Expr) (ast.Expr, bool) {
	r, ok := loop.(*ast.RangeStmt)
	obj := facts.Object(s.Place, e)
	if !ok || obj == nil || r.Value == nil || r.Tok != token.DEFINE || facts.Object(s.Place, r.Value) != obj || !facts.IsString(s.Place, r.X) || assignedBesides(s, obj, r.Body, e) {
		return nil, false
	}
	return r.X, true
}

// byteOf returns the text that a loop iterates over, if an expression is its current byte. whole is
// set if the loop is a range over all of the text.
func byteOf(s *advice.Site, loop inspector.Cursor, e ast.Expr) (text ast.Expr, whole, ok bool) {
	if index, isIndex := ast.Unparen(e).(*ast.IndexExpr); isIndex {
		if facts.Counts(s.Place, loop.Node(), facts.Object(s.Place, index.Index)) && isText(s, index.X) && facts.Pure(s.Place, index.X) {
			return index.X, false, true
		}
		return nil, false, false
	}
	obj := facts.Object(s.Place, e)
	if obj == nil {
		return nil, false, false
	}
	if r, isRange := loop.Node().(*ast.RangeStmt); isRange {
		if r.Value != nil && r.Tok == token.DEFINE && facts.Object(s.Place, r.Value) == obj && facts.PlainBytes(s.Info.TypeOf(r.X)) && facts.Pure(s.Place, r.X) && !assignedBesides(s, obj, r.Body, e) {
			return r.X, facts.IsBlank(r.Key), true
		}
	}
	// c := text[i]
	ast.Inspect(facts.LoopBody(loop.Node()), func(n ast.Node) bool {
		def, isAssign := n.(*ast.AssignStmt)
		if !isAssign || def.Tok != token.DEFINE || len(def.Lhs) != 1 || len(def.Rhs) != 1 || def.Lhs[0].Pos() != obj.Pos() {
			return true
		}
		if index, isIndex := def.Rhs[0].(*ast.IndexExpr); isIndex && facts.Counts(s.Place, loop.Node(), facts.Object(s.Place, index.Index)) && isText(s, index.X) && facts.Pure(s.Place, index.X) {
			text, ok = index.X, true
		}
		return true
	})
	return text, false, ok && !assignedBesides(s, obj, facts.LoopBody(loop.Node()), e)
}

// assignedBesides reports whether the body of a loop may assign to a variable before its use. Its
// declaration doesn't count, nor do other branches, which run instead of the use.
func assignedBesides(s *advice.Site, obj types.Object, body *ast.BlockStmt, use ast.Expr) bool {
	var others []ast.Node
	uses := func(n ast.Node) bool { return facts.Within(n, use.Pos()) }
	for n := range ast.Preorder(body) {
		var branches []ast.Node
		switch n := n.(type) {
		case *ast.IfStmt:
			branches = append(branches, n.Body)
			if n.Else != nil {
				branches = append(branches, n.Else)
			}
		case *ast.SwitchStmt:
			if !fallsThrough(n) {
				for _, clause := range n.Body.List {
					branches = append(branches, clause)
				}
			}
		}
		if slices.ContainsFunc(branches, uses) {
			others = append(others, slices.DeleteFunc(branches, uses)...)
		}
	}
	assigns := func(e ast.Expr) bool {
		return facts.Object(s.Place, e) == obj && e.Pos() != obj.Pos() && !slices.ContainsFunc(others, func(n ast.Node) bool { return facts.Within(n, e.Pos()) })
	}
	for e := range facts.Targets(body) {
		if assigns(e) {
			return true
		}
	}
	return !facts.Private(s.Place, obj)
}

// fallsThrough reports whether a case of a switch may continue with the next one.
func fallsThrough(n *ast.SwitchStmt) bool {
	for n := range ast.Preorder(n.Body) {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return true
		}
	}
	return false
}

func isText(s *advice.Site, e ast.Expr) bool {
	return facts.IsString(s.Place, e) || facts.PlainBytes(s.Info.TypeOf(e))
}
