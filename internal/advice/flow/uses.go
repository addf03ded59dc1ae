package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Uses are what becomes of a value, in all ways that it may go in its function.
type Uses uint16

const (
	AsKey     Uses = 1 << iota // looks up an element of a map, or deletes one
	Compared                   // is compared, or decides which way to go
	Measured                   // only its length is taken
	Ranged                     // a loop goes through it: bytes, elements or pairs
	Elements                   // single elements or bytes are read
	Converted                  // is converted between text and bytes
	Written                    // is given to Write or WriteString, or to io.WriteString
	Joined                     // becomes a part of a longer text
	Kept                       // anything else: returned, stored, passed on, changed
)

// UsesOf returns what becomes of the value of an expression: 0 if nothing uses it. ok is false if it isn't known.
// A second result, such as an error, doesn't count.
func (f *Function) UsesOf(e ast.Expr) (uses Uses, ok bool) {
	v := f.value(e)
	if v == nil || v.Referrers() == nil {
		return 0, false
	}
	w := usesWalk{Function: f, seen: make(map[ssa.Value]bool)}
	if several, isTuple := v.Type().(*types.Tuple); isTuple {
		if several.Len() == 0 {
			return 0, false
		}
		for _, user := range *v.Referrers() {
			if result, ok := user.(*ssa.Extract); ok && result.Index == 0 {
				w.follow(result)
			}
		}
		return w.uses, true
	}
	w.follow(v)
	return w.uses, true
}

type usesWalk struct {
	*Function
	seen map[ssa.Value]bool
	uses Uses
}

func (w *usesWalk) follow(v ssa.Value) {
	if w.seen[v] {
		return
	}
	w.seen[v] = true
	for _, user := range *v.Referrers() {
		w.uses |= w.by(user, v)
	}
}

// by returns the use of a value by an instruction, and follows it where the instruction only passes it on.
func (w *usesWalk) by(user ssa.Instruction, v ssa.Value) Uses {
	switch user := user.(type) {
	case *ssa.DebugRef:
		return 0
	case *ssa.Phi:
		w.follow(user)
		return 0
	case *ssa.ChangeType:
		w.follow(user)
		return 0
	case *ssa.Lookup:
		if isMap(user.X.Type()) && user.Index == v && user.X != v {
			return AsKey
		}
		if user.X == v && user.Index != v {
			return Elements
		}
	case *ssa.Index:
		if user.X == v && user.Index != v {
			return Elements
		}
	case *ssa.IndexAddr:
		if user.X == v && user.Index != v && onlyLoaded(user) {
			if ranges(user.Index) {
				return Ranged
			}
			return Elements
		}
	case *ssa.Range:
		return Ranged
	case *ssa.BinOp:
		switch user.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return Compared
		case token.ADD:
			if isText(v.Type()) {
				return Joined
			}
		}
	case *ssa.If:
		return Compared
	case *ssa.Convert:
		if textAndBytes(user.X.Type(), user.Type()) {
			return Converted
		}
	case *ssa.Call:
		return byCall(user, v)
	}
	return Kept
}

// onlyLoaded reports whether nothing is done with an element but to read it.
func onlyLoaded(addr ssa.Value) bool {
	for _, user := range *addr.Referrers() {
		if load, ok := user.(*ssa.UnOp); !ok || load.Op != token.MUL {
			if field, ok := user.(*ssa.FieldAddr); !ok || !onlyLoaded(field) {
				return false
			}
		}
	}
	return true
}

func byCall(call *ssa.Call, v ssa.Value) Uses {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		switch {
		case b.Name() == "len":
			return Measured
		case b.Name() == "delete" && len(call.Call.Args) == 2 && call.Call.Args[0] != v:
			return AsKey
		}
		return Kept
	}
	name := ""
	switch {
	case call.Call.IsInvoke():
		name = call.Call.Method.Name()
		if call.Call.Value == v {
			return Kept
		}
	case call.Call.StaticCallee() != nil:
		callee := call.Call.StaticCallee()
		name = callee.Name()
		if callee.Signature.Recv() == nil {
			if callee.Object() == nil || callee.Object().Pkg() == nil || callee.Object().Pkg().Path() != "io" {
				return Kept
			}
		} else if call.Call.Args[0] == v {
			return Kept
		}
	}
	if name == "Write" || name == "WriteString" {
		return Written
	}
	return Kept
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isBytes(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// textAndBytes reports whether one type is a string and the other a slice of bytes.
func textAndBytes(a, b types.Type) bool { return isText(a) && isBytes(b) || isBytes(a) && isText(b) }
