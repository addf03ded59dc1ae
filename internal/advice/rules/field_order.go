package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var fieldOrder = &advice.Rule{
	ID:    "field-order",
	Title: "the order of the fields leaves gaps in a struct",
	Doc: `Each field begins at a multiple of its alignment, so a bool before an int64 takes 8 bytes. Put the fields with the largest
alignment first, and bools and small integers last: then there are no gaps.

The rule needs a heap profile, and reports structs of the package where a better order saves memory: single values, if
they then fit into a smaller block of the allocator, and elements of slices and maps. Sizes are those of the module's
GOARCH.

The order of fields matters for literals without field names, encoding/binary, encoding/json, fmt, unsafe, cgo, and fields
that are apart so that CPUs don't share a cache line. Atomic fields of 64 bits need an offset of a multiple of 8 on 32-bit
machines. All of this may be in other packages, so this rule only gives advice. Structs with fields named _ are not
reported.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchFieldOrder,
}

func matchFieldOrder(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		if m, ok := reordered(s, c); ok {
			m.Node = c.Node()
			return []advice.Match{m}
		}
	}
	return nil
}

// reordered returns a match about the structs that an expression allocates.
func reordered(s *advice.Site, c inspector.Cursor) (m advice.Match, ok bool) {
	if t := newStruct(s, c); t != nil {
		order, saved := smallestOrder(s, t)
		size, pointers := s.Sizes.Sizeof(t), !facts.PointerFree(t)
		block, known := s.In.BlockSize(size, pointers)
		smaller, fits := s.In.BlockSize(size-saved, pointers)
		if saved == 0 || !known || !fits || smaller == block {
			return m, false
		}
		m.Blocks = func(size int64) bool { return size == block }
		m.Saves = float64(block-smaller) / float64(block)
		m.Why = fmt.Sprintf("%s has %d bytes, %d of which are gaps between fields, and takes a block of %d. In the order %s, it has %d bytes and takes a block of %d: %d bytes less for each of %d objects.",
			t.Obj().Name(), size, saved, block, order, size-saved, smaller, block-smaller, s.HeldBy(&m).Objects)
		return m, true
	}
	t, each := elementStruct(s, c)
	if t == nil {
		return m, false
	}
	order, saved := smallestOrder(s, t)
	if saved == 0 {
		return m, false
	}
	m.Blocks = func(int64) bool { return true }
	m.Saves = float64(saved) / float64(each)
	size := s.Sizes.Sizeof(t)
	m.Why = fmt.Sprintf("%s has %d bytes, %d of which are gaps between fields. In the order %s, it has %d bytes: %s less for each of about %d elements that the memory has room for.",
		t.Obj().Name(), size, saved, order, size-saved, count(saved, "byte"), s.HeldBy(&m).Bytes/each)
	return m, true
}

// maxInSlot is the largest value that a map keeps in its table.
const maxInSlot = 128

// elementStruct returns the struct that is an element of the slice or map that an expression allocates or lets
// grow, and the size of the elements.
func elementStruct(s *advice.Site, c inspector.Cursor) (t *types.Named, each int64) {
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		if name := s.Callee(n); name != "make" && name != "append" {
			return nil, 0
		}
		if slice, ok := s.Info.TypeOf(n).Underlying().(*types.Slice); ok {
			if t = ownStruct(s, slice.Elem()); t != nil {
				return t, s.Sizes.Sizeof(t)
			}
		}
	case *ast.IndexExpr:
		table, ok := s.Info.TypeOf(n.X).Underlying().(*types.Map)
		if !ok || !facts.IsAssigned(c) {
			return nil, 0
		}
		if t = ownStruct(s, table.Elem()); t != nil && s.Sizes.Sizeof(t) <= maxInSlot && facts.Sized(table.Key()) {
			slot := types.NewStruct([]*types.Var{types.NewField(0, nil, "K", table.Key(), false), types.NewField(0, nil, "V", t, false)}, nil)
			return t, s.Sizes.Sizeof(slot)
		}
	}
	return nil, 0
}
