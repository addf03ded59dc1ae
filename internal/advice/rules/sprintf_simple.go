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
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var sprintfSimple = &advice.Rule{
	ID:    "sprintf-simple",
	Title: "package fmt puts simple values together",
	Doc: `fmt reads its format anew for each call, takes each argument as an interface, which often has to be allocated, and
finds out by reflection-like switches what it is. Strings are joined by +, and numbers made strings by strconv, in a
half to a third of the time and with one allocation. Numbers below 256 fmt takes without allocating, and of long ones it
allocates less than their text has: where a profile of memory shows either, a number and the text around it are put together
in a buffer on the stack, and more numbers than one are advice, as each would be a string of its own. So is what %q quotes,
which strconv puts together in memory of its own, and advice where that is long.

What is printed into a
strings.Builder, a bytes.Buffer or a bufio.Writer is written there piece by piece, numbers by way of the stack or of the
Writer's own room.`,
	Class:  advice.Safe,
	Frames: edit.FmtFrames,
	Gain:   2,
	Match:  matchSprintfSimple,
	Conditions: advice.Conditions{
		Offered: "all verbs are without flags and widths, of strings, numbers, booleans, []byte and values with a String method, and the " +
			"text is used as a string or goes to a strings.Builder, a bytes.Buffer, a bufio.Writer or an io.Writer",
		Review: "evaluating one argument doesn't change another one, which is used before it now, and doesn't look at what is written to; " +
			"bytes don't lie in the buffer that is written; an argument doesn't panic after a part has been written; a String method " +
			"isn't called of a nil and doesn't panic, both of which fmt survives; a WriteString method does what Write does, and what " +
			"a bufio.Writer writes to takes Write calls of other sizes",
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

func matchSprint(s *advice.Site, c advice.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
	if c.Ellipsis.IsValid() {
		return matchForwarded(s, c, suffix)
	}
	if len(c.Args) == 0 || facts.Commented(s, c.Pos(), c.End()) {
		return m, false
	}
	pieces, ok := edit.Pieces(s, printKind(suffix), c.Args, c.Pos())
	if !ok {
		if written(s, c, &m) {
			return m, true
		}
		m.Why = fmt.Sprintf("%s takes its arguments as interfaces and looks at their types and the format for each call. Append the parts to a []byte that is used again, with strconv.Append… and append, or write them to where they go at once.", edit.Short(c.Name))
		return m, s.Share(edit.FmtFrames) >= formattedMuch
	}
	if wordy(pieces) {
		return m, false
	}
	code, constant := edit.Concatenation(s, pieces)
	why := moreThanFmt(s, pieces)
	if why != "" {
		if code = edit.InBuffer(s, pieces, c.Pos()); code == "" {
			m.Why = fmt.Sprintf("%s %s. %s Append the parts to a []byte, with strconv.Append…, and make one string of it.", edit.Short(c.Name), whatFmtDoes(suffix), why)
			return m, s.Share(edit.FmtFrames) >= formattedMuch
		}
	}
	instead, ok := edit.InPlace(c.Cursor, code, constant)
	if !ok {
		return m, false
	}
	m.Edits = []advice.Edit{instead}
	m.Imports = stringImports(pieces)
	m.Class = advice.Safe
	m.Why = fmt.Sprintf("%s %s; %s makes the same string at once.", edit.Short(c.Name), whatFmtDoes(suffix), shown(code))
	switch {
	case why != "":
		m.Why = fmt.Sprintf("%s %s. %s Put together in a buffer on the stack the string is all that is allocated.", edit.Short(c.Name), whatFmtDoes(suffix), why)
	case len(edit.Merged(pieces)) == 1:
		m.Why = fmt.Sprintf("%s is called for a single value: %s is the same string.", edit.Short(c.Name), shown(code))
	}
	edit.MustCheck(&m, edit.Reviews(pieces), facts.InTurn(s, edit.StepsOf(s, pieces), nil), facts.Overtaken(s, c.Cursor, edit.StepsOf(s, pieces)))
	return m, true
}

// moreThanFmt says why joined pieces would allocate more than fmt does; "" if they don't.
func moreThanFmt(s *advice.Site, pieces []edit.Piece) string {
	numbers, others, boxes, texts, parts := 0, 0, 0, 0, edit.Merged(pieces)
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
		return "strconv.Quote would put the text together in memory of its own, and allocate more."
	case len(parts) < 2:
		return ""
	case edit.AllocatesMore(s, pieces) || unboxed(s, numbers, boxes):
		return "Numbers below 256 it takes without allocating, where strconv would make a string of each from 100 on."
	case numbers > 0 && others == 0 && text-texts > numbers*box:
		return "A number of more than eight digits is longer as a string, which strconv would make besides, than as the number that fmt allocates."
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
		return "reads its format and takes its arguments as interfaces for each call"
	}
	return "takes its arguments as interfaces and finds out what they are for each call"
}

// stringImports are the packages that code of pieces may use.
func stringImports(pieces []edit.Piece) []string {
	if slices.ContainsFunc(pieces, func(p edit.Piece) bool { return p.Arg != nil && p.Strconv }) {
		return []string{"strconv"}
	}
	return nil
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

// matchForwarded is of fmt.Sprint(args...) in a function that has its arguments from
// its callers: these often have one string.
func matchForwarded(s *advice.Site, c advice.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Title: "a string goes through package fmt"}
	if suffix == "f" || len(c.Args) != 1 {
		return m, false
	}
	args, ok := ast.Unparen(c.Args[0]).(*ast.Ident)
	if !ok || !facts.IsParameter(s, s.Info.ObjectOf(args)) {
		return m, false
	}
	name := edit.Short(c.Name)
	m.Why = fmt.Sprintf("%s looks at each of %s by its type. Where there is one and it is a string, as there is for most messages, take that before: `if len(%[2]s) == 1 { if s, ok := %[2]s[0].(string); ok { … } }`.", name, args.Name)
	ret, ok := c.Parent().Node().(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 || !facts.Builtins(s, c.Pos(), "string", "len") {
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

// written is of w.WriteString(fmt.Sprintf(…)): what can't be taken apart can be
// printed to where it goes.
func written(s *advice.Site, c advice.Call, m *advice.Match) bool {
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
		// A pointer to it in an interface has the variable allocated: one for many.
		if !facts.InLoop(c.Cursor) && facts.IsLocal(s, facts.Object(s, sel.X)) {
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
		m.Why = fmt.Sprintf("%s allocates a string that %s copies. fmt.F%s prints into it without one.", edit.Short(c.Name), s.Source(sel.X), strings.TrimPrefix(c.Name, "fmt.S"))
		edit.MustCheck(m, facts.SetMeanwhile(s, sel.X, c.Args), facts.WrittenFirst(s, sel.X, edit.FormattedSteps(s, c)), facts.SplitSeen(s, sel.X, s.Source(sel.X)))
		return true
	}
	return false
}

// matchFprint is of printing into something.
func matchFprint(s *advice.Site, c advice.Call, suffix string) (advice.Match, bool) {
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
	if len(c.Args) < 2 || c.Ellipsis.IsValid() || facts.Commented(s, c.Pos(), c.End()) {
		return m, false
	}
	w, args := c.Args[0], c.Args[1:]
	target := facts.TypeName(s.Info.TypeOf(w))
	if suffix == "f" && len(args) == 1 && s.Info.Types[args[0]].Value == nil {
		return formatOfData(s, c, &m)
	}
	pieces, ok := edit.Pieces(s, printKind(suffix), args, c.Pos())
	dst, simple := facts.Receiver(s, w)
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
		if len(pieces) == 0 || !appendable(s, target, pieces, c.Pos()) || growsMore(s, c.Cursor, facts.RootOf(s, w), pieces) || facts.SeesItself(s, w, edit.StepsOf(s, pieces)) {
			return m, false
		}
		m.Class = advice.Safe
		var lines []string
		for _, p := range pieces {
			lines = append(lines, writeFmtPiece(s, target, dst, p))
		}
		code := strings.Join(lines, "\n")
		m.Edits = []advice.Edit{edit.Replace(stmt, code)}
		m.Imports = stringImports(pieces)
		m.Why = fmt.Sprintf("%s %s: write the pieces to %s one by one.", edit.Short(c.Name), whatFmtDoes(suffix), dst)
		if len(pieces) == 1 {
			m.Why = fmt.Sprintf("%s is called for a single text: write it to %s as it is.", edit.Short(c.Name), dst)
		}
		edit.MustCheck(&m, facts.WrittenInTurn(s, edit.StepsOf(s, pieces), w, dst))
	case "io.Writer", "net/http.ResponseWriter":
		if len(pieces) != 1 || facts.Deferred(c.Cursor) { // the values may have changed by then
			return m, false
		}
		pkg, ok := facts.PackageName(s, "io", c.Pos())
		if !ok {
			return m, false
		}
		code, _ := edit.Concatenation(s, pieces)
		if p := pieces[0]; p.Arg != nil && facts.IsBytes(s, p.Arg) {
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Write(%s)", edit.Operand(w, s.Source(w)), s.Source(p.Arg)))}
		} else if facts.MayLackWriteString(s, w) {
			return m, false
		} else {
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.WriteString(%s, %s)", pkg, s.Source(w), code))}
			m.Imports = append(stringImports(pieces), "io")
		}
		m.Class = advice.Review
		m.Why = fmt.Sprintf("%s is called for a single value: write it as it is.", edit.Short(c.Name))
		if p := pieces[0]; p.Arg != nil && facts.IsBytes(s, p.Arg) {
			edit.MustCheck(&m, []string{fmt.Sprintf("that %s neither keeps nor changes the bytes that its Write is given", s.Source(w))})
		} else {
			edit.MustCheck(&m, []string{fmt.Sprintf("that a WriteString method of %s does what its Write does", s.Source(w))})
		}
	default:
		return m, false
	}
	edit.MustCheck(&m, edit.Reviews(pieces))
	return m, true
}

// formatOfData is of fmt.Fprintf(w, text), which takes what it has to write for a
// format.
func formatOfData(s *advice.Site, c advice.Call, m *advice.Match) (advice.Match, bool) {
	m.Title = "text to write is taken for a format"
	w, text := c.Args[0], c.Args[1]
	if data, _, ok := facts.Conversion(s, text); ok && facts.IsBytes(s, data) {
		dst := edit.Operand(w, s.Source(w))
		if r, ok := facts.Receiver(s, w); ok {
			dst = r
		}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Write(%s)", dst, s.Source(data)))}
		m.Why = fmt.Sprintf("%s is copied into a string, read for verbs, and copied once more; with a %% in it something else comes out. Write writes it as it is.", s.Source(data))
		edit.MustCheck(m, []string{fmt.Sprintf("that %s neither keeps nor changes the bytes that its Write is given", s.Source(w))})
	} else {
		pkg, ok := facts.PackageName(s, "io", c.Pos())
		if !ok || !types.Identical(s.Info.TypeOf(text), types.Typ[types.String]) {
			return *m, false
		}
		if facts.MayLackWriteString(s, w) {
			m.Why = fmt.Sprintf("%s is read for verbs, and with a %% in it something else comes out: write it as it is.", s.Source(text))
			return *m, true
		}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.WriteString(%s, %s)", pkg, s.Source(w), s.Source(text)))}
		m.Imports = []string{"io"}
		m.Why = fmt.Sprintf("%s is read for verbs, and with a %% in it something else comes out. io.WriteString writes it as it is.", s.Source(text))
		edit.MustCheck(m, []string{fmt.Sprintf("that a WriteString method of %s does what its Write does", s.Source(w))})
	}
	m.Class = advice.Review
	return *m, true
}

// growsMore reports whether pieces that are written to a buffer may make it allocate more often than
// fmt does in total. That holds for the first pieces in a new buffer, which grows step by step to
// their length, where fmt writes all at once and boxes its arguments.
func growsMore(s *advice.Site, c inspector.Cursor, obj types.Object, pieces []edit.Piece) bool {
	if len(pieces) < 2 || !facts.NewBuffer(s, obj) || facts.Repeated(c, obj) {
		return false
	}
	if d, ok := facts.NewlyDeclared(s, obj); ok {
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
		case p.Appends[0] == "":
		case buffered && (!s.AtLeast("1.18") || facts.EffectsOf(s, p.Arg)&(facts.MayWrite|facts.ReadsBytes) != 0), !buffered && (p.Quoted || !facts.Builtins(s, at, "make", "byte")):
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
	case facts.IsBytes(s, p.Arg) && strings.HasPrefix(p.Code, "string("):
		return fmt.Sprintf("%s.Write(%s)", dst, s.Source(p.Arg))
	case p.Appends[0] != "":
		room := dst + ".AvailableBuffer()"
		if target != "*bufio.Writer" {
			room = edit.StackBytes(edit.RoundUp(p.Longest))
		}
		return fmt.Sprintf("%s.Write(%s)", dst, p.Appends[0]+room+p.Appends[1])
	}
	return fmt.Sprintf("%s.WriteString(%s)", dst, p.Code)
}
