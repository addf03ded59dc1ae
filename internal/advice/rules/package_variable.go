package rules

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

// ownLines are the lines of a statement, from the comment above it to the end of its last line.
type ownLines struct {
	start, end  token.Pos
	doc, behind string // its comments
	first       bool   // nothing but an empty line or a brace is above
}

// linesOf returns the lines of a statement; ok is false if it shares them with others.
func linesOf(s *advice.Site, stmt ast.Node) (lines ownLines, ok bool) {
	tf := s.Fset.File(stmt.Pos())
	first, last := tf.Line(stmt.Pos()), tf.Line(stmt.End())
	alone := func(pos token.Pos) bool { return strings.TrimSpace(s.Text(tf.LineStart(tf.Line(pos)), pos)) == "" }
	if last == tf.LineCount() || !alone(stmt.Pos()) {
		return lines, false
	}
	lines.start, lines.end = tf.LineStart(first), tf.LineStart(last+1)
	lines.behind = strings.TrimSpace(s.Text(stmt.End(), lines.end))
	if lines.behind != "" && !strings.HasPrefix(lines.behind, "//") {
		return lines, false
	}
	for _, g := range s.File.Comments {
		if tf.Line(g.End()) == first-1 && alone(g.Pos()) {
			lines.start = tf.LineStart(tf.Line(g.Pos()))
			lines.doc = s.Source(g) + "\n"
		}
	}
	if above := tf.Line(lines.start) - 1; above > 0 {
		text := strings.TrimSpace(s.Text(tf.LineStart(above), lines.start))
		lines.first = text == "" || strings.HasSuffix(text, "{") || strings.HasSuffix(text, ":")
	}
	return lines, true
}

// without is the edit that puts a statement in the place of the lines, or nothing. An empty line that would
// then begin a block, or follow another one, goes, too.
func (l *ownLines) without(s *advice.Site, statement string) advice.Edit {
	e := advice.Edit{Pos: l.start, End: l.end, New: statement}
	tf := s.Fset.File(l.start)
	next := tf.Line(l.end)
	if statement != "" || !l.first || next == tf.LineCount() {
		return e
	}
	if below := tf.LineStart(next + 1); strings.TrimSpace(s.Text(l.end, below)) == "" {
		e.End = below
	}
	return e
}
