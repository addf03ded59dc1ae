package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// AllocatesMore reports whether strconv may allocate more strings for the numbers than fmt allocates
// to box its arguments. fmt boxes numbers of one byte without allocating, while strconv allocates a
// string from 100 on. For larger numbers both allocate once, and for texts only fmt does.
func AllocatesMore(s *advice.Site, pieces []Piece) bool {
	more := 0
	for _, p := range pieces {
		if p.Arg == nil || s.Info.Types[p.Arg].Value != nil {
			continue
		}
		if size, ok := facts.SizeOf(s.Info.TypeOf(p.Arg)); p.IsNumber() && ok && size == 1 {
			more++
		} else if p.IsString {
			more--
		}
	}
	return more > 0
}

// Pieces splits the arguments of a call, starting with the format if there is one, according to kind:
// 'f', 'n' for println, or 0. ok is false if an argument needs something that only fmt has.
func Pieces(s *advice.Site, kind byte, args []ast.Expr, at token.Pos) (pieces []Piece, ok bool) {
	if kind == 'f' {
		return formatPieces(s, args, at)
	}
	for i, arg := range args {
		p, ok := fmtPieceOf(s, verb{letter: 'v', precision: -1}, arg, at)
		if !ok || len(args) > 1 && kind == 0 && types.IsInterface(s.Info.TypeOf(arg)) {
			return nil, false // whether it is a string is known at run time only
		}
		if i > 0 && (kind == 'n' || !p.IsString && !pieces[len(pieces)-1].IsString) {
			pieces = append(pieces, Piece{Text: " "})
		}
		pieces = append(pieces, p)
	}
	if kind == 'n' {
		pieces = append(pieces, Piece{Text: "\n"})
	}
	return pieces, true
}

func formatPieces(s *advice.Site, args []ast.Expr, at token.Pos) (pieces []Piece, ok bool) {
	if len(args) == 0 {
		return nil, false
	}
	format, ok := fixedText(s, args[0])
	if !ok {
		return nil, false
	}
	return PiecesOf(s, format, args[1:], at)
}

// PiecesOf splits a format and its arguments.
func PiecesOf(s *advice.Site, format string, args []ast.Expr, at token.Pos) (pieces []Piece, ok bool) {
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		if text != "" {
			pieces = append(pieces, Piece{Text: text})
		}
		if !found {
			break
		}
		v, rest, ok := readVerb(rest)
		if !ok {
			return nil, false
		}
		format = rest
		if v.letter == '%' {
			if v.precision >= 0 || v.flags != "" || v.zeros > 0 {
				return nil, false
			}
			pieces = append(pieces, Piece{Text: "%"})
			continue
		}
		if len(args) == 0 {
			return nil, false
		}
		p, ok := fmtPieceOf(s, v, args[0], at)
		if !ok {
			return nil, false
		}
		if v.flags == "#" {
			pieces = append(pieces, Piece{Text: "0x"})
		}
		pieces, args = append(pieces, p), args[1:]
	}
	return pieces, len(args) == 0
}

// An argument is what a verb formats.
type argument struct {
	expr  ast.Expr
	src   string
	t     types.Type
	basic *types.Basic // the type's; nil if it has another
	at    token.Pos    // of the call
}

// as returns the argument converted to a type, if that can be named.
func (a *argument) as(s *advice.Site, want types.BasicKind) (string, bool) {
	if types.Identical(a.t, types.Typ[want]) || a.basic.Kind() == want && isAlias(a.t) {
		return a.src, true
	}
	name := types.Typ[want].Name()
	return name + "(" + a.src + ")", facts.Builtins(s.Place, a.at, name)
}

