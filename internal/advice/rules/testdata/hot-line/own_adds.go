package hotline

const first, next = 100, 120

func shares(length int) (n int) {
	available := first
	n++
	for available < length {
		// want look: The loop on line 8 only adds the same amounts in each iteration: a division and a product give the result without it.
		available += next // hot
		n++
	}
	return n
}

func triangle(length int) (n int) {
	for i := 0; n < length; i++ {
		// want look: what is inlined there. It is in a loop (line 17); how often that runs per call of triangle isn't known. (end)
		n += i // hot
	}
	return n
}

type sketch struct{ rows [4][]byte }

func (s *sketch) add(h uint32) {
	for i := range s.rows {
		// want look: The loop on line 27 always has 4 iterations: written out, they need no counter, and fewer checks of indexes.
		s.rows[i][h>>i]++ // hot
	}
}
