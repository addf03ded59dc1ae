package rules

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/regexpcode"
)

const (
	gainOfGenerated = 5 // if a generated function says yes or no
	gainOfPlaces    = 4 // if it also says where
)

// generateFunction fills in a function that takes the place of a pattern's method, and its test. The
// reason then begins with simple, if that isn't empty. If hone can't write the function, the reason says why.
func generateFunction(s *advice.Site, c code.Call, re ast.Expr, simple string, m *advice.Match) {
	method := strings.TrimPrefix(c.Name, "(*regexp.Regexp).")
	if !regexpcode.Supports(method) {
		return
	}
	r, err := replacementOf(s, c, re, method)
	if err != nil {
		m.Why += " No function is generated from the pattern: " + err.Error() + "."
		return
	}
	m.Class = advice.Review
	switch {
	case strings.HasPrefix(method, "Match"):
		m.Gain = gainOfGenerated
	case !strings.Contains(method, "All"): // what copies or collects all matches takes its time
		m.Gain = gainOfPlaces
	}
	if simple != "" {
		m.Why = simple
	}
	m.Edits = append(r.withoutCopy, edit.Replace(c.Fun, r.Name))
	if strings.HasPrefix(method, "FindAll") { // without how many
		m.Edits = append(m.Edits, advice.Edit{Pos: c.Args[0].End(), End: c.Args[1].End()})
	}
	if r.exists {
		m.Why += fmt.Sprintf(" %s, which was generated from the pattern, does the same. Check that its test passes.", r.Name)
		return
	}
	m.Imports = r.code.Imports
	m.Edits = append(m.Edits, edit.Insert(r.at, r.code.Text+"\n\n"))
	m.Adds = []advice.NewFile{{Name: r.file, Text: r.test}}
	m.Why += fmt.Sprintf(" A function generated from the pattern, %s, does the same without the regexp engine, and %s compares the two. Review the function, and fuzz it: go test -fuzz %s.", r.Name, r.Test, r.Fuzz)
}

// A replacement is a generated function in the place of a pattern.
type replacement struct {
	regexpcode.TestOptions
	code   regexpcode.Code
	exists bool      // the package has the function already
	at     token.Pos // where it goes
	file   string    // of its test
	test   string

	withoutCopy []advice.Edit // removes a local copy of the pattern's variable
}

// replacementOf generates the function for a call, or says why it can't, as the end of a sentence.
func replacementOf(s *advice.Site, c code.Call, re ast.Expr, method string) (*replacement, error) {
	variable, pattern, err := ownPattern(s, re)
	if err != nil {
		return nil, err
	}
	withoutCopy, ok := withoutUse(s, re)
	if !ok {
		return nil, fmt.Errorf("%s would be left unused", s.Source(re))
	}
	r := &replacement{TestOptions: namesFor(variable.Name(), method), withoutCopy: withoutCopy}
	if facts.Commented(s.Place, c.Pos(), c.End()) {
		return nil, errors.New("a comment is inside the call")
	}
	if err := suits(s, c, method); err != nil {
		return nil, err
	}
	if !facts.Builtins(s.Place, c.Pos(), "len", "string", "byte", "rune", "int", "bool", "true", "false", "nil") {
		return nil, errors.New("a predeclared name such as len means something else in the package")
	}
	if r.code, err = regexpcode.Generate(pattern, r.Options); err != nil {
		return nil, err
	}
	if r.exists = hasText(s, r.Name, r.code.Text); !r.exists {
		// The second round knows which names are free.
		taken := map[string]bool{}
		r.Unused = func(want string) string {
			name := s.Unused(want, c.Pos())
			for n := 2; taken[name]; n++ {
				name = s.Unused(want+fmt.Sprint(n), c.Pos())
			}
			taken[name] = true
			return name
		}
		for _, name := range []*string{&r.Name, &r.Test, &r.Texts, &r.Fuzz, &r.Compare} {
			*name = r.Unused(*name)
		}
		if r.code, err = regexpcode.Generate(pattern, r.Options); err != nil {
			return nil, err
		}
	}
	for _, path := range r.code.Imports {
		if name, ok := facts.PackageName(s.Place, path, c.Pos()); !ok {
			return nil, fmt.Errorf("%s means something else in the file", name)
		}
	}
	if r.exists {
		return r, nil
	}
	if r.at = besidePattern(s, variable); r.at == token.NoPos {
		return nil, errors.New("there is no place for it in the file")
	}
	return r, r.makeTest(s, pattern)
}

