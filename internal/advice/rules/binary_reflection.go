package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var binaryReflection = &advice.Rule{
	ID:    "binary-reflection",
	Title: "binary.Read or binary.Write uses reflection",
	Doc: `binary.Read and binary.Write accept any value, so they allocate a buffer per call and walk struct fields by reflection.
Reuse one buffer, and encode with the functions of a byte order, such as binary.LittleEndian.AppendUint32 and Uint32.
That takes a fraction of the time, and one write can hold several values.

Slices of numbers, which these functions convert in one step, are not reported. The encoded bytes must stay the same,
which only your tests can show, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^encoding/binary\.`),
	Allocates: true,
	Gain:      3,
	Match:     matchBinaryReflection,
}

func matchBinaryReflection(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("encoding/binary.Read", "encoding/binary.Write") {
		if len(c.Args) != 3 || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		t := s.Info.TypeOf(c.Args[2]).Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		instead := "of its byte order"
		if order, ok := ast.Unparen(c.Args[1]).(*ast.SelectorExpr); ok {
			instead = "of " + s.Source(order)
		}
		m := advice.Match{Node: c.CallExpr}
		switch t.(type) {
		case *types.Basic:
			m.Why = fmt.Sprintf("%s allocates a buffer and inspects the type for a single value. Use the functions %s on an existing buffer.", edit.Short(c.Name), instead)
		case *types.Struct, *types.Array:
			m.Why = fmt.Sprintf("%s walks the fields by reflection and allocates a buffer each time. Use the functions %s for each field, on a reused buffer.", edit.Short(c.Name), instead)
		default: // slices of numbers are converted at once; the value in an interface isn't known
			continue
		}
		matches = append(matches, m)
	}
	return matches
}
