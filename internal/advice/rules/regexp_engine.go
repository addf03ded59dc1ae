package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var regexpEngine = &advice.Rule{
	ID:    "regexp-engine",
	Title: "matching a regular expression takes much of the time",
	Doc: `Go's regular expressions take linear time for any pattern, at ten to a hundred nanoseconds per byte. Simple patterns
have equivalents in package strings, or in a loop of a few lines, that are several times as fast: strings.Contains for a
fixed text, strings.HasPrefix for one at the start, and strings.FieldsFunc, strings.Fields or a loop over the bytes for
repeated characters of a set.

If you need the pattern, three things help: first check with strings.Contains for a text that every match must contain;
use patterns without captures, or with (?:…); and use MatchString if you don't need the match itself.

A fixed text that is only matched becomes a call of package strings or a comparison; the variable may become unused. Other
patterns become a function, and the variable keeps the pattern. Match and MatchString need an automaton of at most 32
states. For Find, FindIndex, FindSubmatch, FindAllString and ReplaceAllString, the next character must decide at each
choice. A test and a fuzz target come with the function and compare it with the pattern. If hone can't write the function, the
finding says why.

A match must take a tenth of the time of a benchmark or program to be reported.`,
	Class:  advice.Safe,
	Frames: engineFrames,
	Gain:   2,
	Match:  matchRegexpEngine,
	Conditions: advice.Conditions{
		Offered: "a package variable that isn't exported, set again or passed on has a constant pattern; " +
			"the method is Match, Find, FindAllString, ReplaceAllString or a variant of them",
		Review: "no function is generated; later calls in the statement don't change the text, and evaluating it doesn't panic",
	},
}

const gainOfLoop = 2 // if a loop replaces the pattern

var engineFrames = lazyregexp.New(`^regexp\.\(\*Regexp\)\.`)

func matchRegexpEngine(s *advice.Site) []advice.Match {
	if s.Share(engineFrames) < 0.1 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls() {
		method, ok := strings.CutPrefix(c.Name, "(*regexp.Regexp).")
		if !ok || !strings.HasPrefix(method, "Match") && !strings.HasPrefix(method, "Find") && !strings.HasPrefix(method, "Replace") && method != "Split" {
			continue
		}
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		m := advice.Match{Node: c.CallExpr}
		name := s.Source(sel.X)
		if !edit.OneLine(name) {
			name = "this pattern"
		}
		pattern, seen := patternOf(s, sel.X)
		instead := ""
		if seen {
			instead = simplerThan(pattern, method)
		}
		switch {
		case instead != "":
			m.Why = fmt.Sprintf("%s is %s: %s.", name, edit.Quoted(pattern), instead)
			findText(s, c, sel.X, pattern, &m)
		case seen:
			m.Why = engineRuns(name, pattern) + " Replace it with a loop, or first check for a text that every match contains."
			m.Gain = gainOfLoop
		default:
			m.Why = fmt.Sprintf("The regexp engine runs %s step by step. If the pattern is a fixed text or a set of characters, use strings.Contains, HasPrefix, FieldsFunc or a loop; otherwise first check for a text that every match contains.", name)
			m.Gain = gainOfLoop
		}
		if m.Edits == nil {
			simple := ""
			if instead == "" {
				simple = engineRuns(name, pattern)
			}
			generateFunction(s, c, sel.X, simple, &m)
		}
		matches = append(matches, m)
	}
	return matches
}

// engineRuns says what the engine does with a pattern: one that begins with ^ is tried only at the start.
func engineRuns(name, pattern string) string {
	if anchored(pattern) {
		return fmt.Sprintf("The regexp engine runs %s, %s, step by step.", name, edit.Quoted(pattern))
	}
	return fmt.Sprintf("The regexp engine tries %s, %s, at every byte.", name, edit.Quoted(pattern))
}

// anchored reports whether a pattern matches only at the start of a text.
func anchored(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	prog, err := syntax.Compile(re.Simplify())
	return err == nil && prog.StartCond()&syntax.EmptyBeginText != 0
}

