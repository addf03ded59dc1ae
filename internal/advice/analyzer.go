package advice

import (
	"errors"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// newest is a version of Go with everything that analyzers know. They always run for this version, so
// that a finding can say what a newer go line would allow; Rule.Since has the version that the rewrite
// needs.
const newest = "go1.999"

// analyze runs an analyzer after the ones it requires, each once per package. Imported packages are
// read without source, so analyzers that need facts about them are refused.
func (p *Package) analyze(a *analysis.Analyzer) *analyzed {
	if done := p.analyzed[a]; done != nil {
		return done
	}
	if p.analyzed == nil {
		p.analyzed = make(map[*analysis.Analyzer]*analyzed)
	}
	done := new(analyzed)
	p.analyzed[a] = done
	if a == inspect.Analyzer {
		done.result = p.Root().Inspector()
		return done
	}
	if len(a.FactTypes) > 0 {
		done.err = fmt.Errorf("%s: needs facts about imported packages, which are not loaded", a.Name)
		return done
	}
	results := make(map[*analysis.Analyzer]any)
	for _, r := range a.Requires {
		required := p.analyze(r)
		if required.err != nil {
			done.err = fmt.Errorf("%s: %w", a.Name, required.err)
			return done
		}
		results[r] = required.result
	}
	info := *p.Info
	info.FileVersions = make(map[*ast.File]string)
	for _, f := range p.Files {
		info.FileVersions[f] = newest
	}
	done.run(&analysis.Pass{
		Analyzer: a, Fset: p.Fset, Files: p.Files, Pkg: p.Types, TypesInfo: &info, TypesSizes: p.Sizes,
		ResultOf: results, ReadFile: p.readFile, Module: &analysis.Module{GoVersion: strings.TrimPrefix(newest, "go")},
		Report: func(d analysis.Diagnostic) { done.diagnostics = append(done.diagnostics, d) },
	})
	return done
}

// run runs an analyzer. Analyzers come from other projects: a panic in one becomes an error and stops
// nothing else.
func (done *analyzed) run(pass *analysis.Pass) {
	defer func() {
		if v := recover(); v != nil {
			done.err = fmt.Errorf("%s panicked in %s: %v", pass.Analyzer.Name, pass.Pkg.Path(), v)
		}
	}()
	done.result, done.err = pass.Analyzer.Run(pass)
	if done.err != nil {
		done.err = fmt.Errorf("%s in %s: %w", pass.Analyzer.Name, pass.Pkg.Path(), done.err)
	}
}

func (p *Package) readFile(name string) ([]byte, error) {
	if text, ok := p.Texts[name]; ok {
		return text, nil
	}
	return nil, &os.PathError{Op: "read", Path: name, Err: errors.New("not a file of the package")}
}

// failures says which analyzers of rules failed in some packages, without repetition.
func failures(rules []*Rule, pkgs []*Package) (all []string) {
	for _, r := range rules {
		for _, p := range pkgs {
			if done := p.analyzed[r.Analyzer]; done != nil && done.err != nil && !slices.Contains(all, done.err.Error()) {
				all = append(all, done.err.Error())
			}
		}
	}
	return all
}

// A Judge decides whether a report of an analyzer is about a rule's cost, given its message and place.
// It may change the match. nil accepts all reports.
type Judge func(s *Site, message string, c inspector.Cursor, m *Match) bool

// FromAnalyzer returns a Match for rules based on an analyzer of another project. The analyzer's
// reports on the hot line are the matches, all with the same reason, and with the suggested fix if
// there is one. The analyzer runs for the newest Go: Since says what the fix needs.
func FromAnalyzer(a *analysis.Analyzer, why string, judge Judge) func(*Site) []Match {
	return func(s *Site) []Match {
		var matches []Match
		for _, d := range s.In.analyze(a).diagnostics {
			if d.Pos < s.File.FileStart || d.Pos >= s.File.FileEnd {
				continue
			}
			c, ok := s.Func.FindByPos(d.Pos, max(d.Pos, d.End))
			if !ok || s.Line < s.Package.Line(c.Node().Pos()) || s.Line > s.Package.Line(c.Node().End()) || !innermost(c, s.Func) {
				continue
			}
			m := Match{Node: c.Node(), Why: why}
			// Several fixes are alternatives, and no one is here to choose.
			if len(d.SuggestedFixes) == 1 {
				m.Edits = s.withComments(d.SuggestedFixes[0].TextEdits)
			}
			if judge == nil || judge(s, d.Message, c, &m) {
				matches = append(matches, m)
			}
		}
		return matches
	}
}

// withComments returns the edits of a fix. Comments in replaced statements are kept before the new
// code. It returns nil if comments would be lost elsewhere.
func (s *Site) withComments(fix []analysis.TextEdit) []Edit {
	var edits []Edit
	for _, e := range fix {
		edit := Edit{Pos: e.Pos, End: max(e.Pos, e.End), New: string(e.NewText)}
		var lost strings.Builder
		for _, g := range s.File.Comments {
			for _, c := range g.List {
				if edit.Pos <= c.Pos() && c.End() <= edit.End && !strings.Contains(edit.New, c.Text) {
					lost.WriteString(c.Text + "\n")
				}
			}
		}
		if lost.Len() > 0 {
			c, ok := s.Func.FindByPos(edit.Pos, edit.End)
			if !ok {
				return nil
			}
			if stmt, ok := c.Node().(ast.Stmt); !ok || stmt.Pos() != edit.Pos || stmt.End() != edit.End {
				return nil
			}
			edit.New = lost.String() + edit.New
		}
		edits = append(edits, edit)
	}
	return edits
}

// innermost reports whether a function is the innermost one around a place.
func innermost(c, function inspector.Cursor) bool {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return f == function
	}
	return false
}
