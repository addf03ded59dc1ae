package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/big"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var appendFormatted = &advice.Rule{
	ID:    "append-formatted",
	Title: "a value is formatted as a string only to be copied",
	Doc: `append(b, strconv.Itoa(n)...) and buf.WriteString(t.Format(layout)) allocate a string, copy it, and drop it.
strconv.AppendInt, Time.AppendFormat and similar functions append to a []byte directly.

To write to a strings.Builder or bytes.Buffer, the rewrite formats in a small array on the stack. To write to a
bufio.Writer, it uses the free part of its buffer. Text of unknown length, such as that of strconv.Quote, is only
rewritten if it is appended to a []byte or written to a bufio.Writer.`,
	Class: advice.Safe,
	Frames: lazyregexp.New(`^strconv\.(Itoa|Format(Int|Uint|Float)|Quote\w*)$|^time\.Time\.Format$|^net/netip\.\w+\.String$|^math/big\.\(\*(Int|Float)\)\.(String|Text)$` +
		`|^encoding/(hex\.EncodeToString|base(64|32)\.\(\*Encoding\)\.EncodeToString)$`),
	Gain:  1.5,
	Match: matchAppendFormatted,
	Conditions: advice.Conditions{
		Offered: "the string is appended to a []byte, written to a strings.Builder, bytes.Buffer or bufio.Writer, or converted to a []byte, " +
			"and the function that makes it has a counterpart that appends",
		Review: "no other slice uses the spare capacity that is appended to; evaluating a value doesn't set the destination; the value " +
			"doesn't share memory with it; a network address is valid; the code doesn't distinguish nil from an empty slice when the result is empty; " +
			"the destination of a bufio.Writer accepts Write calls of other sizes",
	},
}

// An appender is the counterpart of a function that makes a string.
type appender struct {
	function string // of a package, or a method of the same type
	last     string // arguments after those of the original
	since    string // the Go version that has it
	inPieces bool   // it appends several times, so that the slice may grow in several steps
	signed   bool   // so it does for a negative number, whose sign comes first
	bounded  bool   // it rarely has more than 64 bytes, or its arguments say how many
	empty    bool   // it may append nothing
	reads    bool   // it reads bytes while it appends
	valid    string // what String and the like have a text for, and the counterpart hasn't
}

var appenders = map[string]appender{
	"strconv.Itoa":               {function: "strconv.AppendInt", last: "10", signed: true, bounded: true},
	"strconv.FormatInt":          {function: "strconv.AppendInt", signed: true, bounded: true},
	"strconv.FormatUint":         {function: "strconv.AppendUint", bounded: true},
	"strconv.FormatFloat":        {function: "strconv.AppendFloat", inPieces: true, bounded: true},
	"strconv.Quote":              {function: "strconv.AppendQuote", inPieces: true},
	"strconv.QuoteToASCII":       {function: "strconv.AppendQuoteToASCII", inPieces: true},
	"strconv.QuoteToGraphic":     {function: "strconv.AppendQuoteToGraphic", inPieces: true},
	"strconv.QuoteRune":          {function: "strconv.AppendQuoteRune", inPieces: true, bounded: true},
	"strconv.QuoteRuneToASCII":   {function: "strconv.AppendQuoteRuneToASCII", inPieces: true, bounded: true},
	"strconv.QuoteRuneToGraphic": {function: "strconv.AppendQuoteRuneToGraphic", inPieces: true, bounded: true},

	"(time.Time).Format":          {function: "AppendFormat", inPieces: true, bounded: true, empty: true},
	"(net/netip.Addr).String":     {function: "AppendTo", inPieces: true, bounded: true, valid: "invalid IP"},
	"(net/netip.AddrPort).String": {function: "AppendTo", inPieces: true, bounded: true, valid: "invalid AddrPort"},
	"(net/netip.Prefix).String":   {function: "AppendTo", inPieces: true, bounded: true, valid: "invalid Prefix"},
	"(*math/big.Int).String":      {function: "Append", last: "10"},
	"(*math/big.Int).Text":        {function: "Append"},
	"(*math/big.Float).Text":      {function: "Append", inPieces: true},

	"encoding/hex.EncodeToString":                {function: "encoding/hex.AppendEncode", since: "1.22", empty: true, reads: true},
	"(*encoding/base64.Encoding).EncodeToString": {function: "AppendEncode", since: "1.22", empty: true, reads: true},
	"(*encoding/base32.Encoding).EncodeToString": {function: "AppendEncode", since: "1.22", empty: true, reads: true},
}