// suits checks the other arguments of a call.
func suits(s *advice.Site, c code.Call, method string) error {
	switch {
	case !strings.Contains(method, "All"):
		return nil
	case len(c.Args) != 2:
		return errors.New("its arguments come from another call")
	case strings.HasPrefix(method, "FindAll"):
		if n := s.Info.Types[c.Args[1]].Value; n == nil || constant.Sign(n) >= 0 {
			return errors.New("it may not find all matches")
		}
	case method == "ReplaceAllString":
		if with, ok := facts.ConstantText(s.Place, c.Args[1]); !ok || strings.Contains(with, "$") {
			return errors.New("the replacement may have a $")
		}
	}
	return nil
}

// ownPattern returns the variable of a pattern that only the package uses, only for matching.
func ownPattern(s *advice.Site, re ast.Expr) (*types.Var, string, error) {
	obj, ok := packageVariableOf(s, re)
	if !ok {
		return nil, "", errors.New("it isn't in a package variable")
	}
	if obj.Exported() {
		return nil, "", fmt.Errorf("another package may set %s", obj.Name())
	}
	for _, f := range s.Files {
		if facts.Assigned(s.Place, obj, f) {
			return nil, "", fmt.Errorf("%s is assigned more than once", obj.Name())
		}
	}
	call, ok := facts.PackageValue(s.Place, obj).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, "", fmt.Errorf("the value of %s isn't known", obj.Name())
	}
	switch s.Callee(call) {
	case "regexp.MustCompile":
	case "regexp.MustCompilePOSIX":
		return nil, "", errors.New("a POSIX pattern prefers the longest match")
	default:
		return nil, "", fmt.Errorf("the value of %s isn't known", obj.Name())
	}
	pattern, ok := facts.ConstantText(s.Place, call.Args[0])
	if !ok {
		return nil, "", errors.New("its text isn't constant")
	}
	for _, id := range usesOf(s, obj) {
		use, ok := s.Root().FindNode(id)
		if !ok {
			return nil, "", fmt.Errorf("a use of %s isn't known", obj.Name())
		}
		method, ok := use.Parent().Node().(*ast.SelectorExpr)
		switch {
		case !ok || !facts.CalledAtOnce(use.Parent(), method):
			return nil, "", fmt.Errorf("line %d passes %s on", s.Package.Line(id.Pos()), obj.Name())
		case method.Sel.Name == "Longest" || strings.HasPrefix(method.Sel.Name, "Unmarshal"):
			return nil, "", fmt.Errorf("line %d calls %s, which changes it", s.Package.Line(id.Pos()), method.Sel.Name)
		}
	}
	return obj, pattern, nil
}

// packageVariableOf returns the package variable that an expression is, itself or through a local copy.
func packageVariableOf(s *advice.Site, e ast.Expr) (*types.Var, bool) {
	v, ok := facts.Object(s.Place, e).(*types.Var)
	if !ok || v.Parent() == s.Types.Scope() {
		return v, ok
	}
	c, ok := copyOf(s, v)
	return c.of, ok
}

// withoutUse are the edits that remove a local copy of a package variable when a rewrite takes away one of its
// uses. ok is false if the copy would be left unused.
func withoutUse(s *advice.Site, use ast.Expr) (edits []advice.Edit, ok bool) {
	c, ok := copyOf(s, facts.Object(s.Place, use))
	if !ok {
		return nil, true
	}
	return c.without(s, use)
}

// usesOf are the uses of a package variable, including those of its local copies.
func usesOf(s *advice.Site, v *types.Var) []*ast.Ident {
	var uses []*ast.Ident
	for _, id := range s.Uses(v) {
		local := copiedTo(s, id)
		if local == nil {
			uses = append(uses, id)
			continue
		}
		uses = append(uses, s.Uses(local)...)
	}
	return uses
}

// copiedTo returns the local variable that a use of a package variable is the value of.
func copiedTo(s *advice.Site, use *ast.Ident) types.Object {
	c, ok := s.Root().FindNode(use)
	if !ok {
		return nil
	}
	for _, obj := range declaredBy(s, facts.WithParens(c).Parent().Node()) {
		if made, ok := copyOf(s, obj); ok && made.value.Node() == use {
			return obj
		}
	}
	return nil
}

