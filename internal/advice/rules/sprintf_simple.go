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
)

var sprintfSimple = &advice.Rule{
	ID:    "sprintf-simple",
	Title: "fmt formats simple values",
	Doc: `fmt parses its format on each call, takes each argument as an interface, which often has to be allocated, and switches
on its type. Concatenating strings with +, and converting numbers with strconv, takes a half to two thirds of the time
and one allocation. fmt doesn't allocate for numbers below 256, and for long numbers it allocates less than their text
needs. If a memory profile shows either, the rewrite builds the text of one number in a buffer on the stack. It does so
for several numbers if the statement only returns or assigns the text; elsewhere they get advice only, because each would
be a separate string. The same holds for %q, since strconv.Quote uses its own memory; long quoted text gets advice only.

Package encoding/hex formats bytes, and a conversion to string a character. The rewrite adds a function for numbers with
zeros in front, such as %03d. A format may be a variable that never
changes, or one of a few constants that the function chooses from: a switch then makes each text.

Text that is printed to a strings.Builder, bytes.Buffer or bufio.Writer is written there piece by piece. Numbers go
through the stack, or through the Writer's own buffer.`,
	Class:  advice.Safe,
	Frames: edit.FmtFrames,
	Except: formatted,
	Gain:   1.6,
	Match:  matchSprintfSimple,
	Conditions: advice.Conditions{
		Offered: "all verbs have no flags or widths, apart from %04d, %08x and %#x, and format strings, " +
			"numbers, booleans, bytes or values with a String method; the text is used as a string or written to a strings.Builder, " +
			"bytes.Buffer, bufio.Writer or io.Writer",
		Review: "evaluating one argument doesn't change another that is now used earlier, and doesn't read the destination; no argument " +
			"lies in the buffer that is written; no argument panics after a part was written; a String method isn't called on nil and " +
			"doesn't panic, which fmt would recover from; a WriteString method does what Write does, and the destination of a " +
			"bufio.Writer accepts Write calls of other sizes",
	},
}

// formattedMuch is the smallest share of a profile for which formatting without a simple rewrite is
// reported.
const formattedMuch = 0.1

