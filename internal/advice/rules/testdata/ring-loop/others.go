package others

// A table by the low bits, a stride, two rings, something computed, and a loop that does more.
func others(dst, src []int, table map[int]int, first, step, n int, of func(int) int) (sum int) {
	for i := range n {
		dst[i] = src[i&15] // hot
	}
	for i := 0; i < n; i++ {
		dst[(first+i*step)%len(dst)] = 0 // hot
	}
	for i := range n {
		dst[(first+i)%len(dst)] = src[(step+i)%len(src)] // hot
	}
	for i := range n {
		dst[(first+i)%len(dst)] = of(i) // hot
	}
	for i := range n {
		table[(first+i)%n] = 0 // hot
	}
	for i := range n {
		dst[(first+i)%len(dst)] = src[i] // hot
		sum += src[i]
	}
	return sum
}

// Small rings, what isn't one after the other, a map's keys, and the number itself.
func more(edge, corner [4]int, mask, key []byte, dst, offsets []int, set map[int]bool, pos int) {
	for i := range 4 {
		edge[i] = corner[(i+1)%4] // hot
	}
	for i := range mask {
		mask[i] = key[(pos+i)&3] // hot
	}
	for i := range offsets {
		dst[(i+offsets[i])%len(dst)] = 0 // hot
	}
	for i := range set {
		dst[(pos+i)%len(dst)] = 0 // hot
	}
	var i int
	for i = 0; i < pos; i++ {
		dst[(pos+i)%len(dst)] = i // hot
	}
}

type item struct{ v int }

type items struct{ at *item }

func (i *items) next() bool { return i.at != nil }

// What is received, made or another in each turn, and elements that grow.
func received(ring []*item, ints []int, buckets [][]int, head int, ch chan *item, it *items) {
	for i := range ring {
		ring[(head+i)%len(ring)] = <-ch // hot
	}
	for i := range ring {
		ring[(head+i)%len(ring)] = &item{} // hot
	}
	for i := 0; it.next(); i++ {
		ints[(head+i)%len(ints)] = it.at.v // hot
	}
	for i := range buckets {
		buckets[(head+i)%len(buckets)] = append(buckets[(head+i)%len(buckets)], head) // hot
	}
}

func keys[M ~map[int]T, T any](m M, ring []int, off int) {
	for i := range m {
		ring[(i+off)%len(ring)] = 0 // hot
	}
}