// fmtPieceOf returns an argument as a string, as a verb formats it.
func fmtPieceOf(s *advice.Site, v verb, arg ast.Expr, at token.Pos) (Piece, bool) {
	p := Piece{Arg: arg, called: true}
	t := s.Info.TypeOf(arg)
	if t == nil {
		return p, false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return p, false
	}
	a := &argument{expr: arg, src: s.Source(arg), t: t, at: at}
	a.basic, _ = t.Underlying().(*types.Basic)
	p.IsString = a.basic != nil && a.basic.Info()&types.IsString != 0
	methods := types.NewMethodSet(t)
	has := func(name string) bool { return methods.Lookup(nil, name) != nil }
	if has("Format") || facts.TypeName(t) == "reflect.Value" { // of which fmt prints what is in it
		return p, false
	}
	if (has("Error") || has("String")) && strings.IndexByte("vsxXq", v.letter) >= 0 {
		name := "String"
		if has("Error") {
			name = "Error"
		}
		if v.letter != 'v' && v.letter != 's' || v.precision >= 0 {
			return p, false
		}
		return textOfMethod(s, p, a, methods.Lookup(nil, name))
	}
	switch {
	case a.basic != nil:
		return basicPiece(s, p, v, a)
	case facts.IsBytes(s.Place, arg) && v.letter == 's' && v.precision < 0 && facts.PlainBytes(t) && facts.Builtins(s.Place, at, "string"):
		p.Code, p.called = "string("+a.src+")", false
		return p, true
	case v.letter == 'x' && v.precision < 0 && v.flags == "" && v.zeros == 0:
		return hexOfBytes(s, p, at)
	}
	return p, false
}

// textOfMethod is the piece of an argument with a method Error or String.
func textOfMethod(s *advice.Site, p Piece, a *argument, m *types.Selection) (Piece, bool) {
	if !textMethod(m) {
		return p, false
	}
	name := m.Obj().Name()
	p.Code = Operand(a.expr, a.src) + "." + name + "()"
	p.runs = facts.Formatting(s.Place, a.t)
	switch a.t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		if maybe, known := maybeNilType(s, a.expr); known {
			p.runs = 0
			return p, !maybe
		}
		if name == "Error" {
			return p, false // only the caller may know whether the error is nil
		}
		if !facts.NeverNil(s.Place, a.expr) {
			p.review = append(p.review, fmt.Sprintf("that %s is never nil: %s panics, and fmt prints <nil>", a.src, p.Code))
		}
		if types.IsInterface(a.t) {
			p.review = append(p.review, fmt.Sprintf("that %s holds no value with an Error or Format method, which fmt would call", a.src))
		}
	}
	if methodPanics(s, m) {
		p.review = append(p.review, fmt.Sprintf("that %s doesn't panic: fmt would print the panic", p.Code))
	}
	return p, true
}

// basicPiece is the piece of a text, number or bool.
func basicPiece(s *advice.Site, p Piece, v verb, a *argument) (Piece, bool) {
	strconvName, ok := facts.PackageName(s.Place, "strconv", a.at)
	if !ok && !p.IsString {
		return p, false
	}
	p.Package = "strconv"
	as := func(want types.BasicKind) (string, bool) { return a.as(s, want) }
	info := a.basic.Info()
	switch {
	case v.precision >= 0 && info&types.IsFloat == 0:
		return p, false
	case v.zeros == 2 && v.letter == 'x' && a.basic.Kind() == types.Uint8 && s.Info.Types[a.expr].Value == nil:
		return hexOfByte(s, p, a)
	case v.flags == "#" && info&types.IsUnsigned == 0, v.zeros > 0 && info&types.IsInteger == 0:
		return p, false
	case v.zeros > 0:
		return padded(s, p, a.basic, v, strconvName, as, a.at)
	case v.letter == 'c':
		return character(s, p, a.basic, a.at)
	case info&types.IsString != 0:
		return stringPiece(s, p, v, a)
	case info&types.IsBoolean != 0 && (v.letter == 't' || v.letter == 'v'):
		p.Code, ok = as(types.Bool)
		p.Code = strconvName + ".FormatBool(" + p.Code + ")"
		return p, ok
	case info&types.IsInteger != 0:
		base := map[byte]int{'d': 10, 'v': 10, 'x': 16, 'o': 8, 'b': 2}[v.letter]
		if base == 0 {
			return p, false
		}
		p.Code, ok = integer(a.basic, strconvName, base, as)
		p.Appends = appendInteger(a.basic, strconvName, base, as)
		p.Longest = 1 + int(math.Ceil(64/math.Log2(float64(base))))
		return p, ok
	case info&types.IsFloat != 0 && info&types.IsUntyped == 0:
		return floatPiece(p, v, a.basic, strconvName, as)
	}
	return p, false
}

// hexOfByte is the piece of a byte that %02x formats.
func hexOfByte(s *advice.Site, p Piece, a *argument) (Piece, bool) {
	name, imported := facts.PackageName(s.Place, "encoding/hex", a.at)
	if !imported || !facts.Builtins(s.Place, a.at, "byte") {
		return p, false
	}
	code, ok := a.as(s, types.Uint8)
	p.Package, p.Longest = "encoding/hex", 2
	if s.AtLeast("1.22") {
		p.Appends = [2]string{name + ".AppendEncode(", ", []byte{" + code + "})"}
	}
	p.Code = name + ".EncodeToString([]byte{" + code + "})"
	return p, ok
}