func matchAppendFormatted(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		to, ok := appenders[c.Name]
		if !ok || to.since != "" && !s.AtLeast(to.since) {
			continue
		}
		if _, ok := s.CallAt(c.Cursor, c.Name); !ok {
			continue // its arguments are the results of another call
		}
		f := appendedValue{s: s, c: c, to: to}
		if !f.callable() || f.invalid() || c.Name == "strconv.Itoa" && facts.ShiftsConstant(s.Place, c.Args[0]) {
			continue // in int64(1<<n), the 1 would be an int64
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe, Frames: framesOf(c.Name)}
		if f.appended(&m) || f.written(&m) || f.converted(&m) {
			if to.valid != "" {
				edit.MustCheck(&m, []string{fmt.Sprintf("that %s is valid: String returns %q otherwise, and %s appends nothing", s.Source(f.receiver()), to.valid, to.function)})
			}
			matches = append(matches, m)
		}
	}
	return matches
}

// appendedValue is a call that makes a string.
type appendedValue struct {
	s    *advice.Site
	c    code.Call
	to   appender
	name string // of the counterpart, as it is called here
}

// callable sets the name of the counterpart, and reports whether it can be called here.
func (f *appendedValue) callable() bool {
	sel, ok := f.c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if selection := f.s.Info.Selections[sel]; selection != nil && selection.Kind() != types.MethodVal {
		return false
	}
	dot := strings.LastIndexByte(f.to.function, '.')
	if dot < 0 {
		f.name = f.s.Source(sel.X) + "." + f.to.function
		return facts.SameOwner(f.s.Place, sel, f.to.function)
	}
	pkg, ok := facts.PackageName(f.s.Place, f.to.function[:dot], f.c.Pos())
	f.name = pkg + f.to.function[dot:]
	return ok && (f.c.Name != "strconv.Itoa" || facts.Builtins(f.s.Place, f.c.Pos(), "int64"))
}

// receiver is what the method is called on; nil for a function.
func (f *appendedValue) receiver() ast.Expr {
	if sel, ok := f.c.Fun.(*ast.SelectorExpr); ok && f.s.Info.Selections[sel] != nil {
		return sel.X
	}
	return nil
}

// operands are all values that the call evaluates.
func (f *appendedValue) operands() []ast.Expr {
	if x := f.receiver(); x != nil {
		return append([]ast.Expr{x}, f.c.Args...)
	}
	return f.c.Args
}

// call is the call of the counterpart that appends to a destination.
func (f *appendedValue) call(dst string) string {
	args := []string{dst}
	for _, a := range f.c.Args {
		text := f.s.Source(a)
		if f.c.Name == "strconv.Itoa" {
			text = "int64(" + text + ")"
		}
		args = append(args, text)
	}
	if f.to.last != "" {
		args = append(args, f.to.last)
	}
	return f.name + "(" + strings.Join(args, ", ") + ")"
}

// invalid reports whether a base or size that is constant makes it panic, or a size may.
func (f *appendedValue) invalid() bool {
	if len(f.c.Args) == 0 {
		return false
	}
	last := f.c.Args[len(f.c.Args)-1]
	n, constant := facts.ConstantInt(f.s.Place, last)
	switch f.c.Name {
	case "strconv.FormatInt", "strconv.FormatUint":
		return constant && (n < 2 || n > 36)
	case "(*math/big.Int).Text":
		return constant && (n < 2 || n > big.MaxBase)
	case "strconv.FormatFloat":
		return n != 32 && n != 64
	}
	return false
}

// panics reports whether making the string may panic.
func (f *appendedValue) panics() bool {
	switch f.c.Name {
	case "strconv.FormatInt", "strconv.FormatUint", "(*math/big.Int).Text":
		return f.s.Info.Types[f.c.Args[len(f.c.Args)-1]].Value == nil
	}
	return f.to.reads
}

// mayBeNegative reports whether the number that is formatted may be below 0.
func (f *appendedValue) mayBeNegative() bool {
	n := f.c.Args[0]
	if operand, _, ok := facts.Conversion(f.s.Place, n); ok {
		if size, ok := facts.SizeOf(f.s.Info.TypeOf(operand)); ok && size < 8 || types.Identical(f.s.Info.TypeOf(operand), types.Typ[types.Int]) {
			n = operand
		}
	}
	return facts.MayBeNegative(f.s.Place, n) && !facts.CountsFromZero(f.s.Place, n)
}

