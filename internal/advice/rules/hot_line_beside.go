package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// maxBeside limits how many other lines of the function a finding names. Those that take less than partBeside of its
// line's time are left out. What is known of a line's code counts from partKnown on: which line of a few is the
// hottest is often chance.
const (
	maxBeside  = 2
	partBeside = 0.3
	partKnown  = 0.1
)

// whatElse says which other lines of the function are hot, and what they do: whoever changes a function looks at all of it,
// but only its hottest line has a finding of its own.
// What is said of the line already isn't said again.
func whatElse(s *advice.Site, work advice.Work, said []string) string {
	var lines, known []string
	told := strings.Join(said, " ")
	beside := s.Beside(work, 0)
	for _, b := range beside {
		if b.Part < partKnown {
			break // the hottest come first
		}
		if b.Part >= partBeside && len(lines) < maxBeside {
			lines = append(lines, fmt.Sprintf("%d (%s)", b.Line, strings.Join(whatLineDoes(b), ", ")))
		}
		more := slices.DeleteFunc(whatIsKnown(b), func(sentence string) bool {
			return strings.Contains(told, sentence) || strings.Contains(sentence, unproved) && strings.Contains(told, unproved)
		})
		if len(more) > 0 && len(known) < maxBeside {
			known = append(known, fmt.Sprintf("On line %d: %s", b.Line, strings.Join(more, " ")))
			told += " " + known[len(known)-1]
		}
	}
	if len(lines) > 0 {
		known = slices.Insert(known, 0, "Also hot: line "+strings.Join(lines, " and line ")+".")
	}
	for _, text := range []string{spread(work, beside), whatCallerDoes(s, work, told)} {
		if text != "" {
			known = append(known, text)
		}
	}
	return strings.Join(known, " ")
}

// maxAbove is how many callers up the stack are looked at.
const maxAbove = 2

// whatCallerDoes says what is known of the line that calls the line's function, or else of the caller's caller: what could be
// done less often or for less is often decided there.
func whatCallerDoes(s *advice.Site, work advice.Work, told string) string {
	at, of := s, work
	for range maxAbove {
		above, ok := at.Above(of)
		if !ok {
			return ""
		}
		known := valuesOn(above.Site, above.Work)
		if above.CPU >= partBeside*work.CPU {
			ran := ranBy(above.Parts)
			known = append(append(known, whatOwn(above.Site, ran)...), checked(above.Site, ran))
		}
		for _, sentence := range known {
			if sentence != "" && above.Decl != nil && !strings.Contains(told, sentence) {
				return fmt.Sprintf("On %s in %s, which calls it: %s", lineFrom(s, above.Site), above.Decl.Name.Name, sentence)
			}
		}
		at, of = above.Site, above.Work
	}
	return ""
}

// lineFrom says which line another site has, and of which file if that isn't the site's.
func lineFrom(s, other *advice.Site) string {
	here, there := s.Fset.Position(s.File.Pos()).Filename, other.Fset.Position(other.File.Pos()).Filename
	if here == there {
		return fmt.Sprintf("line %d", other.Line)
	}
	return fmt.Sprintf("line %d of %s", other.Line, filepath.Base(there))
}

// spreadOver is on how many lines of a function something has to run to be spread over it.
const spreadOver = 3

// spread says what takes more time on several lines of the function together than the line itself.
func spread(work advice.Work, beside []advice.Beside) string {
	shares, lines := make(map[string]float64), make(map[string]int)
	add := func(parts []advice.Part) {
		for _, r := range ranBy(parts) {
			shares[r.what] += r.share
			lines[r.what]++
		}
	}
	add(work.Parts)
	for _, b := range beside {
		add(b.Parts)
	}
	most := ""
	for _, what := range slices.Sorted(maps.Keys(shares)) {
		if what != ownCode && lines[what] >= spreadOver && shares[what] > max(work.CPU, shares[most]) {
			most = what
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf("On %d lines of the function together: %s (%.1f %%).", lines[most], most, 100*shares[most])
}

// whatIsKnown says the most telling of what is known of another line's code.
func whatIsKnown(b advice.Beside) []string {
	if values := valuesOn(b.Site, b.Work); len(values) > 0 {
		return values[:1]
	}
	ran := ranBy(b.Parts)
	said := whatOwn(b.Site, ran)
	if text := checked(b.Site, ran); text != "" {
		said = append(said, text)
	}
	return said[:min(maxReasons, len(said))]
}

// whatLineDoes says what a line costs, and what it does for that.
func whatLineDoes(b advice.Beside) (said []string) {
	if b.CPU > 0 {
		said = append(said, fmt.Sprintf("%.1f %%", 100*b.CPU))
	}
	if ran := ranBy(b.Parts); len(ran) > 0 && ran[0].what != ownCode {
		said = append(said, ran[0].what)
	}
	if kind := allocates(b.Site); b.BlockSize > 0 && kind != "" && !strings.Contains(strings.Join(said, " "), kind) {
		said = append(said, kind)
	}
	if b.Bytes >= b.CPU {
		said = append(said, fmt.Sprintf("%.1f %% of the bytes", 100*b.Bytes))
	}
	return said
}

// allocates says which operation on a line allocates: "" if none or several of them may. Heap profiles don't
// have the functions of the runtime that would tell.
func allocates(s *advice.Site) string {
	if s.Blocks() == 0 {
		return ""
	}
	only := ""
	for _, c := range s.Nodes() {
		what := operation(s, c.Node())
		switch {
		case what == "" || what == only:
		case only != "":
			return ""
		default:
			only = what
		}
	}
	return only
}

// operation is what an expression does that allocates, in the words of operations.
func operation(s *advice.Site, n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		if s.Info.Types[n.Fun].IsType() && len(n.Args) == 1 {
			return conversion(s, n)
		}
		switch s.Callee(n) {
		case "append":
			return "growing a slice"
		case "new":
			return "allocating an object"
		case "make":
			switch s.Info.TypeOf(n).Underlying().(type) {
			case *types.Slice:
				return "allocating a slice"
			case *types.Map:
				return "making a map"
			case *types.Chan:
				return "making a channel"
			}
		}
	case *ast.UnaryExpr:
		if _, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			return "allocating an object"
		}
	case *ast.CompositeLit:
		switch s.Info.TypeOf(n).Underlying().(type) {
		case *types.Slice:
			return "allocating a slice"
		case *types.Map:
			return "making a map"
		}
	case *ast.FuncLit:
		return "allocating a function literal"
	case *ast.BinaryExpr:
		if n.Op == token.ADD && s.Info.Types[n].Value == nil && facts.IsString(s.Place, n) {
			return "concatenating strings"
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN && facts.IsString(s.Place, n.Lhs[0]) {
			return "concatenating strings"
		}
		if index, ok := ast.Unparen(n.Lhs[0]).(*ast.IndexExpr); ok {
			if _, ok := s.Info.TypeOf(index.X).Underlying().(*types.Map); ok {
				return "writing to a map"
			}
		}
	}
	return ""
}

// conversion is the operation that a conversion is, if it copies something.
func conversion(s *advice.Site, call *ast.CallExpr) string {
	to, from := s.Info.TypeOf(call), s.Info.TypeOf(call.Args[0])
	switch {
	case facts.IsString(s.Place, call) && facts.IsBytes(s.Place, call.Args[0]):
		return "converting bytes to a string"
	case facts.IsBytes(s.Place, call) && facts.IsString(s.Place, call.Args[0]):
		return "converting a string to bytes"
	case types.IsInterface(to) && !types.IsInterface(from):
		return "converting a value to an interface"
	}
	return ""
}
