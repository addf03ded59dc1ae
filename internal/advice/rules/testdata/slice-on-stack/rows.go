package rows

type cell struct{ a, b int32 }

func distance(a, b string) int {
	// want A: An array of 64 elements on the stack
	row := make([]int, len(b)+1) // alloc: 128 416
	for i := range row {
		row[i] = i
	}
	for i := range a {
		last := i
		row[0] = i + 1
		for j := range b {
			next := row[j+1]
			if a[i] != b[j] {
				last = min(last, next, row[j]) + 1
			}
			row[j+1], last = last, next
		}
	}
	return row[len(b)]
}

func counted(n int, xs []uint8) (sum int) {
	// want A: An array of 8 elements
	cells := make([]cell, n) // alloc: 64
	for i, x := range xs {
		cells[i%n].a += int32(x)
	}
	for _, c := range cells {
		sum += int(c.a - c.b)
	}
	return sum + cap(cells)
}

type bytes []byte

func reversed(text string) bool {
	// want A: An array of 64 elements
	back := make(bytes, 0, len(text)) // alloc: 32
	for i := len(text) - 1; i >= 0; i-- {
		back = append(back, text[i])
	}
	return string(back) == text
}
