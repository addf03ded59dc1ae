package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var errorFormatted = &advice.Rule{
	ID:    "error-formatted",
	Title: "an error message is formatted even if no one reads it",
	Doc: `fmt.Errorf formats the message when the error is created, and errors.New needs the whole text. If errors are part of
normal work, as with invalid input, most are compared or counted and never printed. An error type that keeps the values
in fields, and formats them in its Error method, costs one allocation. Callers can then also read the values.

The rewrite adds such a type above the function. The message, what the error wraps, and the result of errors.Is and
errors.As stay the same. Only its type changes, which is why you review the rewrite. The rule reports errors that take a
tenth of the time or of all allocations; it doesn't report errors that are created once.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^fmt\.(Errorf|Sprintf)$|^errors\.New$|^runtime\.concatstring`),
	Gain:   3,
	Match:  matchErrorFormatted,
	Conditions: advice.Conditions{
		Offered: "the format, if there is one, is constant; the error is returned or assigned; all values are numbers, strings, booleans, []byte, structs and " +
			"arrays of these, types, or errors; no String method reads or writes what may change",
		Review: "no code depends on the type of the error, as %T and %#v do; the text of a wrapped error doesn't change, and the error " +
			"isn't nil; evaluating one value doesn't change another",
	},
}

var (
	errorfFrames = lazyregexp.New(`^fmt\.Errorf$`)
	// errorTextFrames are those of errors.New(fmt.Sprintf(…)) and errors.New(a + b).
	errorTextFrames = lazyregexp.New(`^errors\.New$|^fmt\.Sprintf$|^runtime\.concatstring`)
)

// gainOfErrorText is the gain where the message is only put together with +.
const gainOfErrorText = 1.5

func matchErrorFormatted(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Errorf", "errors.New") {
		e, ok := messageOf(s, c)
		if !ok || s.Share(e.frames) < 0.1 || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		switch c.Parent().Node().(type) {
		case *ast.ReturnStmt, *ast.AssignStmt:
		default:
			continue // its message is read at once
		}
		var values []string
		for _, arg := range e.values {
			values = append(values, s.Source(arg))
		}
		list := strings.Join(values, ", ")
		if !edit.OneLine(list) {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Frames: e.frames, Gain: e.gain}
		m.Why = fmt.Sprintf("%s %s for each error, even if the message is never read. An error type with %s in fields formats only when Error is called.", e.by, list, list)
		addErrorType(s, c, &e, &m)
		matches = append(matches, m)
	}
	return matches
}

// A message is what the text of a new error is made of.
type message struct {
	by     string     // what makes it, as the start of a sentence
	pkg    ast.Expr   // package fmt; nil for a sum of strings
	format string     // with pkg
	text   ast.Expr   // the format as it is written
	values []ast.Expr // arguments of the format, or operands
	frames *lazyregexp.Regexp
	gain   float64
}

// messageOf reads fmt.Errorf(format, …), errors.New(fmt.Sprintf(format, …)) and errors.New(a + b).
func messageOf(s *advice.Site, c code.Call) (e message, ok bool) {
	call := c.CallExpr
	e.by, e.frames = "fmt.Errorf formats", errorfFrames
	if c.Name == "errors.New" {
		e.frames = errorTextFrames
		switch arg := ast.Unparen(c.Args[0]).(type) {
		case *ast.BinaryExpr:
			e.by, e.gain, e.values = "The concatenation copies", gainOfErrorText, facts.Operands(s.Place, arg)
			return e, len(e.values) > 1
		case *ast.CallExpr:
			if s.Callee(arg) != "fmt.Sprintf" {
				return e, false
			}
			call, e.by = arg, "fmt.Sprintf formats"
		default:
			return e, false
		}
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return e, false
	}
	e.pkg, e.text, e.values = fun.X, call.Args[0], call.Args[1:]
	e.format, ok = facts.ConstantText(s.Place, e.text)
	return e, ok
}

// A messageType is the error type that a rewrite adds.
type messageType struct {
	*advice.Site
	fields  []string // their declarations
	sized   bool     // there is a field whose size isn't 0
	given   []string // fields with their values
	message []string // the values of the message in the Error method
	wrapped string   // the field that Unwrap returns
	check   []string
	steps   []facts.Step
}