// namesFor are names for what is generated, after the variable of the pattern: matchVersion for version,
// versionRE or reVersion.
func namesFor(variable, method string) (o regexpcode.TestOptions) {
	stem := variable
	for _, ending := range []string{"Regexp", "RegExp", "Regex", "Pattern", "RE", "Re", "Rx", "_re", "_regexp", "_regex"} {
		if short, ok := strings.CutSuffix(stem, ending); ok && short != "" {
			stem = short
			break
		}
	}
	for _, start := range []string{"regexp", "regex", "pattern", "re", "rx"} {
		if short, ok := strings.CutPrefix(stem, start); ok && short != "" && strings.ToLower(short[:1]) != short[:1] || ok && strings.HasPrefix(short, "_") && len(short) > 1 {
			stem = strings.TrimPrefix(short, "_")
			break
		}
	}
	if stem == "re" || stem == "rx" || stem == "regex" || stem == "regexp" || stem == "" {
		stem = "pattern"
	}
	stem = upperFirst(stem)
	about := stem // what the names of tests begin with
	verb, what := "match", strings.TrimPrefix(method, "Match")
	for _, start := range []string{"FindAll", "Find", "ReplaceAllLiteral", "ReplaceAll"} {
		if rest, ok := strings.CutPrefix(method, start); ok {
			verb, what = strings.TrimSuffix(edit.LowerFirst(start), "Literal"), rest
			break
		}
	}
	bytes := !strings.HasPrefix(what, "String")
	o.Name = verb + stem + strings.TrimPrefix(what, "String")
	if bytes {
		o.Name += "Bytes"
		about += "Bytes"
	}
	if verb != "match" {
		about = upperFirst(o.Name)
	}
	o.Pattern, o.Method = variable, method
	o.Test, o.Fuzz = "Test"+about+"MatchesItsPattern", "Fuzz"+about+"MatchesItsPattern"
	o.Texts, o.Compare = o.Name+"Texts", "compare"+upperFirst(o.Name)
	return o
}

func upperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// besidePattern returns where a function goes: below the declaration of the pattern, or else, if that is
// in another file, above the function that uses it.
func besidePattern(s *advice.Site, variable *types.Var) token.Pos {
	for _, d := range s.File.Decls {
		if variable.Pos() < d.Pos() || d.End() <= variable.Pos() {
			continue
		}
		tf := s.Fset.File(d.Pos())
		line := tf.Line(d.End()) + 1
		if line > tf.LineCount() {
			break
		}
		at := tf.LineStart(line)
		for _, other := range s.File.Decls {
			if other.Pos() < at && at < other.End() {
				return token.NoPos
			}
		}
		return at
	}
	if s.Decl == nil {
		return token.NoPos
	}
	if s.Decl.Doc != nil {
		return s.Decl.Doc.Pos()
	}
	return s.Decl.Pos()
}

// makeTest writes the test of a function.
func (r *replacement) makeTest(s *advice.Site, pattern string) (err error) {
	if !s.AtLeast("1.18") {
		return errors.New("its fuzz test needs go 1.18 in go.mod")
	}
	name := s.Fset.File(s.File.FileStart).Name()
	// A system that doesn't exist builds only files that any system does.
	anywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	if always, err := anywhere.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !always {
		return errors.New("the name of its file says that only some systems build it")
	}
	for _, g := range s.File.Comments {
		for _, comment := range g.List {
			if comment.Pos() < s.File.Package && strings.HasPrefix(comment.Text, "//go:build ") {
				r.Build = comment.Text
			}
		}
	}
	r.file = strings.ToLower(r.Name) + "_pattern_test.go"
	for n := 2; ; n++ {
		_, err := os.Lstat(filepath.Join(filepath.Dir(name), r.file))
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil || n > 100 {
			return errors.New("there is no name for the file of its test")
		}
		r.file = fmt.Sprintf("%s%d_pattern_test.go", strings.ToLower(r.Name), n)
	}
	r.Package = s.Types.Name()
	r.test, err = regexpcode.TestFile(pattern, r.TestOptions)
	return err
}

// hasText reports whether the package declares a function with a text.
func hasText(s *advice.Site, name, text string) bool {
	f, ok := s.Types.Scope().Lookup(name).(*types.Func)
	if !ok {
		return false
	}
	file := s.Fset.File(f.Pos())
	return file != nil && strings.Contains(string(s.Texts[file.Name()]), text)
}
