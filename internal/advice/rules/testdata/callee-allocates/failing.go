package failing

import (
	"fmt"
	"math/big"
)

func equal(a, b *big.Int) error {
	if a.Cmp(b) != 0 {
		return fmt.Errorf("%s isn't what it was", a.Append(nil, 10)) // alloc: math/big.(*Int).Append
	}
	return nil
}
