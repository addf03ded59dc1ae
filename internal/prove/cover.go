package prove

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/srcfind"
)

// A Function is one that a candidate changes, and what tests execute of it.
type Function struct {
	Package string `json:"package"`
	Name    string `json:"name"` // "Sum", "(*Parser).Next"
	File    string `json:"file"` // from the top of the repository
	Line    int    `json:"line"`
	// Changed is the number of statements that changed; 0 if some were only removed.
	// Executed is how many of these tests execute.
	Changed  int `json:"changed"`
	Executed int `json:"executed"`
	// Called reports whether tests execute any of its statements.
	Called bool `json:"called"`
	// NotExecuted are the lines of changed statements that no test executes.
	NotExecuted []int `json:"notExecuted,omitempty"`

	first, last position   // of its body
	changed     []position // where the statements that changed begin
}

type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// lines are those of a candidate's file that are new or changed, and those before which some
// were removed.
type lines struct{ changed, removed map[int]bool }

// hunkLines matches the head of a hunk without context.
var hunkLines = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// changedLines are the lines of a candidate's file that changed.
func (c *scratchCopy) changedLines(ctx context.Context, of *candidate, file string) (lines, error) {
	l := lines{make(map[int]bool), make(map[int]bool)}
	text, err := c.git(ctx, nil, nil, "diff", "--unified=0", "--no-renames", "--text", c.Base, of.tree, "--", ":(top,literal)"+file)
	if err != nil {
		return l, err
	}
	for line := range strings.Lines(text) {
		m := hunkLines.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		switch n, _ := strconv.Atoi(m[2]); {
		case m[2] == "":
			l.changed[first] = true
		case n == 0:
			l.removed[first+1] = true
		default:
			for i := range n {
				l.changed[first+i] = true
			}
		}
	}
	return l, nil
}

// changedFunctions lists the functions of a candidate, which is checked out, that changed,
// except for those of tests. elsewhere reports whether other declarations changed, too.
func (c *scratchCopy) changedFunctions(ctx context.Context, of *candidate, a *affected) (functions []Function, elsewhere bool, err error) {
	elsewhere = !a.onlyGo
	for _, f := range of.files {
		if path.Ext(f.path) != ".go" || isTest(f.path) || !strings.HasPrefix(f.path, c.prefix) {
			continue
		}
		if f.status == "D" {
			elsewhere = true
			continue
		}
		name := filepath.Join(c.Side.Top, filepath.FromSlash(f.path))
		i := slices.IndexFunc(a.changed, func(p listed) bool {
			return p.Dir == filepath.Dir(name) && slices.Contains(p.GoFiles, filepath.Base(name))
		})
		if i < 0 {
			continue // not built here
		}
		l, err := c.changedLines(ctx, of, f.path)
		if err != nil {
			return nil, false, err
		}
		text, err := infile.ReadFile(ctx, name, infile.MaxSource)
		if err != nil {
			return nil, false, err
		}
		found, more, err := functionsOf(text, l)
		if err != nil {
			return nil, false, err
		}
		for n := range found {
			found[n].Package, found[n].File = a.changed[i].ImportPath, f.path
		}
		functions, elsewhere = append(functions, found...), elsewhere || more
	}
	return functions, elsewhere, nil
}

// functionsOf are the functions of a text in which lines changed, and whether something besides
// them did.
func functionsOf(text []byte, l lines) (functions []Function, elsewhere bool, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, false, err
	}
	at := func(p token.Pos) position { q := fset.Position(p); return position{q.Line, q.Column} }
	inside := make(map[int]bool)
	comment := make(map[int]bool)
	for _, group := range file.Comments {
		for line := at(group.Pos()).line; line <= at(group.End()).line; line++ {
			comment[line] = true
		}
	}
	for _, d := range file.Decls {
		first, last := at(d.Pos()).line, at(d.End()).line
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for line := first; line <= last; line++ {
				inside[line] = true // their use is elsewhere
			}
		}
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		touched := false
		for line := first; line <= last; line++ {
			inside[line] = true
			touched = touched || l.changed[line] && !onlyComment(text, comment, line) || line > first && l.removed[line]
		}
		if !touched {
			continue
		}
		one := Function{Name: srcfind.FuncName(f), Line: first, first: at(f.Body.Lbrace), last: at(f.Body.Rbrace)}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.BlockStmt, *ast.LabeledStmt, *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt:
			case ast.Stmt:
				if p := at(s.Pos()); changedIn(l, p.line, lastLine(s, at)) {
					one.changed = append(one.changed, p)
				}
			}
			return true
		})
		one.Changed = len(one.changed)
		functions = append(functions, one)
	}
	for line := range l.changed {
		elsewhere = elsewhere || !inside[line] && !onlyComment(text, comment, line)
	}
	for line := range l.removed {
		elsewhere = elsewhere || !inside[line] && line > 1
	}
	return functions, elsewhere, nil
}

