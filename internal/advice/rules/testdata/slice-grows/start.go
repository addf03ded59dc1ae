package start

import "encoding/binary"

var prefix = []byte{1}

type hash [32]byte

func node(left, right []byte) []byte {
	value := make([]byte, len(prefix))
	copy(value, prefix)
	// want A: value is full when more is appended to it, and is copied to a larger array; allocate len(prefix)+len(left)+len(right) elements first.
	value = append(value, left...) // hot: runtime.growslice
	value = append(value, right...)
	return value
}

func key(id uint64, name string) []byte {
	k := make([]byte, 8)
	binary.BigEndian.PutUint64(k, id)
	// want A: allocate len(name)+8 elements first.
	k = append(k, name...) // hot: runtime.growslice
	return k
}

func leaf(data []byte) []byte {
	b := []byte{0}
	// want A: allocate len(data)+1 elements first.
	b = append(b, data...) // alloc: 48
	return b
}

func leaves(a, b []byte) []byte {
	all := append([]byte{2}, a...)
	// want A: allocate len(a)+len(b)+1 elements first.
	all = append(all, b...) // hot: runtime.growslice
	return all
}

func perhapsNil(a, b []string) []string {
	all := append([]string(nil), a...)
	// want A: allocate len(a)+len(b) elements first.
	all = append(all, b...) // hot: runtime.growslice
	return all
}

func sized(n int, more []int) []int {
	all := make([]int, n-1)
	// want A: allocate (n-1)+len(more) elements first.
	all = append(all, more...) // hot: runtime.growslice
	return all
}

// Another function or pointer may see that it moves.
func shared(a []byte, keep func([]byte)) []byte {
	b := []byte{0}
	keep(b)
	b = append(b, a...) // hot: runtime.growslice
	return b
}

func pointed(a []byte) (*byte, []byte) {
	b := []byte{0}
	p := &b[0]
	b = append(b, a...) // hot: runtime.growslice
	return p, b
}

// The length isn't known where the slice begins.
func later(a []byte, next func() []byte) []byte {
	b := append([]byte{0}, next()...)
	b = append(b, a...) // hot: runtime.growslice
	a = a[1:]
	c := []byte{0}
	c[0], a = 1, a[1:]
	c = append(c, a...) // hot: runtime.growslice
	return append(b, c...)
}

func keyed(a []byte) []byte {
	b := []byte{3: 1}
	b = append(b, a...) // hot: runtime.growslice
	return b
}

func small(n uint8, a []byte) []byte {
	b := make([]byte, n)
	b = append(b, a...) // hot: runtime.growslice
	return b
}

func onlyOne(h *hash, a []byte) []byte {
	b := make([]byte, 1, 64)
	b = append(b, a...) // hot: runtime.growslice
	return b
}
