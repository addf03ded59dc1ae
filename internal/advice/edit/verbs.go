package edit

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"slices"
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
	flags     string // "#" or none
	zeros     int    // the width up to which zeros are in front of a number; 0 for none
}

// readVerb reads what follows a percent sign, and returns what is after it. ok is false for verbs that
// only fmt formats.
func readVerb(text string) (v verb, rest string, ok bool) {
	v.precision = -1
	if after, found := strings.CutPrefix(text, "#"); found && strings.HasPrefix(after, "x") {
		v.flags, text = "#", after
	}
	if digits, found := strings.CutPrefix(text, "0"); found {
		letter := strings.TrimLeft(digits, "0123456789")
		digits = digits[:len(digits)-len(letter)]
		if len(digits) == 0 || len(digits) > 2 || letter == "" || letter[0] != 'd' && letter[0] != 'x' {
			return v, "", false
		}
		v.zeros, _ = strconv.Atoi(digits)
		text = letter
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

// paddedHelpers are functions that append a number with zeros in front of it, by the names that are
// wanted for them. Like fmt, they count the sign as a part of the width.
var paddedHelpers = map[string]string{
	"appendPaddedInt": `// %[1]s appends a number with zeros in front of it up to a width, as %%0*d and %%0*x do.
func %[1]s(b []byte, n int64, base, width int) []byte {
	var digits [65]byte
	text := %[2]s.AppendInt(digits[:0], n, base)
	if n < 0 {
		b, text, width = append(b, '-'), text[1:], width-1
	}
	for i := len(text); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, text...)
}`,
	"appendPaddedUint": `// %[1]s appends a number with zeros in front of it up to a width, as %%0*d and %%0*x do.
func %[1]s(b []byte, n uint64, base, width int) []byte {
	var digits [64]byte
	text := %[2]s.AppendUint(digits[:0], n, base)
	for i := len(text); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, text...)
}`,
}

// padded is the piece of an integer with zeros in front of it. strconv has no such function, so the
// package gets one.
func padded(s *advice.Site, p Piece, basic *types.Basic, v verb, strconvName string, as func(types.BasicKind) (string, bool), at token.Pos) (Piece, bool) {
	base, kind, want := map[byte]int{'d': 10, 'x': 16}[v.letter], types.Int64, "appendPaddedInt"
	if basic.Info()&types.IsUnsigned != 0 {
		kind, want = types.Uint64, "appendPaddedUint"
	}
	x, ok := as(kind)
	if s.Decl == nil || !ok || !facts.Builtins(s.Place, at, "string", "make", "byte") || !facts.Builtins(s.Place, s.Decl.Pos(), "byte", "append", "len", "int", "int64", "uint64") {
		return p, false
	}
	name, exists := ExistingFunction(s, want, at, func(name string) string { return fmt.Sprintf(paddedHelpers[want], name, strconvName) })
	if exists {
		p.Package = "" // only the function calls strconv
	} else {
		p.Helper = fmt.Sprintf(paddedHelpers[want], name, strconvName)
	}
	p.Padded, p.Longest = true, max(v.zeros, 1+64/3)
	p.Appends = [2]string{name + "(", fmt.Sprintf(", %s, %d, %d)", x, base, v.zeros)}
	p.Code = "string(" + p.Appends[0] + StackBytes(RoundUp(p.Longest)) + p.Appends[1] + ")"
	return p, true
}

// ExistingFunction returns a name for a function with some source text, and whether the package already
// has this function, for example from an earlier rewrite. A function in another file counts if that file
// is a part of every build.
func ExistingFunction(s *advice.Site, want string, at token.Pos, text func(name string) string) (name string, exists bool) {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for _, name := range s.Types.Scope().Names() {
		f, ok := facts.Resolves(s.Place, name, at).(*types.Func)
		if !ok || !strings.HasPrefix(name, want) || f.Pkg() != s.Types {
			continue
		}
		if decl := facts.DeclarationOfFunc(s.Place, f); decl != nil && (facts.Within(s.File, decl.Pos()) || inEveryBuild(s, decl)) && bare(s.Text(declStart(decl), decl.End())) == bare(text(name)) {
			return name, true
		}
	}
	return s.Unused(want, at), false
}

// Reaches reports whether code in a file may come to use what a rewrite declares beside a function: the file may be changed,
// and any build that has it has the function, too.
func Reaches(s *advice.Site, decl *ast.FuncDecl, f *ast.File) bool {
	return facts.Within(f, decl.Pos()) || s.Rewritable(f) && inEveryBuild(s, decl)
}

// inEveryBuild reports whether a declaration is in a file that neither its name nor a comment excludes from
// some builds.
func inEveryBuild(s *advice.Site, decl *ast.FuncDecl) bool {
	i := slices.IndexFunc(s.Files, func(f *ast.File) bool { return facts.Within(f, decl.Pos()) })
	return i >= 0 && alwaysBuilt(s.Files[i], s.Fset.File(decl.Pos()).Name())
}

func alwaysBuilt(f *ast.File, name string) bool {
	// A system that doesn't exist builds only files that any system does.
	anywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	if always, err := anywhere.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !always || strings.HasSuffix(name, "_test.go") {
		return false
	}
	for _, spec := range f.Imports {
		if spec.Path.Value == `"C"` {
			return false // cgo may be off
		}
	}
	for _, g := range f.Comments {
		for _, comment := range g.List {
			if comment.Pos() < f.Package && (strings.HasPrefix(comment.Text, "//go:build") || strings.HasPrefix(comment.Text, "// +build") || strings.HasPrefix(comment.Text, "//+build")) {
				return false
			}
		}
	}
	return true
}

func declStart(decl *ast.FuncDecl) token.Pos {
	if decl.Doc != nil {
		return decl.Doc.Pos()
	}
	return decl.Pos()
}

// Helpers are the edits that declare the functions that pieces call and the package doesn't have.
func Helpers(s *advice.Site, pieces []Piece) []advice.Edit {
	var decls []string
	for _, p := range pieces {
		if p.Helper != "" && !slices.Contains(decls, p.Helper) {
			decls = append(decls, p.Helper)
		}
	}
	if len(decls) == 0 {
		return nil
	}
	return []advice.Edit{BeforeDecl(s, strings.Join(decls, "\n\n"))}
}
