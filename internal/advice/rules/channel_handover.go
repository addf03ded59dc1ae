package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"time"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var (
	chanSend    = lazyregexp.New(`^runtime\.chansend1$`)
	chanReceive = lazyregexp.New(`^runtime\.chanrecv[12]$`)
	chanPass    = lazyregexp.New(`^runtime\.chan(send1|recv[12])$`)
)

var channelHandover = &advice.Rule{
	ID:    "channel-handover",
	Title: "items are sent one by one through an unbuffered channel",
	Doc: `A send on an unbuffered channel waits for a receiver. Each item needs two goroutines to meet and the scheduler to run
twice, which takes a few hundred nanoseconds. If the work per item takes no longer, send slices of items. A buffer lets
both sides run ahead for a while. If the receivers are slower, a buffer only fills up; use more receivers.

The rule reports a loop that sends on a channel made without a buffer in the same package, if sends wait 50 µs or less
on average and make up a tenth of all waiting. Longer waits come from receivers that are busy. If it is the receiver
that waits, it reports the loop that receives, unless the loop that sends is reported. Batches and buffers change when
items arrive, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: chanPass,
	Waits:  true,
	Match:  matchChannelHandover,
}

// briefWait is the time that a send waits for a receiver that does nearly nothing: two scheduler runs
// and the wake-up of a thread.
const briefWait = 50 * time.Microsecond

func matchChannelHandover(s *advice.Site) []advice.Match {
	if w := s.BlockWait(chanSend); brief(w) {
		for _, c := range s.Nodes() {
			if send, ok := c.Node().(*ast.SendStmt); ok && inOwnLoop(c) && unbuffered(s, facts.VariableOf(s.Place, send.Chan), 0) {
				return []advice.Match{{Node: send, Frames: chanSend, Why: fmt.Sprintf("Each send on %s waits about %v for its receiver, because the channel is unbuffered. Send slices of items, or give the channel a buffer.", s.Source(send.Chan), average(w))}}
			}
		}
	}
	w := s.BlockWait(chanReceive)
	if !brief(w) {
		return nil
	}
	for _, c := range s.Nodes() {
		from, looped := received(s, c)
		if from == nil || !looped {
			continue
		}
		if channel := facts.VariableOf(s.Place, from); unbuffered(s, channel, 0) && !sendsBriefly(s, channel) {
			return []advice.Match{{Node: c.Node(), Frames: chanReceive, Why: fmt.Sprintf("Each receive from %s waits about %v for its sender, because the channel is unbuffered. Send slices of items, or give the channel a buffer, so that the sender runs ahead.", s.Source(from), average(w))}}
		}
	}
	return nil
}

// brief reports whether goroutines waited often, and only for each other.
func brief(w advice.Wait) bool {
	return w.Share >= muchWaiting && w.Time >= longWaiting && w.Times > 0 && w.Time/time.Duration(w.Times) <= briefWait
}

func average(w advice.Wait) time.Duration {
	return (w.Time / time.Duration(w.Times)).Round(100 * time.Nanosecond)
}

// received returns the channel that a node receives from, and whether it does so for each item.
func received(s *advice.Site, c inspector.Cursor) (from ast.Expr, looped bool) {
	switch n := c.Node().(type) {
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return n.X, inOwnLoop(c)
		}
	case *ast.RangeStmt:
		if _, ok := facts.Under(s.Info.TypeOf(n.X)).(*types.Chan); ok {
			return n.X, true
		}
	}
	return nil, false
}

// inOwnLoop reports whether the innermost loop or function around a node is a loop.
func inOwnLoop(c inspector.Cursor) bool {
	_, ok := facts.LoopAround(c)
	return ok
}

// sendsBriefly reports whether a send on a channel is reported: its line waits, too.
func sendsBriefly(s *advice.Site, channel types.Object) bool {
	for _, id := range s.Uses(channel) {
		at, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		for c := range at.Enclosing((*ast.SendStmt)(nil)) {
			if s.BlockedAt(c.Node().Pos()) >= muchWaiting {
				return true
			}
		}
	}
	return false
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
