package edit

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// BytesOf returns the b of string(b), as code for a []byte parameter.
func BytesOf(s *advice.Site, e ast.Expr) (string, bool) {
	operand, to, ok := facts.Conversion(s.Place, e)
	if !ok || !types.Identical(to.Underlying(), types.Typ[types.String]) || !facts.IsBytes(s.Place, operand) || !facts.PlainBytes(s.Info.TypeOf(operand)) {
		return "", false
	}
	return s.Source(operand), true
}

// TextOf returns the s of []byte(s), as code of type string.
func TextOf(s *advice.Site, e ast.Expr) (string, bool) {
	operand, to, ok := facts.Conversion(s.Place, e)
	if !ok || !facts.PlainBytes(to) || !facts.IsString(s.Place, operand) {
		return "", false
	}
	src := s.Source(operand)
	if s.Info.Types[operand].Value == nil && !types.Identical(s.Info.TypeOf(operand), types.Typ[types.String]) {
		src = "string(" + src + ")"
		return src, facts.Builtins(s.Place, e.Pos(), "string")
	}
	return src, true
}

// A Twin is a function for strings, with its counterpart for bytes.
type Twin struct {
	Text, Bytes string
	Params      string // which parameters differ: b for each that does, - for each that doesn't
}

// Twins are the ones that rules know.
var Twins = []Twin{
	{"(*regexp.Regexp).MatchString", "(*regexp.Regexp).Match", "b"},
	{"(*regexp.Regexp).FindStringIndex", "(*regexp.Regexp).FindIndex", "b"},
	{"(*regexp.Regexp).FindStringSubmatchIndex", "(*regexp.Regexp).FindSubmatchIndex", "b"},
	{"(*regexp.Regexp).FindAllStringIndex", "(*regexp.Regexp).FindAllIndex", "b-"},
	{"(*regexp.Regexp).FindAllStringSubmatchIndex", "(*regexp.Regexp).FindAllSubmatchIndex", "b-"},
	{"regexp.MatchString", "regexp.Match", "-b"},
	{"unicode/utf8.RuneCountInString", "unicode/utf8.RuneCount", "b"},
	{"unicode/utf8.ValidString", "unicode/utf8.Valid", "b"},
	{"unicode/utf8.DecodeRuneInString", "unicode/utf8.DecodeRune", "b"},
	{"unicode/utf8.DecodeLastRuneInString", "unicode/utf8.DecodeLastRune", "b"},
	{"unicode/utf8.FullRuneInString", "unicode/utf8.FullRune", "b"},
	{"strings.Contains", "bytes.Contains", "bb"},
	{"strings.ContainsAny", "bytes.ContainsAny", "b-"},
	{"strings.ContainsFunc", "bytes.ContainsFunc", "b-"},
	{"strings.ContainsRune", "bytes.ContainsRune", "b-"},
	{"strings.Count", "bytes.Count", "bb"},
	{"strings.EqualFold", "bytes.EqualFold", "bb"},
	{"strings.Compare", "bytes.Compare", "bb"},
	{"strings.HasPrefix", "bytes.HasPrefix", "bb"},
	{"strings.HasSuffix", "bytes.HasSuffix", "bb"},
	{"strings.Index", "bytes.Index", "bb"},
	{"strings.IndexAny", "bytes.IndexAny", "b-"},
	{"strings.IndexByte", "bytes.IndexByte", "b-"},
	{"strings.IndexFunc", "bytes.IndexFunc", "b-"},
	{"strings.IndexRune", "bytes.IndexRune", "b-"},
	{"strings.LastIndex", "bytes.LastIndex", "bb"},
	{"strings.LastIndexAny", "bytes.LastIndexAny", "b-"},
	{"strings.LastIndexByte", "bytes.LastIndexByte", "b-"},
	{"strings.LastIndexFunc", "bytes.LastIndexFunc", "b-"},
}

// WritePiece is the statement that appends a piece to a builder.
func WritePiece(s *advice.Site, builder string, piece ast.Expr) string {
	if text, ok := facts.ConstantText(s.Place, piece); ok && len(text) == 1 {
		return fmt.Sprintf("%s.WriteByte(%q)", builder, text[0])
	}
	if operand, _, ok := facts.Conversion(s.Place, piece); ok {
		switch t := s.Info.TypeOf(operand); {
		case types.Identical(t, types.Typ[types.Rune]):
			return fmt.Sprintf("%s.WriteRune(%s)", builder, s.Source(operand))
		case facts.PlainBytes(t):
			return fmt.Sprintf("%s.Write(%s)", builder, s.Source(operand))
		}
	}
	if t, ok := types.Unalias(s.Info.TypeOf(piece)).(*types.Named); ok && t.Obj() != nil {
		return fmt.Sprintf("%s.WriteString(string(%s))", builder, s.Source(piece))
	}
	return fmt.Sprintf("%s.WriteString(%s)", builder, s.Source(piece))
}
