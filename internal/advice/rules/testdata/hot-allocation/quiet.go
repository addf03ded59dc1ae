package quiet

import (
	"errors"
	"fmt"
	"sync"
)

type point struct{ x, y int }

var pool = sync.Pool{New: func() any {
	// says: new(point) escapes to heap
	return new(point) // alloc
}}

func print(args ...any) {}

// static has nothing in it.
func static(f func(func() int)) {
	// says: func literal escapes to heap
	f(func() int { return 1 }) // alloc
}

// elsewhere is what allocates, not the line.
func elsewhere(n int) {
	// says: n escapes to heap | ... argument escapes to heap
	print(n) // hot: escaping.print runtime.mallocgc
}

// failed makes an error.
func failed(n int) error {
	// says: n escapes to heap | ... argument escapes to heap
	return fmt.Errorf("bad number %d", n) // alloc
}

func panics(n int) {
	// says: fmt.Sprint(... argument...) escapes to heap | n escapes to heap
	panic(fmt.Sprint(n)) // alloc
}

// put is a pool's.
func put(b []byte) {
	// says: b escapes to heap
	pool.Put(b) // alloc
}

// background runs beside.
func background(n int) {
	// says: func literal escapes to heap
	go func() { n++ }() // alloc
}

// nothing is said of it, whose size is known.
func nothing() []byte {
	return make([]byte, 64) // alloc
}

// short has room that is known.
func short(n int) int {
	b := make([]byte, n, 64) // alloc
	return len(b)
}

// wordless is said to escape without words.
func wordless(n int) []byte {
	// says: escapes to heap
	return make([]byte, n) // alloc
}

// mapped is compiled where it is used.
func mapped[T any](all []T) []T {
	out := make([]T, len(all)) // alloc
	copy(out, all)
	return out
}

// longer makes no slice but the one that is returned.
func longer(b []byte, n int) []byte {
	return append(b, make([]byte, n)...) // alloc
}

// pointers are no values.
func pointers(p *point, err error) {
	// says: p escapes to heap
	print(p, err, 1, "constant") // alloc
}

var errBad = errors.New("bad")
