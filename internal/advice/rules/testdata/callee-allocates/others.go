package others

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(big.Int) }}

var large = new(big.Int).Exp(big.NewInt(2), big.NewInt(255), nil) // alloc: math/big.(*Int).Exp

// What a pool makes, what fails, what isn't what the line calls, and what the line itself does.
func others(a, b *big.Int, xs []int, grow func() []int) (*big.Int, error) {
	if a.Cmp(b) == 0 {
		return nil, fmt.Errorf("both are %s", a.Append(nil, 10)) // alloc: math/big.(*Int).Append
	}
	x := pool.Get().(*big.Int)                 // alloc: sync.(*Pool).Get
	x.Add(a, b)                                // alloc: math/big.nat.make
	xs = append(slices.Grow(xs, 1), grow()...) // alloc: slices.Grow[...] only 8 here 1000000
	return x, nil
}
