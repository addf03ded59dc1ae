package once

import "math/big"

var large *big.Int

func init() {
	large = new(big.Int).Exp(big.NewInt(2), big.NewInt(255), nil) // alloc: math/big.(*Int).Exp
}