func matchSprintfSimple(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln") {
		kind := strings.TrimPrefix(c.Name, "fmt.Sprint")
		if m, ok := matchSprint(s, c, kind); ok {
			matches = append(matches, m)
		}
	}
	for _, c := range s.Calls("fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln") {
		if m, ok := matchFprint(s, c, strings.TrimPrefix(c.Name, "fmt.Fprint")); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// printKind is the kind by which fmtPieces knows Print.
func printKind(suffix string) byte {
	switch suffix {
	case "f":
		return 'f'
	case "ln":
		return 'n'
	}
	return 0
}

func matchSprint(s *advice.Site, c code.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
	if c.Ellipsis.IsValid() {
		return matchForwarded(s, c, suffix)
	}
	if len(c.Args) == 0 || facts.Commented(s.Place, c.Pos(), c.End()) {
		return m, false
	}
	pieces, ok := edit.Pieces(s, printKind(suffix), c.Args, c.Pos())
	if !ok {
		if m, ok := matchChosen(s, c); ok && suffix == "f" {
			return m, true
		}
		if written(s, c, &m) {
			return m, true
		}
		m.Why = fmt.Sprintf("%s takes its arguments as interfaces and inspects the format and their types on each call. Append the parts to a reused []byte with strconv.Append…, or write them to the destination directly.", edit.Short(c.Name))
		return m, s.Share(edit.FmtFrames) >= formattedMuch
	}
	if wordy(pieces) {
		return m, false
	}
	if severalPadded(pieces) && inStatements(s, c, pieces, &m) {
		m.Why = fmt.Sprintf("%s %s. Appended to a buffer on the stack, the numbers need no strings of their own.", edit.Short(c.Name), whatFmtDoes(suffix))
		edit.MustCheck(&m, edit.Reviews(pieces), facts.InTurn(s.Place, edit.StepsOf(s, pieces), nil))
		return m, true
	}
	code, constant := edit.Concatenation(s, pieces)
	why := moreThanFmt(s, pieces)
	if why != "" {
		if code = edit.InBuffer(s, pieces, c.Pos()); code == "" {
			m.Why = fmt.Sprintf("%s %s. %s Append the parts to a []byte with strconv.Append… and convert it to a string.", edit.Short(c.Name), whatFmtDoes(suffix), why)
			if inStatements(s, c, pieces, &m) {
				edit.MustCheck(&m, edit.Reviews(pieces), facts.InTurn(s.Place, edit.StepsOf(s, pieces), nil))
				return m, true
			}
			return m, s.Share(edit.FmtFrames) >= formattedMuch
		}
	}
	instead, ok := edit.InPlace(c.Cursor, code, constant)
	if !ok {
		return m, false
	}
	m.Edits = append(edit.Helpers(s, pieces), instead)
	m.Imports = stringImports(pieces)
	m.Class = advice.Safe
	m.Why = fmt.Sprintf("%s %s; %s makes the same string directly.", edit.Short(c.Name), whatFmtDoes(suffix), shown(code))
	switch {
	case why != "":
		m.Why = fmt.Sprintf("%s %s. %s If it is built in a buffer on the stack, only the string is allocated.", edit.Short(c.Name), whatFmtDoes(suffix), why)
	case len(edit.Merged(pieces)) == 1:
		m.Why = fmt.Sprintf("%s formats a single value; %s is the same string.", edit.Short(c.Name), shown(code))
	}
	edit.MustCheck(&m, edit.Reviews(pieces), facts.InTurn(s.Place, edit.StepsOf(s, pieces), nil), facts.Overtaken(s.Place, c.Cursor, edit.StepsOf(s, pieces)))
	return m, true
}

// severalPadded reports whether a text has more than one number with zeros in front of it.
func severalPadded(pieces []edit.Piece) bool {
	padded := 0
	for _, p := range pieces {
		if p.Padded {
			padded++
		}
	}
	return padded > 1
}

// moreThanFmt says why joined pieces would allocate more than fmt does; "" if they don't.
func moreThanFmt(s *advice.Site, pieces []edit.Piece) string {
	numbers, others, arrays, boxes, texts, parts := 0, 0, 0, 0, 0, edit.Merged(pieces)
	quotes := false
	for _, p := range parts {
		quotes = quotes || p.Quoted
		switch {
		case p.Arg == nil:
			texts += len(p.Text)
		case p.IsNumber():
			numbers++
		default:
			others++
			if p.Hex && p.Longest > 0 {
				arrays++
			}
			if takesBox(s, p) {
				boxes++
			}
		}
	}
	const box = 8 // bytes that a number takes in an interface
	text := int(s.BlockSize(edit.FmtFrames))
	if numbers > 1 { // a single number in inBuffer loses nothing, however long
		text = leastText(text)
	}
	// strconv.Quote takes half as much again as the text has, on the stack up to 32 bytes since
	// Go 1.25: for 21.
	const quotedOnStack = 16
	switch {
	case quotes && (len(parts) > 1 || text > quotedOnStack):
		return "strconv.Quote would use its own memory and allocate more."
	case len(parts) < 2:
		return ""
	case arrays == 1 && numbers+others == 1:
		return "The bytes would become a string of their own first."
	case edit.AllocatesMore(s, pieces) || unboxed(s, numbers, boxes):
		return "It doesn't allocate for numbers below 256, and strconv allocates a string from 100 on."
	case numbers > 0 && others == 0 && text-texts > numbers*box:
		return "For a number of more than eight digits, strconv would allocate a string that is longer than the number that fmt allocates."
	}
	return ""
}

// takesBox reports whether fmt allocates to box a piece's argument: small numbers and booleans don't
// need it.
func takesBox(s *advice.Site, p edit.Piece) bool {
	if p.Arg == nil || p.IsNumber() || s.Info.Types[p.Arg].Value != nil {
		return false
	}
	switch t := facts.Under(s.Info.TypeOf(p.Arg)).(type) {
	case *types.Basic:
		return t.Info()&types.IsBoolean == 0 && t.Kind() != types.UnsafePointer
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return false // pointer-sized, or already an interface
	}
	return true
}

// leastText returns the length of the shortest text that the allocator gives a block of a
// size: it has sizes an eighth apart, or 8 bytes, or 16 from 32 on, and none below 16 for texts.
func leastText(block int) int {
	switch {
	case block <= 16:
		return 1
	case block <= 32:
		return block - 7
	case block <= 128:
		return block - 15
	}
	return block - block/8
}

// unboxed reports whether memory profiles show that few numbers on a line are boxed: apart from the
// text that fmt creates, the line allocates hardly more blocks than for its other arguments. Two
// numbers share a block.
func unboxed(s *advice.Site, numbers, boxes int) bool {
	own, ok := s.BlocksFor(edit.FmtFrames)
	return ok && numbers > 0 && own-float64(boxes) < float64(numbers)/4
}

// wordy reports whether the format is a template rather than values: copying it takes the time, and it
// is easier to read as it is.
func wordy(pieces []edit.Piece) bool {
	const template = 128 // bytes
	n := 0
	for _, p := range pieces {
		n += len(p.Text)
	}
	return n > template
}

func whatFmtDoes(suffix string) string {
	if suffix == "f" {
		return "parses its format and takes its arguments as interfaces on each call"
	}
	return "takes its arguments as interfaces and inspects their types on each call"
}

// stringImports are the packages that code of pieces may use.
func stringImports(pieces []edit.Piece) []string {
	var paths []string
	for _, p := range pieces {
		if p.Arg != nil && p.Package != "" && !slices.Contains(paths, p.Package) {
			paths = append(paths, p.Package)
		}
	}
	return paths
}

// shown returns code to quote in a sentence.
func shown(code string) string {
	switch {
	case !strings.ContainsAny(code, "\n`") && len(code) <= 80:
		return code
	case strings.Contains(code, "strconv."):
		return "a concatenation, with strconv for numbers,"
	}
	return "a concatenation"
}

// matchForwarded matches fmt.Sprint(args...) in a function that gets its arguments from its callers:
// often they pass a single string.
func matchForwarded(s *advice.Site, c code.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Title: "a string is passed through package fmt"}
	if suffix == "f" || len(c.Args) != 1 {
		return m, false
	}
	args, ok := ast.Unparen(c.Args[0]).(*ast.Ident)
	if !ok || !facts.IsParameter(s.Place, s.Info.ObjectOf(args)) {
		return m, false
	}
	name := edit.Short(c.Name)
	m.Why = fmt.Sprintf("%s inspects the type of each of %s. If there is a single string, as for most messages, use it directly: `if len(%[2]s) == 1 { if s, ok := %[2]s[0].(string); ok { … } }`.", name, args.Name)
	ret, ok := c.Parent().Node().(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 || !facts.Builtins(s.Place, c.Pos(), "string", "len") {
		return m, true
	}
	switch c.Parent().Parent().Node().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return m, true
	}
	text, found := s.Unused("text", c.Pos()), s.Unused("ok", c.Pos())
	end := ""
	if suffix == "ln" {
		end = ` + "\n"`
	}
	m.Edits = []advice.Edit{edit.Insert(ret.Pos(), fmt.Sprintf("if len(%s) == 1 {\nif %s, %s := %[1]s[0].(string); %[3]s {\nreturn %[2]s%[4]s\n}\n}\n", args.Name, text, found, end))}
	if already(s, c.Parent(), args.Name) {
		return m, false
	}
	m.Class = advice.Safe
	return m, true
}