// patternOf returns the constant that a pattern was compiled from, if it is in the expression itself
// or in the declaration of the variable, or of the package variable that it copies.
func patternOf(s *advice.Site, e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		switch s.Callee(call) {
		case "regexp.MustCompile", "regexp.Compile":
			return facts.ConstantText(s.Place, call.Args[0])
		}
		return "", false
	}
	obj, ok := facts.Object(s.Place, e).(*types.Var)
	if !ok {
		return "", false
	}
	if obj.Parent() == s.Types.Scope() {
		if slices.ContainsFunc(s.Files, func(f *ast.File) bool { return facts.Assigned(s.Place, obj, f) }) {
			return "", false
		}
		return patternOf(s, facts.PackageValue(s.Place, obj))
	}
	if c, ok := copyOf(s, obj); ok {
		return patternOf(s, c.value.Node().(ast.Expr))
	}
	if !facts.IsLocal(s.Place, obj) || !setOnce(s, obj) {
		return "", false
	}
	if value, ok := facts.Definition(s.Place, obj); ok {
		if _, call := value.Node().(*ast.CallExpr); call {
			return patternOf(s, value.Node().(ast.Expr))
		}
	}
	return "", false
}

// setOnce reports whether a variable is set at most once, to an expression.
func setOnce(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok {
		return false
	}
	n := 0
	for value := range facts.ValuesOf(s.Place, v) {
		if n++; value == nil || n > 1 {
			return false
		}
	}
	return true
}

// findText fills in code that looks for a fixed text without a pattern. Invalid UTF-8 makes no
// difference: a valid text starts with a byte that doesn't occur inside other characters.
func findText(s *advice.Site, c code.Call, re ast.Expr, pattern string, m *advice.Match) {
	if _, _, err := ownPattern(s, re); err != nil || facts.Commented(s.Place, c.Pos(), c.End()) {
		return
	}
	withoutCopy, ok := withoutUse(s, re)
	if !ok {
		return
	}
	parts, begins, ends := partsOf(pattern)
	if len(parts) != 1 || parts[0].Op != syntax.OpLiteral || parts[0].Flags&syntax.FoldCase != 0 || slices.Contains(parts[0].Rune, utf8.RuneError) || !isValidText(parts[0].Rune) {
		return
	}
	text, within, path := strconv.Quote(string(parts[0].Rune)), s.Source(c.Args[0]), "strings"
	switch c.Name {
	case "(*regexp.Regexp).MatchString":
	case "(*regexp.Regexp).Match":
		path = "bytes"
	default:
		return
	}
	pkg, imported := facts.PackageName(s.Place, path, c.Pos())
	if begins && ends {
		if path == "bytes" {
			within = "string(" + within + ")"
		}
		m.Edits = append(withoutCopy, edit.Replace(c.CallExpr, fmt.Sprintf("(%s == %s)", within, text)))
		m.Class = advice.Safe
		edit.MustCheck(m, facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: c.Args[0], Contents: true}}))
		return
	}
	if !imported {
		return
	}
	if path == "bytes" {
		text = "[]byte(" + text + ")"
	}
	find := "Contains"
	switch {
	case begins:
		find = "HasPrefix"
	case ends:
		find = "HasSuffix"
	}
	m.Edits, m.Imports = append(withoutCopy, edit.Replace(c.CallExpr, fmt.Sprintf("%s.%s(%s, %s)", pkg, find, within, text))), []string{path}
}

// isValidText reports whether a text can have all characters of a pattern. No text has a surrogate.
func isValidText(runes []rune) bool {
	return !slices.ContainsFunc(runes, func(r rune) bool { return !utf8.ValidRune(r) })
}

// partsOf returns the parts of a pattern in sequence, between the beginning and the end of the text if
// it is anchored.
func partsOf(pattern string) (parts []*syntax.Regexp, begins, ends bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false, false
	}
	re = re.Simplify()
	parts = []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		begins, parts = true, parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1].Op == syntax.OpEndText {
		ends, parts = true, parts[:n-1]
	}
	return parts, begins, ends
}

