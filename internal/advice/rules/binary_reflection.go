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
	Title: "binary.Read or Write goes through a value by its type",
	Doc: `binary.Read and Write take any value: they allocate a buffer for each call, and go through a struct's fields by
reflection. A buffer that is used again, and the functions of a byte order, AppendUint32 and Uint32 for example, do the same
in a fraction of the time, several values for each write.

Slices of numbers, which both know and convert at once, are not reported. What the bytes are has to stay the same, which
the code's tests have to show: it is advice only.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^encoding/binary\.`),
	Allocates: true,
	Gain:      3,
	Match:     matchBinaryReflection,
}

func matchBinaryReflection(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("encoding/binary.Read", "encoding/binary.Write") {
		if len(c.Args) != 3 || facts.RunsOnce(s, c.Cursor) {
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
			m.Why = fmt.Sprintf("%s allocates a buffer for a single value, and finds out its type. Use the functions %s on a buffer that is there already.", edit.Short(c.Name), instead)
		case *types.Struct, *types.Array:
			m.Why = fmt.Sprintf("%s goes through the fields by reflection, and allocates a buffer each time. Use the functions %s for each field, on one buffer.", edit.Short(c.Name), instead)
		default: // slices of numbers are converted at once; of an interface nothing is known
			continue
		}
		matches = append(matches, m)
	}
	return matches
}
