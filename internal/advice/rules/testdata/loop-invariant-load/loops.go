package loops

type state struct{ next []int }

type machine struct {
	states []state
	limit  int
	table  *table
}

type table struct{ in, out [256]uint64 }

type builder struct{ m *machine }

func (b *builder) fill(from, first, last, to int) {
	// want B: Each iteration loads b.m.states[from].next again (3 loads) and doesn't change it: a variable before the loop can hold it. Check that b.m.states[from].next doesn't panic if the loop has no iterations
	for by := first; by <= last; by++ {
		if b.m.states[from].next[by] == 0 { // hot
			b.m.states[from].next[by] = to
		}
	}
}

func (m *machine) count() (n int) {
	// want A: Each iteration loads m.states again
	for i := 0; i < len(m.states); i++ {
		n += len(m.states[i].next) // hot
	}
	return n
}

// The names next and type are taken.
func product(a, b, c [][]float64, next int) {
	for i := range a {
		for j := 0; j < next; j++ {
			sum := 0.0
			// want A: Each iteration loads a[i] again (2 loads)
			for k := 0; k < len(a[i]); k++ {
				sum += a[i][k] * b[k][j] // hot
			}
			c[i][j] = sum
		}
	}
}

type digest struct {
	value  uint64
	tables *table
	Type   []byte
	next   *digest
}

func (d *digest) write(data []byte) {
	d.value = 0
outer:
	// want B: Check that d.next.tables doesn't panic
	for _, c := range data {
		d.value ^= d.next.tables.out[c] // hot
		d.value ^= d.next.tables.in[byte(d.value)]
		if c == 0 {
			continue outer
		}
	}
}

func (d *digest) types(n int) (all int) {
	for i := range n {
		// want B: Each iteration loads d.tables and d.Type again (2 loads) and doesn't change them: variables before the loop can hold them. Check that d.tables and d.Type don't panic if
		for j := 0; j < i; j++ {
			all += int(d.Type[j]) + int(d.tables.in[j]) // hot
		}
	}
	return all
}

func (d *digest) first(n int) (all int) {
	if len(d.Type) < n {
		return 0
	}
	// want A: Each iteration loads d.tables again (2 loads) and doesn't change it
	for j := 0; j < n; j++ {
		all += int(d.Type[j]) // hot
		all += int(d.tables.out[j] + d.tables.in[j])
	}
	return all
}
