package pieces

func joined(parts [][]byte) []byte {
	var out []byte
	for _, p := range parts {
		// want A: Add up the lengths first
		out = append(out, p...) // hot: runtime.growslice
	}
	return out
}

// lines has one more per piece.
func lines(texts []string, size int) ([]byte, bool) {
	b := make([]byte, 0)
	for i := range texts {
		_ = texts[i]
	}
	for _, text := range texts {
		// want B: no code uses the spare capacity of b
		b = append(b, text...) // hot: runtime.growslice
		b = append(b, '\r', '\n')
	}
	return b, cap(b) > size
}

// first shares the array of the first.
func first(rows [][]int) []int {
	flat := rows[0]
	for _, row := range rows[1:] {
		// want B: spare capacity of flat
		flat = append(flat, row...) // hot: runtime.growslice
	}
	return flat
}

type table struct {
	cells []string
	rows  [][]string
}

func (t *table) flatten() error {
	for _, row := range t.rows {
		if len(row) > 100 {
			return errLong
		}
		// want B: that the loop rarely returns early
		t.cells = append(t.cells, row...) // hot: runtime.growslice
	}
	return nil
}

var errLong error

// blocks appends pieces of one length.
func blocks(n int) []byte {
	var out []byte
	for i := 0; i < n; i++ {
		block := [32]byte{byte(i)}
		// want A: to 32*n elements
		out = append(out, block[:]...) // hot: runtime.growslice
	}
	return out
}

func fixed(xs []int) []byte {
	var out []byte
	var number [8]byte
	for _, x := range xs {
		number[0] = byte(x)
		out = append(out, "0x"...)
		out = append(out, number[:4]...)
		// want A: to 7*len(xs) elements
		out = append(out, ',') // hot: runtime.growslice
	}
	return append(out, "]"...)
}

// inner has one slice per row.
func inner(tables []table) (all [][]string) {
	for _, t := range tables {
		var cells []string
		for _, row := range t.rows {
			// want A: Add up the lengths first
			cells = append(cells, row...) // hot: runtime.growslice
		}
		all = append(all, cells)
	}
	return all
}

func each[T any](parts [][]T) []T {
	var out []T
	for _, p := range parts {
		// want A: Add up the lengths first
		out = append(out, p...) // hot: runtime.growslice
	}
	return out
}

// What the lengths are isn't known before, or they are of another loop.
func unknown(parts [][]byte, load func(int) []byte, tables []table) ([]byte, []string) {
	var out, odd, loaded, cut, none []byte
	for i, p := range parts {
		// want C: pieces of different length
		loaded = append(loaded, load(i)...) // hot: runtime.growslice
		if i%2 == 1 {
			// want C: pieces of different length
			odd = append(odd, p...) // hot: runtime.growslice
		}
		if len(p) == 0 {
			continue
		}
		// want C: pieces of different length
		out = append(out, p...) // hot: runtime.growslice
	}
	for _, p := range parts {
		p = p[:len(p)/2]
		// want C: pieces of different length
		cut = append(cut, p...) // hot: runtime.growslice
	}
	for _, p := range parts {
		if none == nil {
			none = load(len(p))
		}
		// want C: pieces of different length
		none = append(none, p...) // hot: runtime.growslice
	}
	var cells []string
	for _, t := range tables {
		for _, row := range t.rows {
			// want C: pieces of different length
			cells = append(cells, row...) // hot: runtime.growslice
		}
	}
	nothing := []struct{}{}
	for _, n := range [][]struct{}{nothing} {
		// want C: pieces of different length
		nothing = append(nothing, n...) // hot: runtime.growslice
	}
	return append(append(append(out, odd...), loaded...), append(cut, none...)...), cells
}

// found looks for the piece that it has to stop at.
func found(parts [][]byte) []byte {
	var out []byte
	for _, p := range parts {
		if string(p) == "." {
			break
		}
		// want C: pieces of different length
		out = append(out, p...) // hot: runtime.growslice
	}
	return out
}