// simplerThan says what replaces a pattern; "" if nothing short does.
func simplerThan(pattern, method string) string {
	parts, begins, ends := partsOf(pattern)
	if len(parts) != 1 {
		if prefix := requiredText(parts); len([]rune(prefix)) >= 3 {
			return fmt.Sprintf("every match contains %q, so check with strings.Contains first", prefix)
		}
		return ""
	}
	part := parts[0]
	switch part.Op {
	case syntax.OpLiteral:
		if part.Flags&syntax.FoldCase != 0 || !isValidText(part.Rune) {
			return "" // strings.EqualFold is only part of it
		}
		return fixedText(string(part.Rune), method, begins, ends)
	case syntax.OpPlus, syntax.OpStar:
		if len(part.Sub) == 1 && (part.Sub[0].Op == syntax.OpCharClass || part.Sub[0].Op == syntax.OpLiteral && len(part.Sub[0].Rune) == 1) {
			return repeatedSet(part, method, begins, ends)
		}
	case syntax.OpCharClass:
		if strings.HasPrefix(method, "Match") && !begins && !ends {
			return "strings.ContainsFunc, or strings.ContainsAny with its characters, does the same"
		}
		if strings.HasPrefix(method, "Replace") && !begins && !ends {
			return "strings.Map, or a loop that appends to a []byte, replaces single characters"
		}
	}
	return ""
}

// fixedText says what finds a constant text.
func fixedText(text, method string, begins, ends bool) string {
	switch {
	case begins && ends:
		return fmt.Sprintf("a comparison with %q does the same", text)
	case begins:
		return fmt.Sprintf("strings.HasPrefix or strings.CutPrefix with %q does the same", text)
	case ends:
		return fmt.Sprintf("strings.HasSuffix or strings.CutSuffix with %q does the same", text)
	case strings.HasPrefix(method, "Match"):
		return fmt.Sprintf("strings.Contains with %q does the same", text)
	case method == "ReplaceAllLiteral" || method == "ReplaceAllLiteralString":
		return fmt.Sprintf("strings.ReplaceAll with %q does the same", text)
	case method == "ReplaceAll" || method == "ReplaceAllString":
		return fmt.Sprintf("strings.ReplaceAll with %q does the same if the replacement has no $", text)
	case method == "Split":
		return fmt.Sprintf("strings.Split by %q does the same", text)
	}
	return fmt.Sprintf("strings.Index and strings.Count find %q without a pattern", text)
}

// repeatedSet says what finds runs of characters of a set.
func repeatedSet(part *syntax.Regexp, method string, begins, ends bool) string {
	set := part.Sub[0].String()
	if set == `[\t\n\f\r ]` {
		set = "white space"
		if part.Op == syntax.OpPlus && !begins && !ends && (method == "Split" || strings.HasPrefix(method, "Replace")) {
			return "strings.Fields splits a text at white space, including that of Unicode"
		}
	}
	switch {
	case begins && ends:
		return fmt.Sprintf("a loop that checks whether each character is in %s does the same", set)
	case begins || ends:
		return fmt.Sprintf("strings.TrimLeftFunc, strings.TrimRightFunc, or an index that advances while characters are in %s, do the same", set)
	case part.Op == syntax.OpStar:
		return ""
	case strings.HasPrefix(method, "Match"):
		return fmt.Sprintf("strings.ContainsFunc with a check for %s does the same", set)
	case strings.HasPrefix(method, "Replace"):
		return fmt.Sprintf("a loop that appends to a []byte and remembers whether the last character was in %s does the same", set)
	}
	return fmt.Sprintf("strings.FieldsFunc that splits at characters outside of %s, or a loop over the bytes, does the same", set)
}

// requiredText returns the longest text that every match of a sequence of parts contains.
func requiredText(parts []*syntax.Regexp) string {
	longest := ""
	for _, p := range parts {
		if p.Op == syntax.OpCapture {
			p = p.Sub[0]
		}
		if p.Op == syntax.OpLiteral && p.Flags&syntax.FoldCase == 0 && isValidText(p.Rune) && len(string(p.Rune)) > len(longest) {
			longest = string(p.Rune)
		}
	}
	return longest
}
