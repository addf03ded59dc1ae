package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var chanSend = lazyregexp.New(`^runtime\.chansend1$`)

var channelHandover = &advice.Rule{
	ID:    "channel-handover",
	Title: "items are sent one by one through an unbuffered channel",
	Doc: `A send on an unbuffered channel waits for a receiver. Each item needs two goroutines to meet and the scheduler to run
twice, which takes a few hundred nanoseconds. If the work per item takes no longer, send slices of items. A buffer lets
both sides run ahead for a while. If the receivers are slower, a buffer only fills up; use more receivers.

The rule reports a loop that sends on a channel made without a buffer in the same package, if sends wait 50 µs or less
on average and make up a tenth of all waiting. Longer waits come from receivers that are busy. Batches and buffers
change when items arrive, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: chanSend,
	Waits:  true,
	Match:  matchChannelHandover,
}

// briefWait is the time that a send waits for a receiver that does nearly nothing: two scheduler runs
// and the wake-up of a thread.
const briefWait = 50 * time.Microsecond

func matchChannelHandover(s *advice.Site) []advice.Match {
	w := s.BlockWait(chanSend)
	if w.Share < muchWaiting || w.Time < longWaiting || w.Times == 0 || w.Time/time.Duration(w.Times) > briefWait {
		return nil
	}
	for _, c := range s.Nodes() {
		send, ok := c.Node().(*ast.SendStmt)
		if !ok {
			continue
		}
		looped := false
		for up := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
			switch up.Node().(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				looped = true
			}
			break
		}
		if !looped || !unbuffered(s, facts.VariableOf(s.Place, send.Chan), 0) {
			continue
		}
		return []advice.Match{{
			Node: send,
			Why:  fmt.Sprintf("Each send on %s waits about %v for its receiver, because the channel is unbuffered. Send slices of items, or give the channel a buffer.", s.Source(send.Chan), (w.Time / time.Duration(w.Times)).Round(100*time.Nanosecond)),
		}}
	}
	return nil
}

// unbuffered reports whether everything that the package assigns to a variable, field or parameter is
// a channel made without a buffer, and there is at least one.
func unbuffered(s *advice.Site, obj types.Object, depth int) bool {
	if obj == nil || depth > 3 || obj.Pkg() != s.Types {
		return false
	}
	v := obj.(*types.Var)
	if obj.Exported() && (v.IsField() || obj.Parent() == s.Types.Scope()) && s.Types.Name() != "main" {
		return false // other packages may set it
	}
	made, other := 0, 0
	set := func(value ast.Expr) {
		call, ok := ast.Unparen(value).(*ast.CallExpr)
		if ok && s.Callee(call) == "make" && (len(call.Args) == 1 || facts.IsZero(s.Place, call.Args[1])) {
			made++
		} else if from := facts.VariableOf(s.Place, value); !ok && from != nil && from != obj && unbuffered(s, from, depth+1) {
			made++
		} else {
			other++
		}
	}
	for value := range facts.ValuesOf(s.Place, v) {
		if value == nil {
			return false
		}
		set(value)
	}
	for c := range s.Root().Preorder((*ast.FuncDecl)(nil)) {
		n := c.Node().(*ast.FuncDecl)
		if i := parameter(s, n, obj); i >= 0 && !arguments(s, n, i, set) {
			return false
		}
	}
	return made > 0 && other == 0
}

// parameter returns the index of a parameter of a function, or -1.
func parameter(s *advice.Site, fn *ast.FuncDecl, obj types.Object) int {
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if s.Info.Defs[name] == obj {
				return i
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	return -1
}

// arguments calls set with each argument that a function's parameter is called with. It reports
// whether these are all possible calls: the function is not exported, not a method, and only called.
func arguments(s *advice.Site, fn *ast.FuncDecl, i int, set func(ast.Expr)) bool {
	obj := s.Info.Defs[fn.Name]
	if fn.Recv != nil || fn.Name.IsExported() && s.Types.Name() != "main" || obj == nil {
		return false
	}
	calls := 0
	for c := range s.Root().Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && s.Info.Uses[id] == obj {
			if i >= len(call.Args) || call.Ellipsis.IsValid() {
				return false
			}
			calls++
			set(call.Args[i])
		}
	}
	return calls == len(s.Uses(obj))
}
