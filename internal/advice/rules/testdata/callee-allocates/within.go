package within

import (
	"math/big"
	"slices"
)

// What the line calls is another function than what allocates; and it allocates more itself.
func within(x, a, b *big.Int, xs []int, grow func() []int) []int {
	x.Add(a, b)                                  // alloc: math/big.nat.make
	return append(slices.Grow(xs, 1), grow()...) // alloc: slices.Grow[...] only 800 here 1000
}
