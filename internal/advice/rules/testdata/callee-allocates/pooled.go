package pooled

import (
	"math/big"
	"strings"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(big.Int) }}

func get(text *strings.Builder, s string) *big.Int {
	text.WriteString(s)          // alloc: strings.(*Builder).WriteString
	return pool.Get().(*big.Int) // alloc: sync.(*Pool).Get
}
