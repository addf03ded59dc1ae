package look

import "net/http"

type exact struct{ a, b, c, d, e, f int64 } // 48

type spare struct { // 72 take 80, and 64 is 8 away
	a [9]int64
}

type flags struct { // fits with another order
	a    bool
	b    int64
	c    bool
	d    int64
	e    bool
	f, g int64
}

type generic[T any] struct {
	v T
	n [6]int64
}

var kept []any

func keep(n int) {
	kept = append(kept, &exact{})                    // live: only 48
	kept = append(kept, &spare{})                    // live: only 96
	kept = append(kept, &flags{})                    // live: only 64
	kept = append(kept, &http.Cookie{})              // live: only 208
	kept = append(kept, make([]byte, n))             // live: only 64
	kept = append(kept, make([]byte, 4096))          // live: only 4096
	kept = append(kept, make([]byte, 4600))          // live: only 4864
	kept = append(kept, make([]byte, 7))             // live: only 16
	kept = append(kept, &spare{})                    // alloc
	kept = append(kept, make(map[string]int, 10000)) // live: only 4864
}

func of[T any](v T) {
	kept = append(kept, &generic[T]{v: v}) // live: only 64
}
