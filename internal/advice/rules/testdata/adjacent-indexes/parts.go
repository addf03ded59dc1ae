package parts

func store(p []byte, next func() uint64) (n int) {
	for n+8 <= len(p) {
		v := next()
		// says: index checked
		// want B: that p always has the elements from n to n+7: otherwise it panics before any of them is used
		p[n] = byte(v) // hot
		p[n+1] = byte(v >> 8)
		p[n+2] = byte(v >> 16)
		p[n+3] = byte(v >> 24)
		p[n+4] = byte(v >> 32)
		p[n+5] = byte(v >> 40)
		p[n+6] = byte(v >> 48)
		p[n+7] = byte(v >> 56)
		n += 8
	}
	return n
}

func pixels(pix []uint8, width, y int) (sum int) {
	for x := 0; x < width; x++ {
		i := y + x*4
		r, g := int(pix[i]), int(pix[i+1])
		sum += r
		// says: index checked
		// want B: 4 indexes of pix are checked one by one
		b := int(pix[i+2]) // hot
		pix[i+3]++
		if g > b {
			sum -= g
		}
	}
	return sum
}

func window(text string, at int) (n int) {
	// says: index checked
	// want B: A part of it with 5 elements needs one check.
	n = sum(text[3*at-1], text[3*at]) + int(text[3*at+2]) // hot
	n -= int(text[3*at+3])
	return n
}

func sum(a, b byte) int { return int(a) + int(b) }
