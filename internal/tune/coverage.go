package tune

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/temporary"
)

// profileLine is "example.com/m/file.go:7.21,9.3 2 1".
var profileLine = lazyregexp.New(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// maxCoverage bounds a coverage profile: each block of code has 50 bytes for each package
// with tests.
const maxCoverage = 1 << 30

// readCoverage returns the blocks of a package by their file, each once: every test binary
// has its own count of it.
func readCoverage(ctx context.Context, profile, pkg string) (map[string][]block, error) {
	text, err := infile.ReadFile(ctx, profile, maxCoverage)
	if err != nil {
		return nil, err
	}
	type place struct {
		file string
		block
	}
	index := make(map[place]int)
	blocks := make(map[string][]block)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		m := profileLine.FindStringSubmatch(line)
		if m == nil || path.Dir(m[1]) != pkg {
			continue
		}
		var n [5]int
		for i := range n {
			if n[i], err = strconv.Atoi(m[i+2]); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", profile, line, err)
			}
		}
		file, b := path.Base(m[1]), block{n[0], n[1], n[2], n[3], n[4], false}
		i, ok := index[place{file, b}]
		if !ok {
			i = len(blocks[file])
			index[place{file, b}] = i
			blocks[file] = append(blocks[file], b)
		}
		blocks[file][i].executed = blocks[file][i].executed || m[7] != "0"
	}
	return blocks, nil
}

// coverageOf says what blocks, by file, tell of the functions that a rewrite changes, in their order.
// Both are of the texts before: a function is called or not, whatever is in it.
func coverageOf(fix *advice.Fix, blocks map[string][]block) (all []Coverage, err error) {
	for _, c := range fix.Files {
		if c.New {
			continue
		}
		of, err := coverageIn(&c, blocks[filepath.Base(c.File)])
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// coverageIn is coverageOf for one file.
func coverageIn(change *advice.FileChange, blocks []block) ([]Coverage, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, change.File, change.Before, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	changed := rewrittenLines(change)
	var all []Coverage
	for _, d := range f.Decls {
		from, to := fset.Position(d.Pos()), fset.Position(d.End())
		if !changed.within(from.Line, to.Line) {
			continue
		}
		c := Coverage{}
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Body == nil || len(f.Body.List) == 0 {
				continue
			}
			c.Function = srcfind.FuncName(f)
		}
		for _, b := range blocks {
			if b.startLine < from.Line || b.startLine == from.Line && b.startColumn < from.Column ||
				b.endLine > to.Line || b.endLine == to.Line && b.endColumn > to.Column {
				continue
			}
			c.Statements += b.statements
			if b.executed {
				c.Executed += b.statements
				c.ChangedExecuted = c.ChangedExecuted || changed.within(b.startLine, b.endLine)
			}
		}
		switch {
		case c.Function != "":
		case c.Statements == 0:
			continue // imports, and variables that are set before any test runs
		default:
			c.Function = "the functions at line " + strconv.Itoa(from.Line)
		}
		all = append(all, c)
	}
	return all, nil
}

// rewritten is where a text is rewritten: lines that go, and lines before which some come.
type rewritten struct{ gone, before map[int]bool }

func (c *rewritten) within(from, to int) bool {
	for line := from; line <= to; line++ {
		if c.gone[line] || line > from && c.before[line] {
			return true
		}
	}
	return false
}

var hunk = lazyregexp.New(`^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@`)

// rewrittenLines reads them from a unified diff.
func rewrittenLines(change *advice.FileChange) *rewritten {
	c := &rewritten{make(map[int]bool), make(map[int]bool)}
	line, inside := 0, false
	for text := range strings.Lines(string(diff.Diff("before", change.Before, "after", change.After))) {
		switch m := hunk.FindStringSubmatch(text); {
		case m != nil:
			line, _ = strconv.Atoi(m[1])
			if m[2] == "0" {
				line++ // of an empty range, it is the line before
			}
			inside = true
		case !inside:
		case strings.HasPrefix(text, "-"):
			c.gone[line] = true
			line++
		case strings.HasPrefix(text, "+"):
			c.before[line] = true
		case strings.HasPrefix(text, " "):
			line++
		}
	}
	return c
}

// tested is what tests execute of the functions that a rewrite changes.
type tested struct {
	coverage []Coverage
	unknown  string // why that isn't known
}

const unknownCoverage = "test coverage is unknown: "

// cover says what tests execute of the functions that a rewrite changes. They run without
// it: the go command measures coverage of files as they are, whatever an overlay says. What
// was found of a package holds until something is kept.
func (t *Tuner) cover(ctx context.Context, f *advice.Finding, test func(flags ...string) ([]byte, error)) (out tested, err error) {
	found, ok := t.covered[f.Package]
	if !ok {
		t.stage("test", "coverage")
		found = t.coverPackage(ctx, f.Package, test)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if t.covered == nil {
			t.covered = make(map[string]packageCoverage)
		}
		t.covered[f.Package] = found
	}
	unread := found.err
	if unread == nil {
		out.coverage, unread = coverageOf(f.Fix, found.blocks)
	}
	switch {
	case unread != nil:
		out.unknown = unknownCoverage + unread.Error()
	case len(out.coverage) == 0:
		out.unknown = unknownCoverage + "no function with statements changes"
	}
	return out, nil
}

func (t *Tuner) coverPackage(ctx context.Context, pkg string, test func(flags ...string) ([]byte, error)) packageCoverage {
	scratch, err := temporary.Make()
	if err != nil {
		return packageCoverage{err: err}
	}
	defer scratch.Remove()
	profile := filepath.Join(scratch.Path, "coverage.txt")
	out, failed := test("-coverpkg="+pkg, "-coverprofile="+profile)
	blocks, err := readCoverage(ctx, profile, pkg)
	if err != nil && failed != nil {
		err = errors.New("go test -cover fails: " + firstLine(out))
	}
	return packageCoverage{blocks, err}
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
