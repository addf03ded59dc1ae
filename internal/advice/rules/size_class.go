package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var sizeClass = &advice.Rule{
	ID:    "size-class",
	Title: "values are a little too large for a smaller block",
	Doc: `The allocator rounds each size up to one of its 67 size classes: 16, 24, 32, 48, 64, 80, … and 32768 bytes, and larger
ones to whole pages of 8 KiB. A struct of 56 bytes takes 64. With one word less, it fits into 48. Values of more than 512
bytes with pointers take 8 bytes more (Go 1.22), so that 1,024 bytes take a block of 1,152.

Use smaller field types, join flags, drop a field that can be computed, or move rarely used fields behind a pointer. Make
a buffer as large as the class below, or use the space that is left.

The rule needs a heap profile, and reports structs and constant sizes of make that exceed a smaller class by at most 8
bytes, or 3 %. The classes come from the source of your Go toolchain. If another order of the fields is enough,
field-order reports that. Only you know what can be left out, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchSizeClass,
}

// leastExcess is how many bytes a value may exceed a class by, in any case: a word.
const leastExcess = 8

func matchSizeClass(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		size, pointers, what := constantSize(s, c)
		block, ok := s.In.BlockSize(size, pointers)
		if !ok {
			continue
		}
		below, ok := s.In.LargestBelow(size, pointers)
		if !ok || size-below > max(leastExcess, size/32) {
			continue
		}
		smaller, ok := s.In.BlockSize(below, pointers)
		if !ok {
			continue
		}
		m := advice.Match{Node: c.Node(), Blocks: func(size int64) bool { return size == block }, Saves: float64(block-smaller) / float64(block)}
		m.Why = fmt.Sprintf("%s has %d bytes and takes a block of %d. With %s less, it fits into a block of %d: %d bytes less for each of %d objects.",
			what, size, block, count(size-below, "byte"), smaller, block-smaller, s.HeldBy(&m).Objects)
		return []advice.Match{m}
	}
	return nil
}

// constantSize returns the size of what an expression allocates, if that is known, whether it has pointers,
// and what it is. Structs count only if the package declares them and no order of the fields is smaller.
func constantSize(s *advice.Site, c inspector.Cursor) (size int64, pointers bool, what string) {
	if t := newStruct(s, c); t != nil {
		if _, saved := smallestOrder(s, t); saved > 0 {
			return 0, false, ""
		}
		return s.Sizes.Sizeof(t), !facts.PointerFree(t), t.Obj().Name()
	}
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || s.Callee(call) != "make" || len(call.Args) < 2 {
		return 0, false, ""
	}
	slice, ok := s.Info.TypeOf(call).Underlying().(*types.Slice)
	if !ok || !facts.Sized(slice.Elem()) {
		return 0, false, ""
	}
	n, ok := facts.ConstantInt(s.Place, call.Args[len(call.Args)-1])
	if !ok {
		return 0, false, ""
	}
	return n * s.Sizes.Sizeof(slice.Elem()), !facts.PointerFree(slice.Elem()), "The array of " + s.Source(call)
}
