package hotline

func log2(v uint32) (n uint32) {
	for ; v > 1; n++ {
		// want look: The loop on line 4 handles one bit of v per iteration.
		v = v >> 1 // hot
	}
	return n
}

func highest(size int) (n int) {
	for ; size > 0; size >>= 1 {
		// want look: The loop on line 12 handles one bit of size per iteration.
		n++ // hot
	}
	return n
}

func digits(n uint) (count int) {
	for n > 0 {
		// want look: what is inlined there. It is in a loop (line 20)
		n = n >> 4 // hot
		count++
	}
	return count
}

func reversed(code uint64, k int) (c uint64) {
	for range k {
		// want look: The loop on line 29 handles 2 bits of code per iteration.
		c |= code & 3 // hot
		code >>= 2
	}
	return c
}
