package others

func size() int

func others(n int, m uint16, xs []int) (sum int) {
	a := make([]int, n) // alloc: 2048
	// says: make([]int, n) escapes to heap
	b := make([]int, n)        // alloc: 64
	c := make([]int, 8)        // alloc: 64
	d := make([]int, size())   // alloc: 64
	e := make([]int, m)        // alloc: 64
	f := make([]int, n, 2*n)   // alloc: 64
	xs = make([]int, n)        // alloc: 64
	g := make(map[int]bool, n) // alloc: 64
	h := make([]struct{}, n)   // alloc: 64
	return len(a) + len(b) + len(c) + len(d) + len(e) + len(f) + len(xs) + len(g) + len(h)
}

func each[T any](ts []T) int {
	a := make([]T, len(ts)) // alloc: 64
	return copy(a, ts)
}

func deep(n int) int {
	a := make([]int, n) // alloc: 64
	if n > 0 {
		return deep(n-1) + len(a)
	}
	return 0
}