// addErrorType fills in the rewrite of a new error to an error type, if there is one.
func addErrorType(s *advice.Site, c code.Call, e *message, m *advice.Match) {
	if s.Decl == nil || facts.Commented(s.Place, c.Pos(), c.End()) || !facts.InBlock(c.Parent()) {
		return
	}
	verbs, plain, ok := errorVerbs(e.format)
	if e.pkg == nil {
		verbs = []byte(strings.Repeat("s", len(e.values)))
	}
	if !ok || len(verbs) != len(e.values) || strings.Count(string(verbs), "w") > 1 || c.Name == "errors.New" && slices.Contains(verbs, 'w') {
		return
	}
	t := &messageType{Site: s, check: []string{"that no code depends on the type of the error, as %T and %#v do"}}
	receiver := "e"
	if slices.ContainsFunc(c.Args, func(a ast.Expr) bool { return facts.UsesName(a, receiver) }) {
		receiver = "failure"
	}
	for i, arg := range e.values {
		if !t.add(c, arg, verbs[i], receiver) {
			return
		}
	}
	if !t.sized { // pointers to structs without a size may be equal
		return
	}
	t.check = append(t.check, changedByOthers(s, e.values)...)
	create := "&%s{%s}"
	if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok && assign.Tok == token.DEFINE { // a variable of type error
		if create = "error(&%s{%s})"; !facts.Builtins(s.Place, c.Pos(), "error") {
			return
		}
	}
	if !facts.Builtins(s.Place, s.Decl.Pos(), "error") || !facts.Builtins(s.Place, c.Pos(), "string") {
		return
	}
	var text, words string
	if e.pkg == nil {
		text = strings.Join(t.message, " + ")
		for _, v := range e.values {
			constant, _ := facts.ConstantText(s.Place, v)
			words += constant + " "
		}
	} else {
		text, words = s.Source(e.text), withoutVerbs(e.format)
		if _, literal := e.text.(*ast.BasicLit); !literal || plain != e.format {
			text = edit.Literal(plain)
		}
		text = fmt.Sprintf("%s.Sprintf(%s, %s)", s.Source(e.pkg), text, strings.Join(t.message, ", "))
	}
	name := s.Unused(errorTypeName(s, words), c.Pos())
	decl := fmt.Sprintf("// %s makes its message when Error is called.\ntype %[1]s struct {\n%[2]s\n}\n\nfunc (%[3]s *%[1]s) Error() string {\nreturn %[4]s\n}",
		name, strings.Join(t.fields, "\n"), receiver, text)
	if t.wrapped != "" {
		decl += fmt.Sprintf("\n\nfunc (%s *%s) Unwrap() error { return %[1]s.%[3]s }", receiver, name, t.wrapped)
	}
	m.Edits = []advice.Edit{
		edit.BeforeDecl(s, decl),
		edit.Replace(c.CallExpr, fmt.Sprintf(create, name, strings.Join(t.given, ", "))),
	}
	m.Class = advice.Review
	edit.MustCheck(m, t.check, facts.Overtaken(s.Place, c.Cursor, t.steps))
}

// add adds a value that a verb formats. It returns false if the value can't be kept until Error is
// called.
func (t *messageType) add(c code.Call, arg ast.Expr, verb byte, receiver string) bool {
	s := t.Site
	typ, value := types.Default(s.Info.TypeOf(arg)), s.Source(arg)
	changes := facts.Formatting(s.Place, typ)&(facts.MayWrite|facts.MayRead|facts.ReadsBytes) != 0
	if s.Info.Types[arg].Value != nil && facts.AtPackageLevel(s.Place, arg) {
		t.message = append(t.message, value)
		return verb != 'w' && !changes
	}
	errorType := types.Universe.Lookup("error").Type()
	switch {
	case types.Implements(typ, errorType.Underlying().(*types.Interface)) && strings.IndexByte("wvs", verb) >= 0:
		if verb == 'w' && types.IsInterface(typ) && !knownError(s, c, arg) {
			t.check = append(t.check, fmt.Sprintf("that %s is never nil", value))
		}
		typ = errorType
		t.check = append(t.check, fmt.Sprintf("that the text of %s doesn't change: its Error method is now called later, if at all", value))
	case verb == 'w':
		return false
	case sameText[facts.TypeName(typ)]:
	case facts.IsBytes(s.Place, arg) && facts.PlainBytes(typ) && strings.IndexByte("sqxX", verb) >= 0:
		if types.NewMethodSet(typ).Len() > 0 {
			return false
		}
		typ, value = types.Typ[types.String], "string("+value+")"
	case !facts.PointerFree(typ) || changes:
		return false
	}
	text, ok := facts.TypeText(s.Place, typ, s.Decl.Pos())
	if !ok {
		return false
	}
	field := t.field(arg, typ)
	if verb == 'w' {
		t.wrapped = field
	}
	t.fields = append(t.fields, field+" "+text)
	if size, ok := facts.SizeOf(typ); ok && size > 0 {
		t.sized = true
	}
	t.given = append(t.given, field+": "+value)
	t.message = append(t.message, receiver+"."+field)
	t.steps = append(t.steps, facts.Step{Expr: arg, Contents: true})
	return true
}

// sameText are types of the standard library whose values never change and always have the same text,
// although facts doesn't see into their String methods.
var sameText = map[string]bool{"reflect.Type": true, "reflect.Kind": true, "io/fs.FileMode": true}