// appended matches append(dst, text...).
func (f *appendedValue) appended(m *advice.Match) bool {
	s, at := f.s, facts.WithParens(f.c.Cursor)
	outer, ok := at.Parent().Node().(*ast.CallExpr)
	if !ok || s.Callee(outer) != "append" || !outer.Ellipsis.IsValid() || len(outer.Args) != 2 || outer.Args[1] != at.Node() ||
		!types.Identical(s.Info.TypeOf(outer), types.NewSlice(types.Typ[types.Byte])) || s.Info.Types[outer.Args[0]].IsNil() || facts.Commented(s.Place, outer.Pos(), outer.End()) {
		return false
	}
	dst := outer.Args[0]
	m.Edits = []advice.Edit{edit.Replace(outer, f.call(s.Source(dst)))}
	m.Imports = f.imports()
	m.Title = "a value is formatted as a string only to be appended"
	m.Why = fmt.Sprintf("%s allocates a string, which is copied to %s and dropped; %s appends directly.", edit.Short(f.c.Name), inSentence(s, dst), f.shortName())
	var steps []facts.Step
	for _, e := range f.operands() {
		steps = append(steps, facts.Step{Expr: e, Called: true})
	}
	edit.MustCheck(m, facts.SetMeanwhile(s.Place, dst, f.operands()), facts.WrittenFirst(s.Place, dst, steps))
	if f.panics() && facts.PanicsBeside(s.Place, dst) != 0 {
		edit.MustCheck(m, []string{fmt.Sprintf("that %s doesn't panic: it is now evaluated before %s", s.Source(dst), s.Source(f.c))})
	}
	if f.to.inPieces || f.to.signed && f.mayBeNegative() {
		edit.MustCheck(m, facts.SharedRoom(s.Place, dst, outer))
	}
	if f.to.reads && facts.MayShare(s.Place, f.c.Args[0], facts.Sink{Expr: dst, Name: s.Source(dst)}) {
		edit.MustCheck(m, []string{fmt.Sprintf("that %s doesn't share memory with %s", s.Source(f.c.Args[0]), s.Source(dst))})
	}
	return true
}

// written matches w.WriteString(text) and w.Write([]byte(text)).
func (f *appendedValue) written(m *advice.Match) bool {
	s, at := f.s, f.c.Cursor
	if operand, to, ok := facts.Conversion(s.Place, exprOf(at.Parent().Node())); ok && operand == f.c.CallExpr && facts.PlainBytes(to) {
		at = at.Parent()
	}
	outer, ok := at.Parent().Node().(*ast.CallExpr)
	if !ok || len(outer.Args) != 1 || outer.Args[0] != at.Node() || facts.Deferred(at.Parent()) || facts.Commented(s.Place, outer.Pos(), outer.End()) {
		return false
	}
	sel, ok := outer.Fun.(*ast.SelectorExpr)
	if !ok || !facts.Pure(s.Place, sel.X) {
		return false
	}
	if selection := s.Info.Selections[sel]; selection == nil || len(selection.Index()) != 1 {
		return false // an embedded buffer, whose outer type may have its own methods
	}
	dst, room := s.Source(sel.X), ""
	switch s.Callee(outer) {
	case "(*strings.Builder).WriteString", "(*bytes.Buffer).WriteString", "(*strings.Builder).Write", "(*bytes.Buffer).Write":
		n, ok := f.longest()
		if !ok || !facts.Builtins(s.Place, f.c.Pos(), "make", "byte") {
			return false
		}
		room = edit.StackBytes(edit.RoundUp(n))
	case "(*bufio.Writer).WriteString", "(*bufio.Writer).Write":
		// What writes to the buffer meanwhile would write to the same place.
		if !s.AtLeast("1.18") || f.to.reads || slices.ContainsFunc(f.operands(), func(e ast.Expr) bool {
			return facts.EffectsOf(s.Place, e)&(facts.MayWrite|facts.ReadsBytes) != 0 || facts.PanicsUnlikeNil(s.Place, e)
		}) {
			return false
		}
		room = dst + ".AvailableBuffer()"
	default:
		return false
	}
	m.Edits = []advice.Edit{edit.Replace(outer, fmt.Sprintf("%s.Write(%s)", dst, f.call(room)))}
	m.Imports = f.imports()
	m.Title = "a value is formatted as a string only to be written"
	m.Why = fmt.Sprintf("%s allocates a string, which is copied into %s and dropped; %s needs no string.", edit.Short(f.c.Name), inSentence(s, sel.X), f.shortName())
	edit.MustCheck(m, facts.SplitSeen(s.Place, sel.X, dst))
	return true
}

