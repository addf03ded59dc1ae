package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
)

// inTurn returns what somebody has to check where operands that were evaluated one after the other,
// and then used together, are each used before the next is evaluated; nil if the same comes out,
// whatever the operands do. Where using one writes it to something, that is given.
func inTurn(s *advice.Site, steps []step, to *sink) (check []string) {
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(check, text) {
			check = append(check, text)
		}
	}
	check = panicsFirst(s, steps, to != nil)
	hidden := to == nil
	var dst types.Object
	if to != nil {
		dst = rootOf(s, to.expr)
		hidden = onlyHere(s, dst, to.expr)
	}
	for i, p := range steps {
		if p.expr == nil {
			continue
		}
		if to != nil && isBytes(s, p.expr) && mayShare(s, p.expr, *to) {
			add("that %s doesn't share memory with %s, which is written to before it is read", s.Source(p.expr), to.name)
		}
		for j, later := range steps {
			if later.expr == nil || j == i {
				continue
			}
			does := effectsOf(s, later.expr)
			if j > i {
				if !unchangedBy(s, p.expr, p.contents || p.runs&mayRead != 0, change{code: []ast.Node{later.expr}}) {
					add("that %s doesn't change %s, which is used before it now", s.Source(later.expr), s.Source(p.expr))
				}
				if p.runs&mayWrite != 0 && (does != 0 || !unchangedBy(s, later.expr, later.contents, change{more: mayWrite})) {
					add("that showing %s doesn't change anything: it runs before %s is evaluated now", s.Source(p.expr), s.Source(later.expr))
				}
				if p.runs&mayRead != 0 && does&mayWrite != 0 {
					add("that %s changes nothing that showing %s depends on", s.Source(later.expr), s.Source(p.expr))
				}
			}
		}
	}
	if to == nil {
		return check
	}
	// What is evaluated behind the first write may see it, or keep the rest from being written.
	wrote := false
	for _, p := range steps {
		if wrote && p.expr != nil {
			does := effectsOf(s, p.expr) | p.runs
			if does&mayWrite != 0 || does&readsBytes != 0 && (!hidden || dst == nil || mentions(s, p.expr, dst)) {
				add("that %s doesn't use %s, part of which is written before it is evaluated now", s.Source(p.expr), to.name)
			} else if !hidden && does&mayPanic != 0 && !wentWell(s, steps, p) {
				add("that %s doesn't panic, or that nobody looks at %s then: part of it is written before", s.Source(p.expr), to.name)
			}
		}
		wrote = true
	}
	return check
}

// wentWell reports whether a step can't panic after those before it didn't: they went through the
// same pointers.
func wentWell(s *advice.Site, steps []step, p step) bool {
	before := steps[:slices.IndexFunc(steps, func(other step) bool { return other.expr == p.expr })]
	ok := true
	ast.Inspect(p.expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !s.Info.Types[n.Fun].IsType() && s.Callee(n) != "len" && effectsOf(s, n)&mayPanic != 0 {
				ok = false
			}
		case *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
			ok = ok && effectsOf(s, n.(ast.Expr))&mayPanic == 0
		case *ast.BinaryExpr:
			w := effectWalk{Site: s}
			ok = ok && w.operator(n.Op, n.X, n.Y)&mayPanic == 0
		case *ast.SelectorExpr:
			selection := s.Info.Selections[n]
			if selection == nil || selection.Kind() != types.FieldVal || !selection.Indirect() {
				return ok
			}
			v := object(s, n.X)
			if neverNil(s, n.X) && len(selection.Index()) == 1 {
				return false
			}
			ok = ok && v != nil && private(s, v) && len(selection.Index()) == 1 &&
				slices.ContainsFunc(before, func(earlier step) bool { return earlier.expr != nil && usesPointer(s, v, earlier.expr) })
		}
		return ok
	})
	return ok
}

// sharedRoom returns what has to be checked where a slice grows by other steps than before: some of
// what is appended may be written to the room behind the array that it had, before it moves.
func sharedRoom(s *advice.Site, dst ast.Expr, at ast.Node) []string {
	if v := object(s, dst); v != nil && ownArray(s, v, at) && !roomSeen(s, v) {
		return nil
	}
	return []string{fmt.Sprintf("that nothing else uses the room behind %s, which may be written to a different extent before the slice moves", s.Source(dst))}
}

// seesItself reports whether an operand asks for what is written to before it, so that writing in
// turn surely gives something else.
func seesItself(s *advice.Site, w ast.Expr, steps []step) bool {
	dst := rootOf(s, w)
	if dst == nil {
		return true
	}
	for i, p := range steps {
		if i > 0 && p.expr != nil && mentions(s, p.expr, dst) && (effectsOf(s, p.expr)|p.runs)&(mayWrite|readsBytes) != 0 {
			return true
		}
	}
	return false
}

// writtenInTurn is inTurn for what is written to a Builder, a Buffer or a bufio.Writer, with what has
// to be checked of these.
func writtenInTurn(s *advice.Site, steps []step, w ast.Expr, name string) []string {
	var operands []ast.Expr
	for _, p := range steps {
		if p.expr != nil {
			operands = append(operands, p.expr)
		}
	}
	list := append(inTurn(s, steps, &sink{expr: w, name: name}), writtenFirst(s, w, steps)...)
	if len(steps) > 1 {
		list = append(list, roomAsked(s, w, name)...)
		list = append(list, setMeanwhile(s, w, operands)...)
	}
	return append(list, splitSeen(s, w, name)...)
}

// setMeanwhile returns what has to be checked where evaluating operands may set the variable that
// is written to.
func setMeanwhile(s *advice.Site, w ast.Expr, operands []ast.Expr) []string {
	for _, e := range operands {
		if u, ok := ast.Unparen(w).(*ast.UnaryExpr); ok && u.Op == token.AND && ownMemory(s, u.X) != nil {
			continue // an address stays the same
		}
		if _, pointer := types.Unalias(s.Info.TypeOf(w)).(*types.Pointer); !pointer && !types.IsInterface(s.Info.TypeOf(w)) && ownMemory(s, w) != nil && !plainBytes(s.Info.TypeOf(w)) {
			continue
		}
		if !unchangedBy(s, w, false, change{code: []ast.Node{e}}) {
			return []string{fmt.Sprintf("that %s doesn't set %s", s.Source(e), s.Source(w))}
		}
	}
	return nil
}