// field is an unused name for a field with a value.
func (t *messageType) field(arg ast.Expr, typ types.Type) string {
	name := "value"
	switch e := ast.Unparen(arg).(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	case *ast.CallExpr:
		if t.Callee(e) == "len" {
			name = "length"
		}
	}
	if name = edit.LowerFirst(name); token.IsKeyword(name) {
		name += "Value"
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(t.fields, func(f string) bool { return strings.HasPrefix(f, name+" ") })
	}
	unused := name
	for i := 2; taken(unused); i++ {
		unused = fmt.Sprint(name, i)
	}
	return unused
}

// errorVerbs returns the verb of each argument of a format, and the format with %v for %w, which
// Sprintf doesn't know. ok is false if the format numbers its arguments or takes widths from them.
func errorVerbs(format string) (verbs []byte, plain string, ok bool) {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(format, "%")
		b.WriteString(text)
		if !found {
			return verbs, b.String(), true
		}
		after := strings.TrimLeft(rest, "+-# 0123456789.")
		if after == "" || !unicode.IsLetter(rune(after[0])) && after[0] != '%' || after[0] >= 0x80 {
			return nil, "", false
		}
		flags, verb := rest[:len(rest)-len(after)], after[0]
		format = after[1:]
		switch {
		case verb != '%':
			verbs = append(verbs, verb)
		case flags != "":
			return nil, "", false
		}
		if verb == 'w' {
			verb = 'v'
		}
		b.WriteString("%" + flags + string(verb))
	}
}

// knownError reports whether a call is in a branch for which an error isn't nil.
func knownError(s *advice.Site, c code.Call, e ast.Expr) bool {
	v := facts.Object(s.Place, e)
	if v == nil || !facts.Private(s.Place, v) {
		return false
	}
	inside := c.Cursor
	for outer := range c.Cursor.Enclosing((*ast.IfStmt)(nil), (*ast.FuncLit)(nil)) {
		branch, ok := outer.Node().(*ast.IfStmt)
		if !ok {
			return false
		}
		if facts.Within(branch.Body, inside.Node().Pos()) && impliesError(s, branch.Cond, v) && !facts.Assigned(s.Place, v, branch.Body) {
			return true
		}
	}
	return false
}

// impliesError reports whether a condition implies v != nil.
func impliesError(s *advice.Site, cond ast.Expr, v types.Object) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	switch {
	case !ok:
		return false
	case b.Op == token.LAND:
		return impliesError(s, b.X, v) || impliesError(s, b.Y, v)
	}
	return b.Op == token.NEQ && (facts.Object(s.Place, b.X) == v && s.Info.Types[b.Y].IsNil() || facts.Object(s.Place, b.Y) == v && s.Info.Types[b.X].IsNil())
}

// changedByOthers returns what to check if values go to fields instead of arguments: the language
// doesn't say whether a variable is read before or after a call in another value.
func changedByOthers(s *advice.Site, values []ast.Expr) (check []string) {
	for i, e := range values {
		for j, other := range values {
			does := facts.CallsIn(s.Place, other)
			if i == j || len(does) == 0 {
				continue
			}
			if !facts.UnchangedBy(s.Place, e, true, facts.Change{Code: does}) {
				check = append(check, fmt.Sprintf("that %s doesn't change %s", s.Source(other), s.Source(e)))
			}
			if facts.PanicsBeside(s.Place, e) != 0 && facts.EffectsOf(s.Place, does...)&(facts.MayWrite|facts.MayPanic) != 0 {
				check = append(check, fmt.Sprintf("that %s doesn't panic: %s may now be evaluated first", s.Source(e), s.Source(other)))
			}
		}
	}
	return check
}

// withoutVerbs is the text of a format.
func withoutVerbs(format string) string {
	var b strings.Builder
	for format != "" {
		text, rest, _ := strings.Cut(format, "%")
		b.WriteString(text + " ")
		format = strings.TrimLeft(rest, "+-# 0123456789.")
		if format != "" {
			format = format[1:]
		}
	}
	return b.String()
}

// errorTypeName makes a name for an error type from the first words of a message after the package's
// name, or else from the function's name.
func errorTypeName(s *advice.Site, text string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "'", ""), func(r rune) bool { return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) > 1 && words[0] == s.Types.Name() || len(words) > 0 && !unicode.IsLetter(rune(words[0][0])) {
		words = words[1:]
	}
	if len(words) == 0 || !unicode.IsLetter(rune(words[0][0])) {
		return edit.LowerFirst(s.Decl.Name.Name) + "Error"
	}
	name := strings.ToLower(words[0])
	for _, w := range words[1:min(3, len(words))] {
		name += strings.ToUpper(w[:1]) + w[1:]
	}
	if name = strings.TrimSuffix(strings.TrimSuffix(name, "Error"), "error"); name == "" {
		name = "message"
	}
	return name + "Error"
}