// stringPiece is the piece of a text.
func stringPiece(s *advice.Site, p Piece, v verb, a *argument) (Piece, bool) {
	code, ok := a.as(s, types.String)
	p.Code = code
	switch v.letter {
	case 's', 'v':
		if _, literal := ast.Unparen(a.expr).(*ast.BasicLit); literal {
			p.Text, p.Literal = facts.ConstantText(s.Place, a.expr)
		}
		p.called, p.Package = false, ""
		return p, ok
	case 'x':
		name, imported := facts.PackageName(s.Place, "encoding/hex", a.at)
		p.Hex, p.Package, p.IsString = true, "encoding/hex", false
		p.Code = name + ".EncodeToString([]byte(" + code + "))"
		return p, ok && imported && v.flags == "" && v.zeros == 0 && facts.Builtins(s.Place, a.at, "byte")
	case 'q':
		name, imported := facts.PackageName(s.Place, "strconv", a.at)
		p.Quoted, p.Appends = true, [2]string{name + ".AppendQuote(", ", " + code + ")"}
		p.Code = name + ".Quote(" + code + ")"
		return p, ok && imported
	}
	return p, false
}

// floatPiece is the piece of a float32 or float64.
func floatPiece(p Piece, v verb, basic *types.Basic, strconvName string, as func(types.BasicKind) (string, bool)) (Piece, bool) {
	form := map[byte]byte{'f': 'f', 'g': 'g', 'e': 'e', 'v': 'g'}[v.letter]
	if form == 0 {
		return p, false
	}
	precision := v.precision
	if precision < 0 && (v.letter == 'f' || v.letter == 'e') {
		precision = 6
	}
	size := 64
	if basic.Kind() == types.Float32 {
		size = 32
	}
	code, ok := as(types.Float64)
	args := fmt.Sprintf("%s, %q, %d, %d)", code, form, precision, size)
	p.Appends, p.Longest = [2]string{strconvName + ".AppendFloat(", ", " + args}, longestFloat
	p.Code = strconvName + ".FormatFloat(" + args
	return p, ok
}

// maybeNilType reports whether an expression is a type that package reflect found, which
// known tells, and whether it is nil of a nil interface.
func maybeNilType(s *advice.Site, e ast.Expr) (maybe, known bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false, false
	}
	switch s.Callee(call) {
	case "reflect.TypeOf":
		return len(call.Args) != 1 || types.IsInterface(s.Info.TypeOf(call.Args[0])), true
	case "(reflect.Value).Type":
		return false, true
	}
	return false, false
}

func isAlias(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Basic)
	return ok
}

// integer is a call of strconv for an integer.
func integer(t *types.Basic, pkg string, base int, as func(types.BasicKind) (string, bool)) (string, bool) {
	switch t.Kind() {
	case types.Int, types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16, types.UntypedInt, types.UntypedRune:
		if base == 10 {
			x, ok := as(types.Int)
			return pkg + ".Itoa(" + x + ")", ok
		}
	}
	if t.Info()&types.IsUnsigned != 0 {
		x, ok := as(types.Uint64)
		return fmt.Sprintf("%s.FormatUint(%s, %d)", pkg, x, base), ok
	}
	x, ok := as(types.Int64)
	return fmt.Sprintf("%s.FormatInt(%s, %d)", pkg, x, base), ok
}

// appendInteger is the appending variant, in the form of fmtPiece; empty if it can't be named.
func appendInteger(t *types.Basic, pkg string, base int, as func(types.BasicKind) (string, bool)) (around [2]string) {
	kind, name := types.Int64, ".AppendInt("
	if t.Info()&types.IsUnsigned != 0 {
		kind, name = types.Uint64, ".AppendUint("
	}
	x, ok := as(kind)
	if !ok {
		return around
	}
	return [2]string{pkg + name, fmt.Sprintf(", %s, %d)", x, base)}
}

// longestFloat is the length of the longest shortest representation of a float64; 'f' may be longer.
const longestFloat = len("-2.2250738585072014e-308")

// textMethod reports whether a method has no parameters and returns a string.
func textMethod(m *types.Selection) bool {
	sig, ok := m.Type().(*types.Signature)
	return ok && sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
}

