package edit

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// fixedText is the value of a constant string, or of a package variable that never changes.
func fixedText(s *advice.Site, e ast.Expr) (string, bool) {
	if text, ok := facts.ConstantText(s.Place, e); ok {
		return text, true
	}
	v, ok := facts.Object(s.Place, e).(*types.Var)
	if !ok || !facts.IsConstantVariable(s.Place, v) {
		return "", false
	}
	value := facts.PackageValue(s.Place, v)
	if value == nil {
		return "", false
	}
	return facts.ConstantText(s.Place, value)
}

// A verb is a verb of a format with what is before its letter.
type verb struct {
	letter    byte
	precision int    // -1 if there is none
	flags     string // "#", "02" or none
}

// readVerb reads what follows a percent sign, and returns what is after it. ok is false for verbs that
// only fmt formats.
func readVerb(text string) (v verb, rest string, ok bool) {
	v.precision = -1
	for _, flags := range []string{"#", "02"} {
		if after, found := strings.CutPrefix(text, flags); found && strings.HasPrefix(after, "x") {
			v.flags, text = flags, after
		}
	}
	if digits, found := strings.CutPrefix(text, "."); found {
		n := 0
		for n < 2 && n < len(digits) && '0' <= digits[n] && digits[n] <= '9' {
			n++
		}
		if n == 0 {
			return v, "", false
		}
		v.precision, _ = strconv.Atoi(digits[:n])
		text = digits[n:]
	}
	if text == "" {
		return v, "", false
	}
	v.letter = text[0]
	return v, text[1:], true
}

// hexOfBytes is the piece of a []byte or an array of bytes that %x formats. The bytes of an array go to
// a buffer on the stack, so that only the string is allocated.
func hexOfBytes(s *advice.Site, p Piece, at token.Pos) (Piece, bool) {
	name, ok := facts.PackageName(s.Place, "encoding/hex", at)
	if !ok {
		return p, false
	}
	p.Hex, p.Package = true, "encoding/hex"
	src := s.Source(p.Arg)
	appends := s.AtLeast("1.22") && facts.Builtins(s.Place, at, "string", "make", "byte")
	switch t := s.Info.TypeOf(p.Arg).Underlying().(type) {
	case *types.Slice:
		p.Code = name + ".EncodeToString(" + src + ")"
		if appends {
			p.Appends = [2]string{name + ".AppendEncode(", ", " + src + ")"}
		}
		return p, facts.PlainBytes(t)
	case *types.Array:
		if !types.Identical(t.Elem(), types.Typ[types.Byte]) || !s.Info.Types[p.Arg].Addressable() {
			return p, false
		}
		const most = 64 // bytes; more than any usual hash has
		src = Operand(p.Arg, src) + "[:]"
		p.Code = name + ".EncodeToString(" + src + ")"
		if n := int(t.Len()); appends && 0 < n && n <= most {
			p.Longest = 2 * n
			p.Appends = [2]string{name + ".AppendEncode(", ", " + src + ")"}
			p.Code = "string(" + p.Appends[0] + StackBytes(p.Longest) + p.Appends[1] + ")"
		}
		return p, true
	}
	return p, false
}

// character is the piece of a number that %c formats. Like fmt, a conversion to string makes U+FFFD of
// what isn't a character. A number of more than 32 bits could become another character.
func character(s *advice.Site, p Piece, basic *types.Basic, at token.Pos) (Piece, bool) {
	switch basic.Kind() {
	case types.Int32, types.Uint32, types.Int16, types.Uint16, types.Int8, types.Uint8:
	default:
		return p, false
	}
	if s.Info.Types[p.Arg].Value != nil || !facts.Builtins(s.Place, at, "string", "rune") {
		return p, false
	}
	if p.Rune = s.Source(p.Arg); !types.Identical(s.Info.TypeOf(p.Arg), types.Typ[types.Rune]) {
		p.Rune = "rune(" + p.Rune + ")"
	}
	p.Code, p.Package, p.called = "string("+p.Rune+")", "", false
	return p, true
}
