package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice/code"
)

// InTurn returns what to check if operands that used to be evaluated first and used later are
// now each used before the next is evaluated. It returns nil if the result is the same whatever
// the operands do. to is the destination, if using an operand writes it.
func InTurn(s *code.Place, steps []Step, to *Sink) (check []string) {
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(check, text) {
			check = append(check, text)
		}
	}
	check = panicsFirst(s, steps, to != nil)
	hidden := to == nil
	var dst types.Object
	if to != nil {
		dst = RootOf(s, to.Expr)
		hidden = onlyHere(s, dst, to.Expr)
	}
	for i, p := range steps {
		if p.Expr == nil {
			continue
		}
		if to != nil && IsBytes(s, p.Expr) && MayShare(s, p.Expr, *to) {
			add("that %s doesn't share memory with %s, which is now written before it is read", s.Source(p.Expr), to.Name)
		}
		for j, later := range steps {
			if later.Expr == nil || j == i {
				continue
			}
			does := EffectsOf(s, later.Expr)
			if j > i {
				if !UnchangedBy(s, p.Expr, p.Contents || p.Runs&MayRead != 0, Change{Code: []ast.Node{later.Expr}}) {
					add("that %s doesn't change %s, which is now used before it", s.Source(later.Expr), s.Source(p.Expr))
				}
				if p.Runs&MayWrite != 0 && (does != 0 || !UnchangedBy(s, later.Expr, later.Contents, Change{more: MayWrite})) {
					add("that formatting %s has no side effects: it now runs before %s is evaluated", s.Source(p.Expr), s.Source(later.Expr))
				}
				if p.Runs&MayRead != 0 && does&MayWrite != 0 {
					add("that %s doesn't change anything that formatting %s depends on", s.Source(later.Expr), s.Source(p.Expr))
				}
			}
		}
	}
	if to == nil {
		return check
	}
	// Code that runs after the first write may read what was written, or panic before the rest is written.
	wrote := false
	for _, p := range steps {
		if wrote && p.Expr != nil {
			does := EffectsOf(s, p.Expr) | p.Runs
			if does&MayWrite != 0 || does&ReadsBytes != 0 && (!hidden || dst == nil || Mentions(s, p.Expr, dst)) {
				add("that %s doesn't use %s, part of which is now written before it is evaluated", s.Source(p.Expr), to.Name)
			} else if !hidden && does&MayPanic != 0 && !wentWell(s, steps, p) {
				add("that %s doesn't panic, or that no code reads %s then: part of it is already written", s.Source(p.Expr), to.Name)
			}
		}
		wrote = true
	}
	return check
}

// wentWell reports whether a step can't panic if the steps before it didn't, because they
// dereferenced the same pointers.
func wentWell(s *code.Place, steps []Step, p Step) bool {
	before := steps[:slices.IndexFunc(steps, func(other Step) bool { return other.Expr == p.Expr })]
	ok := true
	ast.Inspect(p.Expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !s.Info.Types[n.Fun].IsType() && s.Callee(n) != "len" && EffectsOf(s, n)&MayPanic != 0 {
				ok = false
			}
		case *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
			ok = ok && EffectsOf(s, n.(ast.Expr))&MayPanic == 0
		case *ast.BinaryExpr:
			w := effectWalk{Place: s}
			ok = ok && w.operator(n.Op, n.X, n.Y)&MayPanic == 0
		case *ast.SelectorExpr:
			selection := s.Info.Selections[n]
			if selection == nil || selection.Kind() != types.FieldVal || !selection.Indirect() {
				return ok
			}
			v := Object(s, n.X)
			if NeverNil(s, n.X) && len(selection.Index()) == 1 {
				return false
			}
			ok = ok && v != nil && Private(s, v) && len(selection.Index()) == 1 &&
				slices.ContainsFunc(before, func(earlier Step) bool { return earlier.Expr != nil && usesPointer(s, v, earlier.Expr) })
		}
		return ok
	})
	return ok
}

// SharedRoom returns what to check if a slice grows in other steps than before: some of the
// appended data may be written to the spare capacity of the old array before the slice is
// reallocated.
func SharedRoom(s *code.Place, dst ast.Expr, at ast.Node) []string {
	if v := Object(s, dst); v != nil && OwnArray(s, v, at) && !CapacityObserved(s, v) {
		return nil
	}
	return []string{fmt.Sprintf("that no other slice uses the spare capacity of %s, which may be written to a different extent before the slice is reallocated", s.Source(dst))}
}

// SeesItself reports whether an operand reads the destination, so that writing operands one by
// one gives a different result.
func SeesItself(s *code.Place, w ast.Expr, steps []Step) bool {
	dst := RootOf(s, w)
	if dst == nil {
		return true
	}
	for i, p := range steps {
		if i > 0 && p.Expr != nil && Mentions(s, p.Expr, dst) && (EffectsOf(s, p.Expr)|p.Runs)&(MayWrite|ReadsBytes) != 0 {
			return true
		}
	}
	return false
}

// WrittenInTurn is InTurn for writes to a Builder, Buffer or bufio.Writer, with additional
// checks for these types.
func WrittenInTurn(s *code.Place, steps []Step, w ast.Expr, name string) []string {
	var operands []ast.Expr
	for _, p := range steps {
		if p.Expr != nil {
			operands = append(operands, p.Expr)
		}
	}
	list := append(InTurn(s, steps, &Sink{Expr: w, Name: name}), WrittenFirst(s, w, steps)...)
	if len(steps) > 1 {
		list = append(list, roomAsked(s, w, name)...)
		list = append(list, SetMeanwhile(s, w, operands)...)
	}
	return append(list, SplitSeen(s, w, name)...)
}

// SetMeanwhile returns what to check if evaluating operands may assign to the destination
// variable.
func SetMeanwhile(s *code.Place, w ast.Expr, operands []ast.Expr) []string {
	for _, e := range operands {
		if u, ok := ast.Unparen(w).(*ast.UnaryExpr); ok && u.Op == token.AND && ownMemory(s, u.X) != nil {
			continue // an address stays the same
		}
		if _, pointer := types.Unalias(s.Info.TypeOf(w)).(*types.Pointer); !pointer && !types.IsInterface(s.Info.TypeOf(w)) && ownMemory(s, w) != nil && !PlainBytes(s.Info.TypeOf(w)) {
			continue
		}
		if !UnchangedBy(s, w, false, Change{Code: []ast.Node{e}}) {
			return []string{fmt.Sprintf("that %s doesn't set %s", s.Source(e), s.Source(w))}
		}
	}
	return nil
}