// Merged joins consecutive constants.
func Merged(pieces []Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		if p.Literal {
			p.Arg = nil
		}
		if n := len(out); n > 0 && p.Arg == nil && out[n-1].Arg == nil {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// Concatenation is the expression that joins pieces; constant reports whether it is a constant.
func Concatenation(s *advice.Site, pieces []Piece) (code string, constant bool) {
	constant = true
	var parts []string
	for _, p := range Merged(pieces) {
		if p.Arg == nil {
			parts = append(parts, Literal(p.Text))
			continue
		}
		constant = constant && p.IsString && s.Info.Types[p.Arg].Value != nil
		parts = append(parts, p.Code)
	}
	if len(parts) == 0 {
		return `""`, true
	}
	return strings.Join(parts, " + "), constant
}

// quotedLength is the largest average length of a quoted text, and what is around it, that is built in
// quoteRoom bytes: most then fit.
const (
	quoteRoom    = 64
	quotedLength = 48
)

// InBuffer is the expression that builds a number or a quoted text, and what is around it, on the
// stack, and makes one string of it. It is "" if there are more pieces, they are longer, or names are
// hidden.
func InBuffer(s *advice.Site, pieces []Piece, at token.Pos) string {
	pieces = Merged(pieces)
	i := slices.IndexFunc(pieces, func(p Piece) bool { return p.Appends[0] != "" })
	if i < 0 || !facts.Builtins(s.Place, at, "string", "byte", "append", "make") {
		return ""
	}
	// text is what stands on one side of the number.
	text := func(side []Piece) (text string, ok bool) {
		if len(side) == 0 {
			return "", true
		}
		return side[0].Text, len(side) == 1 && side[0].Arg == nil
	}
	before, ok := text(pieces[:i])
	behind, ok2 := text(pieces[i+1:])
	if !ok || !ok2 {
		return ""
	}
	appended := func(to, text string) string {
		switch len(text) {
		case 0:
			return to
		case 1:
			return fmt.Sprintf("append(%s, %s)", to, QuotedByte(text[0]))
		}
		return fmt.Sprintf("append(%s, %s...)", to, Literal(text))
	}
	// Not for []byte(before), which has no spare capacity.
	size := RoundUp(len(before) + pieces[i].Longest + len(behind))
	if pieces[i].Quoted {
		if size = quoteRoom; s.BlockSize(FmtFrames) > quotedLength || len(before)+len(behind) > quoteRoom/2 {
			return ""
		}
	}
	value := pieces[i].Appends[0] + appended(StackBytes(size), before) + pieces[i].Appends[1]
	return "string(" + appended(value, behind) + ")"
}

// Reviews are the conditions to check for pieces to produce the same text as fmt.
func Reviews(pieces []Piece) []string {
	var all []string
	for _, p := range pieces {
		for _, r := range p.review {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// methodPanics reports whether a method may panic.
func methodPanics(s *advice.Site, m *types.Selection) bool {
	f, ok := m.Obj().(*types.Func)
	if !ok || len(m.Index()) > 1 && m.Indirect() { // of an embedded pointer, which may be nil
		return true
	}
	return facts.EffectsOfMethod(s.Place, f)&facts.MayPanic != 0
}

// StepsOf returns the operands of pieces in the order of their evaluation.
func StepsOf(s *advice.Site, pieces []Piece) []facts.Step {
	var steps []facts.Step
	for _, p := range pieces {
		st := facts.Step{Expr: p.Arg, Runs: p.runs, Called: p.called}
		if p.Arg != nil {
			st.Contents = facts.IsBytes(s.Place, p.Arg) || p.Hex || p.runs&facts.MayRead != 0
		}
		steps = append(steps, st)
	}
	return steps
}

// FormattedSteps returns the arguments of a fmt call, which formats them after all are evaluated.
func FormattedSteps(s *advice.Site, c code.Call) (steps []facts.Step) {
	for _, e := range c.Args {
		steps = append(steps, facts.Step{Expr: e, Runs: facts.Formatting(s.Place, s.Info.TypeOf(e)), Called: true})
	}
	return steps
}

// StackText is the largest size of text that doesn't escape and stays on the stack: the runtime's
// tmpStringBufSize.
const StackText = 32

var FmtFrames = lazyregexp.New(`^fmt\.(Sp|Fp|App|\(\*pp\)\.|newPrinter)|^runtime\.convT`)