// onlyComment reports whether a line has no code.
func onlyComment(text []byte, comment map[int]bool, line int) bool {
	n := 1
	for l := range strings.Lines(string(text)) {
		if n == line {
			l = strings.TrimSpace(l)
			return l == "" || comment[line] && (strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "//go:") || strings.HasPrefix(l, "/*"))
		}
		n++
	}
	return true
}

// lastLine is where a statement ends without the blocks in it, whose statements count by
// themselves.
func lastLine(s ast.Stmt, at func(token.Pos) position) int {
	switch s := s.(type) {
	case *ast.IfStmt:
		return at(s.Body.Lbrace).line
	case *ast.ForStmt:
		return at(s.Body.Lbrace).line
	case *ast.RangeStmt:
		return at(s.Body.Lbrace).line
	case *ast.SwitchStmt:
		return at(s.Body.Lbrace).line
	case *ast.TypeSwitchStmt:
		return at(s.Body.Lbrace).line
	case *ast.SelectStmt:
		return at(s.Body.Lbrace).line
	}
	return at(s.End()).line
}

func changedIn(l lines, first, last int) bool {
	for line := first; line <= last; line++ {
		if l.changed[line] {
			return true
		}
	}
	return false
}

// cover runs tests once more, counting statements, and fills in what they execute of the changed
// functions. The verdict of these runs doesn't count: code that counts allocates otherwise.
func (c *checker) cover(ctx context.Context, of *candidate, a *affected, functions []Function) ([]Function, error) {
	if len(functions) == 0 {
		return functions, nil
	}
	c.stage("coverage", of.name)
	profile := filepath.Join(c.Scratch.Path, "coverage.txt")
	args := append([]string{"-coverpkg=" + strings.Join(paths(a.changed), ","), "-coverprofile=" + profile}, c.testFlags...)
	if _, err := c.run(ctx, "test", append(args, paths(a.dependents)...)...); err != nil {
		return nil, err
	}
	counted, err := readCoverage(profile)
	if err != nil {
		return functions, nil // nothing was executed
	}
	return fillIn(functions, counted), nil
}

// readCoverage returns the blocks of each file: "example.com/m/file.go".
func readCoverage(profile string) (map[string][]cover.ProfileBlock, error) {
	all, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]cover.ProfileBlock)
	for _, p := range all {
		files[p.FileName] = p.Blocks
	}
	return files, nil
}

// fillIn returns functions with what was executed of them.
func fillIn(functions []Function, counted map[string][]cover.ProfileBlock) []Function {
	filled := slices.Clone(functions)
	for i := range filled {
		f := &filled[i]
		f.Executed, f.NotExecuted = 0, nil
		blocks := f.blocks(counted)
		f.Called = slices.ContainsFunc(blocks, func(b cover.ProfileBlock) bool { return b.Count > 0 })
		for _, at := range f.changed {
			if executed(blocks, at) {
				f.Executed++
			} else if !slices.Contains(f.NotExecuted, at.line) {
				f.NotExecuted = append(f.NotExecuted, at.line)
			}
		}
	}
	return filled
}

// blocks are those of the function's body.
func (f *Function) blocks(counted map[string][]cover.ProfileBlock) []cover.ProfileBlock {
	return slices.DeleteFunc(slices.Clone(counted[f.Package+"/"+path.Base(f.File)]), func(b cover.ProfileBlock) bool {
		start, end := position{b.StartLine, b.StartCol}, position{b.EndLine, b.EndCol}
		return start.before(f.first) || position{f.last.line, f.last.column + 1}.before(end)
	})
}

// executed reports whether the innermost block around a position was executed.
func executed(blocks []cover.ProfileBlock, at position) bool {
	var inner *cover.ProfileBlock
	for i := range blocks {
		b := &blocks[i]
		start, end := position{b.StartLine, b.StartCol}, position{b.EndLine, b.EndCol}
		if !at.before(start) && at.before(end) && (inner == nil || position{inner.StartLine, inner.StartCol}.before(start)) {
			inner = b
		}
	}
	return inner != nil && inner.Count > 0
}

// judgeTests weakens a check by what tests don't execute.
func judgeTests(check Check, functions []Function, elsewhere bool) Check {
	if check.State != Right {
		return check
	}
	var open []string
	changed, done := 0, 0
	for i := range functions {
		f := &functions[i]
		changed, done = changed+f.Changed, done+f.Executed
		if !f.Called || f.Changed > 0 && f.Executed == 0 {
			open = append(open, f.Name)
		}
	}
	switch {
	case len(check.Tested) == 0:
		check.State, check.Why = Untested, "it builds, but no package that depends on it has tests"
	case len(open) > 0:
		check.State, check.Why = Untested, "tests pass, but don't execute what changed in "+few(open)
	case changed > 0:
		check.Why = fmt.Sprintf("tests pass, and execute %d of %d changed statements", done, changed)
	case len(functions) > 0:
		check.Why = "tests pass, and execute the functions that changed"
	default:
		check.Why = "tests pass; no function changed"
	}
	if elsewhere {
		check.Notes = append(check.Notes, "it also changes declarations or files outside of functions, whose use coverage can't tell")
	}
	return check
}