// already reports whether the previous statement checks the type of a single argument.
func already(s *advice.Site, c inspector.Cursor, args string) bool {
	before, ok := c.PrevSibling()
	if !ok {
		return false
	}
	_, branch := before.Node().(*ast.IfStmt)
	return branch && strings.Contains(s.Source(before.Node()), args+"[0].(string)")
}

// written matches w.WriteString(fmt.Sprintf(…)): text that can't be split into pieces can be printed
// to its destination.
func written(s *advice.Site, c code.Call, m *advice.Match) bool {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0] != c.CallExpr || facts.Deferred(c.Parent()) { // it would be formatted later
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch s.Callee(call) {
	case "(*strings.Builder).WriteString", "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString":
	default:
		return false
	}
	selection := s.Info.Selections[sel]
	if selection == nil || len(selection.Index()) != 1 {
		return false
	}
	to := s.Source(sel.X)
	if _, pointer := types.Unalias(s.Info.TypeOf(sel.X)).(*types.Pointer); !pointer {
		// A pointer to it in an interface makes the variable escape: one allocation for many.
		if !facts.InLoop(c.Cursor) && facts.IsLocal(s.Place, facts.Object(s.Place, sel.X)) {
			return false
		}
		to = "&" + to
	}
	if fun, ok := c.Fun.(*ast.SelectorExpr); ok {
		m.Edits = []advice.Edit{
			{Pos: call.Pos(), End: call.Lparen + 1, New: s.Source(fun.X) + "." + strings.Replace(fun.Sel.Name, "S", "F", 1) + "(" + to + ", "},
			{Pos: c.CallExpr.Pos(), End: c.Lparen + 1},
			{Pos: c.Rparen, End: c.Rparen + 1},
		}
		m.Class = advice.Safe
		m.Title = "a string is formatted only to be written"
		m.Why = fmt.Sprintf("%s allocates a string that %s copies; fmt.F%s prints into it directly.", edit.Short(c.Name), s.Source(sel.X), strings.TrimPrefix(c.Name, "fmt.S"))
		edit.MustCheck(m, facts.SetMeanwhile(s.Place, sel.X, c.Args), facts.WrittenFirst(s.Place, sel.X, edit.FormattedSteps(s, c)), facts.SplitSeen(s.Place, sel.X, s.Source(sel.X)))
		return true
	}
	return false
}

