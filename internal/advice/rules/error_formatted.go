package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var errorFormatted = &advice.Rule{
	ID:    "error-formatted",
	Title: "an error message is formatted even if no one reads it",
	Doc: `fmt.Errorf formats the message when the error is created. If errors are part of normal work, as with invalid input, most
are compared or counted and never printed. An error type that keeps the values in fields, and formats them in its Error
method, costs at most one allocation. A type based on a number or string costs none for small values or constants.
Callers can then also read the values.

The rule reports errors that take a tenth of the time or of all allocations. Errors that wrap others with %w, and errors
created once, are not reported. A new error type is a design decision, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: errorfFrames,
	Gain:   3,
	Match:  matchErrorFormatted,
}

var errorfFrames = lazyregexp.New(`^fmt\.Errorf$`)

func matchErrorFormatted(s *advice.Site) []advice.Match {
	if s.Share(errorfFrames) < 0.1 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Errorf") {
		if len(c.Args) < 2 || c.Ellipsis.IsValid() || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		switch c.Parent().Node().(type) {
		case *ast.ReturnStmt, *ast.AssignStmt:
		default:
			continue // its message is read at once
		}
		format, ok := facts.ConstantText(s.Place, c.Args[0])
		if !ok || strings.Contains(format, "%w") {
			continue
		}
		var values []string
		for _, arg := range c.Args[1:] {
			if t := s.Info.TypeOf(arg); types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
				return nil // wrapped, even if only by its text
			}
			values = append(values, s.Source(arg))
		}
		if list := strings.Join(values, ", "); edit.OneLine(list) {
			matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf("fmt.Errorf formats %s for each error, even if the message is never read. An error type with %s in fields formats only when Error is called.", list, list)})
		}
	}
	return matches
}
