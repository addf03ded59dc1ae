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