// matchFprint matches printing to a destination.
func matchFprint(s *advice.Site, c code.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
	if len(c.Args) < 2 || c.Ellipsis.IsValid() || facts.Commented(s.Place, c.Pos(), c.End()) {
		return m, false
	}
	w, args := c.Args[0], c.Args[1:]
	target := facts.TypeName(s.Info.TypeOf(w))
	if suffix == "f" && len(args) == 1 && s.Info.Types[args[0]].Value == nil {
		return formatOfData(s, c, &m)
	}
	pieces, ok := edit.Pieces(s, printKind(suffix), args, c.Pos())
	dst, simple := facts.Receiver(s.Place, w)
	if !ok || !simple || wordy(pieces) {
		return m, false
	}
	pieces = edit.Merged(pieces)
	switch target {
	case "*strings.Builder", "*bytes.Buffer", "*bufio.Writer":
		stmt, ok := c.Parent().Node().(*ast.ExprStmt)
		if !ok || len(pieces) > 1 && !facts.InBlock(c.Parent()) {
			return m, false
		}
		if len(pieces) == 0 || !appendable(s, target, pieces, c.Pos()) || growsMore(s, c.Cursor, facts.RootOf(s.Place, w), pieces) || facts.SeesItself(s.Place, w, edit.StepsOf(s, pieces)) {
			return m, false
		}
		m.Class = advice.Safe
		var lines []string
		for _, p := range pieces {
			lines = append(lines, writeFmtPiece(s, target, dst, p))
		}
		code := strings.Join(lines, "\n")
		m.Edits = append(edit.Helpers(s, pieces), edit.Replace(stmt, code))
		m.Imports = stringImports(pieces)
		m.Why = fmt.Sprintf("%s %s; write the pieces to %s separately.", edit.Short(c.Name), whatFmtDoes(suffix), dst)
		if len(pieces) == 1 {
			m.Why = fmt.Sprintf("%s formats a single text; write it to %s as it is.", edit.Short(c.Name), dst)
		}
		edit.MustCheck(&m, facts.WrittenInTurn(s.Place, edit.StepsOf(s, pieces), w, dst))
	case "io.Writer", "net/http.ResponseWriter":
		if len(pieces) != 1 || facts.Deferred(c.Cursor) { // the values may have changed by then
			return m, false
		}
		pkg, ok := facts.PackageName(s.Place, "io", c.Pos())
		if !ok {
			return m, false
		}
		code, _ := edit.Concatenation(s, pieces)
		if p := pieces[0]; p.Hex { // fmt allocates less
			return m, false
		} else if p.Arg != nil && facts.IsBytes(s.Place, p.Arg) {
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Write(%s)", edit.Operand(w, s.Source(w)), s.Source(p.Arg)))}
		} else if facts.MayLackWriteString(s.Place, w, reachedWriters(s)) {
			return m, false
		} else {
			m.Edits = append(edit.Helpers(s, pieces), edit.Replace(c.CallExpr, fmt.Sprintf("%s.WriteString(%s, %s)", pkg, s.Source(w), code)))
			m.Imports = append(stringImports(pieces), "io")
		}
		m.Class = advice.Review
		m.Why = fmt.Sprintf("%s formats a single value; write it as it is.", edit.Short(c.Name))
		if p := pieces[0]; p.Arg != nil && facts.IsBytes(s.Place, p.Arg) {
			edit.MustCheck(&m, []string{fmt.Sprintf("that the Write method of %s neither keeps nor changes the bytes it receives", s.Source(w))})
		} else {
			edit.MustCheck(&m, []string{fmt.Sprintf("that a WriteString method of %s does what its Write method does", s.Source(w))})
		}
	default:
		return m, false
	}
	edit.MustCheck(&m, edit.Reviews(pieces))
	return m, true
}