// converted matches []byte(text).
func (f *appendedValue) converted(m *advice.Match) bool {
	s := f.s
	outer := exprOf(f.c.Parent().Node())
	operand, to, ok := facts.Conversion(s.Place, outer)
	if !ok || operand != f.c.CallExpr || f.to.inPieces || !types.Identical(to, types.NewSlice(types.Typ[types.Byte])) || facts.Commented(s.Place, outer.Pos(), outer.End()) {
		return false
	}
	size := s.BlockSize(m.Frames)
	if 0 < size && size <= edit.StackText && s.Allocates() == 0 {
		return false // the bytes are on the stack
	}
	var v types.Object
	switch p := f.c.Parent().Parent().Node().(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) != len(p.Rhs) {
			return false
		}
		v = facts.Object(s.Place, p.Lhs[slices.Index(p.Rhs, outer)])
	case *ast.ValueSpec:
		v = s.Info.Defs[p.Names[slices.Index(p.Values, outer)]]
	case *ast.RangeStmt, *ast.IndexExpr, *ast.SliceExpr:
		return false
	case *ast.CallExpr:
		if name := s.Callee(p); name == "len" || name == "cap" || name == "append" && p.Ellipsis.IsValid() || name == "copy" {
			return false // the compiler makes no copy
		}
	}
	if v != nil && facts.CapacityObserved(s.Place, v) {
		edit.MustCheck(m, []string{fmt.Sprintf("that no code uses the spare capacity of %s", v.Name())})
	}
	why := fmt.Sprintf("%s allocates a string, which is copied and dropped; %s makes the bytes directly.", edit.Short(f.c.Name), f.shortName())
	m.Why = why + m.Why
	m.Edits = []advice.Edit{edit.Replace(outer, f.call("nil"))}
	m.Imports = f.imports()
	m.Title = "a value is formatted as a string only to be converted to bytes"
	if f.to.empty {
		edit.MustCheck(m, []string{"that no code distinguishes nil from an empty slice: an empty result is now nil"})
	}
	return true
}

// exprOf is a node as an expression; an empty one if it is something else.
func exprOf(n ast.Node) ast.Expr {
	if e, ok := n.(ast.Expr); ok {
		return e
	}
	return &ast.BadExpr{}
}

func (f *appendedValue) imports() []string {
	if dot := strings.LastIndexByte(f.to.function, '.'); dot >= 0 {
		return []string{f.to.function[:dot]}
	}
	return nil
}

func (f *appendedValue) shortName() string { return edit.Short(f.to.function) }

// longest returns how many bytes of room the text needs. Of longer ones, the counterpart allocates.
func (f *appendedValue) longest() (int, bool) {
	const (
		decimal = len("-9223372036854775808")
		binary  = 1 + 64
		others  = 64
	)
	if !f.to.bounded {
		return 0, false
	}
	switch f.c.Name {
	case "strconv.Itoa":
		return decimal, true
	case "strconv.FormatInt", "strconv.FormatUint":
		if base, ok := facts.ConstantInt(f.s.Place, f.c.Args[1]); ok && base >= 10 {
			return decimal, true
		}
		return binary, true
	case "strconv.FormatFloat":
		verb, ok := facts.ConstantInt(f.s.Place, f.c.Args[1])
		return 32, ok && (verb == 'g' || verb == 'e') && facts.IsInt(f.s.Place, f.c.Args[2], -1)
	case "(time.Time).Format":
		layout, ok := facts.ConstantText(f.s.Place, f.c.Args[0])
		return others, ok && len(layout)+10 < others // as Format itself
	}
	return others, true
}

// inSentence is an expression for a sentence.
func inSentence(s *advice.Site, e ast.Expr) string {
	if text := s.Source(e); edit.OneLine(text) {
		return text
	}
	return "the destination"
}
