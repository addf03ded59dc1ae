package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// pooledVarying matches a slice whose length is only known at run time, if a profile shows that it is large.
func pooledVarying(s *advice.Site, c inspector.Cursor) (m advice.Match, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || s.Callee(call) != "make" || len(call.Args) < 2 || s.Allocated(func(size int64) bool { return size >= poolable }) < 0.5 || largestBlock(s) < poolable {
		return m, false
	}
	size := call.Args[len(call.Args)-1]
	slice, isSlice := call.Args[0].(*ast.ArrayType)
	assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
	if !isSlice || !isAssign || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || s.Info.Types[size].Value != nil ||
		facts.RunsOnce(s.Place, c) || facts.Pooled(s.Place, c) || facts.RarelyRuns(s.Place, c) {
		return m, false
	}
	obj := facts.Object(s.Place, assign.Lhs[0])
	if obj == nil || leaves(s, obj, 3) != "" {
		return m, false
	}
	m = advice.Match{Node: call, Class: advice.AdviceOnly}
	m.Why = fmt.Sprintf("A buffer of up to %s is allocated per call and not needed afterwards. To reuse it, %s.", advice.BytesText(largestBlock(s)), keepIt(s))
	sync, ok := facts.PackageName(s.Place, "sync", call.Pos())
	if !ok || s.Decl == nil || facts.InLoop(c) || facts.Jumps(s.Place) || !facts.InBlock(c.Parent()) || facts.Commented(s.Place, assign.Pos(), assign.End()) ||
		!onlyNumbers(s.Info.TypeOf(slice.Elt)) || !facts.AtPackageLevel(s.Place, slice.Elt) || !edit.OneLine(s.Source(slice.Elt)) ||
		!facts.Builtins(s.Place, assign.Pos(), "any", "new", "cap", "make", "clear", "int") {
		return m, true
	}
	name, typ := obj.Name(), "[]"+s.Source(slice.Elt)
	pool := s.Unused(edit.LowerFirst(s.Decl.Name.Name)+strings.ToUpper(name[:1])+strings.TrimSuffix(name[1:], "s")+"s", assign.Pos())
	kept := facts.Fresh(s.Place, name+"Kept", assign.Pos(), s.Func.Node())
	var b strings.Builder
	count := s.Source(size)
	if facts.TypeName(s.Info.TypeOf(size)) != "int" {
		count = "int(" + count + ")"
	}
	if !facts.Pure(s.Place, size) || !edit.OneLine(count) {
		n := facts.Fresh(s.Place, name+"Size", assign.Pos(), s.Func.Node())
		fmt.Fprintf(&b, "%s := %s\n", n, count)
		count = n
	}
	fmt.Fprintf(&b, "%[1]s := %[2]s.Get().(*%[3]s)\ndefer %[2]s.Put(%[1]s)\nif cap(*%[1]s) < %[4]s {\n*%[1]s = make(%[3]s, %[4]s)\n}\n", kept, pool, typ, count)
	length := count
	if len(call.Args) == 3 {
		if n, constant := facts.ConstantInt(s.Place, call.Args[1]); !constant || n != 0 {
			return m, true
		}
		length = "0"
	}
	fmt.Fprintf(&b, "%s := (*%s)[:%s]", name, kept, length)
	if length != "0" {
		fmt.Fprintf(&b, "\nclear(%s)", name)
	} else if slicesAgain(s, obj) || extended(s, obj) {
		fmt.Fprintf(&b, "\nclear(%s[:cap(%[1]s)])", name)
	}
	m.Edits = []advice.Edit{edit.BeforeDecl(s, fmt.Sprintf("var %s = %s.Pool{New: func() any { return new(%s) }}", pool, sync, typ)), edit.Replace(assign, b.String())}
	m.Imports = []string{"sync"}
	check := []string{fmt.Sprintf("that no function keeps %s after it returns", name), "that a pool may keep buffers of the largest size"}
	if facts.MayBeNegative(s.Place, size) {
		check = append(check, fmt.Sprintf("that %s is never negative: the panic would be another one", s.Source(size)))
	}
	edit.MustCheck(&m, check)
	return m, true
}

// onlyNumbers reports whether values of a type refer to no memory: they are numbers, or made of numbers.
func onlyNumbers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0
	case *types.Array:
		return onlyNumbers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !onlyNumbers(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// largestBlock is the largest block in bytes that profiles show for the line; 0 if they show none.
func largestBlock(s *advice.Site) (size int64) {
	for _, sizes := range s.BlockSizes() {
		size = max(size, sizes[len(sizes)-1])
	}
	return size
}
