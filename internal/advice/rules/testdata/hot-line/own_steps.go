package steps

import "io"

func reverse(code uint64, k int) (c uint64) {
	for i := 0; i < k; i++ {
		// want look: uint((k-i-1)*2) changes by the same amount in each iteration of the loop on line 6
		c |= (code & 3) << uint((k-i-1)*2) // hot
		code >>= 2
	}
	return c
}

func weighted(x, factors []float64, n, s int) (sum float64) {
	for k := range n {
		// want look: k*s changes by the same amount in each iteration
		sum += factors[k*s] * x[k] // hot
	}
	return sum
}

func growing(x, factors []float64, n, s int) (sum float64) {
	for k := range n {
		s += len(x)
		// want look: (an estimate). (end)
		sum += factors[k*s] * x[k*2] // hot
	}
	return sum
}

func read(r io.ByteReader) (x uint64, err error) {
	var s uint
	for i := 0; ; i++ {
		b, err := r.ReadByte()
		if err != nil || i == 10 {
			return 0, err
		}
		// want look: In the loop on line 33, i only counts, and s changes by 7 with it: comparing s is enough.
		x |= uint64(b&0x7f) << s // hot
		if b < 0x80 && i > 0 {
			return x, nil
		}
		s += 7
	}
}

func brackets(text string) (depth int) {
	for i := 0; i < len(text); i++ {
		// want look: The switch on line 50 tells 7 values of a byte apart
		switch text[i] { // hot
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n':
			return depth
		}
	}
	return depth
}
