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
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var textCopied = &advice.Rule{
	ID:    "text-copied",
	Title: "text is copied to another type",
	Doc: `string(b), []byte(s) and []rune(s) copy the whole text each time. Often you can avoid it: write bytes that are collected
for a string to a strings.Builder, whose String doesn't copy; use utf8.DecodeRuneInString for the first rune; range over
a string to get its runes; and keep text that is only read in its type, since packages bytes and strings have the same
functions.

Which of these applies depends on who else uses the text, so this rule only gives advice. If
[string-bytes-conversion](#string-bytes-conversion) knows a function that takes the text without conversion, it reports
that instead. Conversions that the compiler optimizes away are not reported.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^runtime\.(slicebytetostring|stringtoslicebyte|slicerunetostring|stringtoslicerune|rawruneslice)$`),
	Allocates: true,
	Own:       true,
	Generic:   true,
	Gain:      1.5,
	Match:     matchTextCopied,
}

const (
	gainOfRune       = 10   // of decoding a single rune
	gainOfCollecting = 1.02 // of a strings.Builder for pieces of a few dozen bytes
)

// textCopyFrames match one kind of conversion each, by source and result type.
var textCopyFrames = map[string]*lazyregexp.Regexp{
	"string of bytes": lazyregexp.New(`^runtime\.slicebytetostring$`),
	"bytes of string": lazyregexp.New(`^runtime\.stringtoslicebyte$`),
	"string of runes": lazyregexp.New(`^runtime\.slicerunetostring$`),
	"runes of string": lazyregexp.New(`^runtime\.(stringtoslicerune|rawruneslice)$`),
}

func matchTextCopied(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		operand, to, ok := facts.Conversion(s.Place, c.CallExpr)
		if !ok || s.Info.Types[c.CallExpr].Value != nil || s.Info.Types[operand].Value != nil || facts.RarelyRuns(s.Place, c.Cursor) || elided(s, c) {
			continue
		}
		kind := textKind(to) + " of " + textKind(s.Info.TypeOf(operand))
		frames := textCopyFrames[kind]
		if frames == nil || s.Share(frames) < someAllocated && !allocatesCopy(s, operand) {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Frames: frames}
		text := s.Source(c.CallExpr)
		if !edit.OneLine(text) {
			text = "this"
		}
		obj := facts.Object(s.Place, operand)
		switch first := firstRune(s, c); {
		case kind == "string of bytes" && obj != nil && facts.IsLocal(s.Place, obj) && !facts.IsParameter(s.Place, obj) && collected(s, obj):
			m.Why = fmt.Sprintf("%s copies the bytes collected in %s again. Use a strings.Builder with the same capacity; its String doesn't copy.", text, obj.Name())
			m.Gain = gainOfCollecting
		case kind == "runes of string" && first:
			m.Why = fmt.Sprintf("%s copies the whole text to get one rune; utf8.DecodeRuneInString and DecodeLastRuneInString return the first and the last without a copy.", text)
			m.Gain = gainOfRune
		case kind == "runes of string":
			m.Why = fmt.Sprintf("%s copies the whole text, with four bytes per rune. Range over the string to get the same runes, and slice the string at their byte offsets.", text)
		case kind == "string of runes":
			m.Why = fmt.Sprintf("%s encodes and copies the text. If its runes come from a string, slice that; otherwise write them to a strings.Builder.", text)
		case kind == "bytes of string":
			m.Why = fmt.Sprintf("%s copies the text each time. If it isn't changed, use the string, since package strings has the same functions; append takes a string, as in append(b, s...); convert constant text once.", text)
		default:
			m.Why = fmt.Sprintf("%s copies the text each time. If it is only read, keep the bytes, since package bytes has the same functions; if a few texts repeat, look them up in a map with m[string(b)], which doesn't copy.", text)
		}
		matches = append(matches, m)
	}
	return matches
}

// elided reports whether the compiler omits the copy of a conversion, because only its length or its
// elements one by one are used, or it is compared.
func elided(s *advice.Site, c code.Call) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		return p.Op != token.ADD
	case *ast.IndexExpr:
		return p.Index == ast.Expr(c.CallExpr)
	case *ast.RangeStmt:
		return p.X == ast.Expr(c.CallExpr) && textKind(s.Info.TypeOf(c.CallExpr)) == "bytes"
	case *ast.SwitchStmt:
		return true
	case *ast.CallExpr:
		return s.Callee(p) == "len" || s.Callee(p) == "append" && p.Ellipsis.IsValid()
	}
	return false
}

// textKind is the kind of a type that can hold text; "" for other types.
func textKind(t types.Type) string {
	switch t := facts.Under(t).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return "string"
		}
	case *types.Slice:
		if e, ok := t.Elem().Underlying().(*types.Basic); ok {
			switch e.Kind() {
			case types.Byte:
				return "bytes"
			case types.Rune:
				return "runes"
			}
		}
	}
	return ""
}

// allocatesCopy reports whether the line allocates and the compiler says that the copy of a text
// escapes, however it is written: string(b), ([]byte)(s).
func allocatesCopy(s *advice.Site, operand ast.Expr) bool {
	end := "(" + types.ExprString(operand) + ") escapes to heap"
	return s.Allocates() >= someAllocated && slices.ContainsFunc(s.Compiler(), func(message string) bool {
		return strings.HasSuffix(message, end)
	})
}

// collected reports whether a function appends to a slice of bytes that it started.
func collected(s *advice.Site, obj types.Object) bool {
	found := false
	s.Func.Inspect([]ast.Node{(*ast.AssignStmt)(nil)}, func(c inspector.Cursor) bool {
		assign := c.Node().(*ast.AssignStmt)
		if len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && assign.Tok == token.ASSIGN && facts.Object(s.Place, assign.Lhs[0]) == obj {
			call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
			found = found || ok && (s.Callee(call) == "append" || strings.HasPrefix(s.Callee(call), "strconv.Append") || strings.HasPrefix(s.Callee(call), "fmt.Append"))
		}
		return !found
	})
	return found
}

// firstRune reports whether []rune(s) is only used for single runes at constant positions: r[0], or
// r[len(r)-1].
func firstRune(s *advice.Site, c code.Call) bool {
	single := func(index ast.Expr) bool {
		if s.Info.Types[index].Value != nil {
			return true
		}
		b, ok := ast.Unparen(index).(*ast.BinaryExpr)
		return ok && b.Op == token.SUB && s.Info.Types[b.Y].Value != nil
	}
	switch p := c.Parent().Node().(type) {
	case *ast.IndexExpr:
		return p.X == ast.Expr(c.CallExpr) && single(p.Index)
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || p.Tok != token.DEFINE {
			return false
		}
		obj := facts.Object(s.Place, p.Lhs[0])
		if obj == nil {
			return false
		}
		indexed := 0
		for _, id := range s.Uses(obj) {
			use, ok := s.Root().FindNode(id)
			if !ok {
				return false
			}
			switch p := use.Parent().Node().(type) {
			case *ast.IndexExpr:
				if p.X != ast.Expr(id) || !single(p.Index) {
					return false
				}
				indexed++
			case *ast.SliceExpr: // r[:1]
				if p.X != ast.Expr(id) || p.Low != nil || p.High == nil || s.Info.Types[p.High].Value == nil {
					return false
				}
				indexed++
			case *ast.CallExpr:
				if s.Callee(p) != "len" {
					return false
				}
			default:
				return false
			}
		}
		return indexed > 0
	}
	return false
}
