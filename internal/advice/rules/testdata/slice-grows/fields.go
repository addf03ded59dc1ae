package fields

type record struct {
	words  []string
	counts []uint32
	flags  []bool
	next   *record
	n      uint16
}

func (r *record) add(words []string) {
	for _, w := range words {
		// want B: call slices.Grow(r.words, len(words)) before the loop
		r.words = append(r.words, w) // hot: runtime.growslice
	}
}

func (r *record) read(next func() uint32) {
	for i := uint16(0); i < r.n; i++ {
		// want B: that no other slice uses the spare capacity of r.counts
		r.counts = append(r.counts, next()) // hot: runtime.growslice
	}
}

func appendAll(dst []int, n int, f func(int) int) []int {
	for i := range n {
		// want B: call slices.Grow(dst, 2*n)
		dst = append(dst, i, f(i)) // hot: runtime.growslice
	}
	return dst
}

func (r *record) parse(fields []string, parse func(string) (bool, error)) error {
	for _, f := range fields {
		ok, err := parse(f)
		if err != nil {
			return err
		}
		// want B: nil from an empty r.flags
		r.flags = append(r.flags, ok) // hot: runtime.growslice
	}
	return nil
}

// The number comes from outside, and what is there may be less.
func (r *record) claimed(n int, next func() (uint32, error)) error {
	for range n {
		v, err := next()
		if err != nil {
			return err
		}
		// want C: slices.Grow
		r.counts = append(r.counts, v) // hot: runtime.growslice
	}
	return nil
}

func (r *record) rows(rows [][]uint32) {
	for _, row := range rows {
		for _, v := range row {
			// want C: before the outer loop
			r.counts = append(r.counts, v) // hot: runtime.growslice
		}
	}
}

func (r *record) elsewhere(words []string, at func() *record) {
	for _, w := range words {
		// want C: element by element
		at().words = append(at().words, w) // hot: runtime.growslice
	}
	for range words {
		if r = r.next; r == nil {
			return
		}
		r.words = append(r.words, "") // hot: runtime.growslice
	}
}

func (r *record) long(words []string) {
	for _, w := range words {
		if len(w) > 3 {
			// want B: that most of the len(words) iterations append to it: memory for all elements is allocated first. Also check that no code
			r.words = append(r.words, w) // hot: runtime.growslice
		}
	}
}

func tags(dst []string, n int, tag func(int) (string, bool)) []string {
	for i := 0; i < n; i++ {
		if t, ok := tag(i); ok {
			// want B: nil from an empty dst
			dst = append(dst, t) // hot: runtime.growslice
		}
	}
	return dst
}

func chosen(words []string) (short, other []string) {
	var long []string
	for _, w := range words {
		switch {
		case len(w) > 10:
			// want B: that most of the len(words) iterations append to it
			long = append(long, w[1:]) // hot: runtime.growslice
		case len(w) < 3:
			// want C: if most do, set that capacity
			short = append(short, w+"!") // hot: runtime.growslice
		case w == "":
			short = append(short, "empty")
		}
	}
	return short, long
}