// formatOfData matches fmt.Fprintf(w, text), which uses the text as a format.
func formatOfData(s *advice.Site, c code.Call, m *advice.Match) (advice.Match, bool) {
	m.Title = "text is used as a format string"
	w, text := c.Args[0], c.Args[1]
	if data, _, ok := facts.Conversion(s.Place, text); ok && facts.IsBytes(s.Place, data) {
		dst := edit.Operand(w, s.Source(w))
		if r, ok := facts.Receiver(s.Place, w); ok {
			dst = r
		}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Write(%s)", dst, s.Source(data)))}
		m.Why = fmt.Sprintf("%s is converted to a string, parsed for verbs, and copied again, and a %% in it would change the output; Write writes it as it is.", s.Source(data))
		edit.MustCheck(m, []string{fmt.Sprintf("that the Write method of %s neither keeps nor changes the bytes it receives", s.Source(w))})
	} else {
		pkg, ok := facts.PackageName(s.Place, "io", c.Pos())
		if !ok || !types.Identical(s.Info.TypeOf(text), types.Typ[types.String]) {
			return *m, false
		}
		if facts.MayLackWriteString(s.Place, w, reachedWriters(s)) {
			m.Why = fmt.Sprintf("%s is parsed for verbs, and a %% in it would change the output; write it as it is.", s.Source(text))
			return *m, true
		}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.WriteString(%s, %s)", pkg, s.Source(w), s.Source(text)))}
		m.Imports = []string{"io"}
		m.Why = fmt.Sprintf("%s is parsed for verbs, and a %% in it would change the output; io.WriteString writes it as it is.", s.Source(text))
		edit.MustCheck(m, []string{fmt.Sprintf("that a WriteString method of %s does what its Write method does", s.Source(w))})
	}
	m.Class = advice.Review
	return *m, true
}

// growsMore reports whether pieces that are written to a buffer may make it allocate more often than
// fmt does in total. That holds for the first pieces in a new buffer, which grows step by step to
// their length, where fmt writes all at once and boxes its arguments.
func growsMore(s *advice.Site, c inspector.Cursor, obj types.Object, pieces []edit.Piece) bool {
	if len(pieces) < 2 || !facts.NewBuffer(s.Place, obj) || facts.Repeated(c, obj) {
		return false
	}
	if d, ok := facts.NewlyDeclared(s.Place, obj); ok {
		if first, _ := edit.FirstUse(s, obj, d); !facts.Within(first.Node(), c.Node().Pos()) {
			return false
		}
	}
	guess, boxes := 0, 0
	for _, p := range pieces {
		if takesBox(s, p) {
			boxes++
		}
		guess += len(p.Text) + min(p.Longest, 8)
		if p.Arg != nil && !p.IsNumber() {
			guess += 16
		}
	}
	length := int(s.BlockSize(edit.FmtFrames))
	if length == 0 {
		length = guess
	}
	room := 8 // the least capacity of a Builder
	if strings.TrimPrefix(facts.TypeName(obj.Type()), "*") == "bytes.Buffer" {
		room = 64
	}
	steps := 0
	for ; room < length; room *= 2 {
		steps++
	}
	return boxes < min(steps, len(pieces)-1)
}

// appendable reports whether pieces can be written without allocating. A function that is called for
// an argument must not write to the available buffer of a bufio.Writer.
func appendable(s *advice.Site, target string, pieces []edit.Piece, at token.Pos) bool {
	for _, p := range pieces {
		switch buffered := target == "*bufio.Writer"; {
		case p.Hex && p.Longest == 0 && (p.Appends[0] == "" || target == "*strings.Builder"):
			return false // for a string of its own
		case p.Appends[0] == "":
		case buffered && (!s.AtLeast("1.18") || facts.EffectsOf(s.Place, p.Arg)&(facts.MayWrite|facts.ReadsBytes) != 0), !buffered && (p.Quoted || !facts.Builtins(s.Place, at, "make", "byte")):
			return false
		}
	}
	return true
}

// writeFmtPiece is the statement that writes a piece to a destination of some type. Output of
// strconv's Append functions goes to the stack, or to the available buffer of a bufio.Writer: its
// destination may be any writer, so an array would escape.
func writeFmtPiece(s *advice.Site, target, dst string, p edit.Piece) string {
	switch {
	case p.Arg == nil && len(p.Text) == 1:
		return fmt.Sprintf("%s.WriteByte(%s)", dst, edit.QuotedByte(p.Text[0]))
	case p.Arg == nil:
		return fmt.Sprintf("%s.WriteString(%s)", dst, edit.Literal(p.Text))
	case p.Rune != "":
		return fmt.Sprintf("%s.WriteRune(%s)", dst, p.Rune)
	case facts.IsBytes(s.Place, p.Arg) && !p.Hex:
		return fmt.Sprintf("%s.Write(%s)", dst, s.Source(p.Arg))
	case p.Appends[0] != "":
		room := dst + ".AvailableBuffer()"
		if target != "*bufio.Writer" && p.Longest > 0 {
			room = edit.StackBytes(edit.RoundUp(p.Longest))
		}
		return fmt.Sprintf("%s.Write(%s)", dst, p.Appends[0]+room+p.Appends[1])
	}
	return fmt.Sprintf("%s.WriteString(%s)", dst, p.Code)
}
