package hotline

type state struct{ next []int }

type machine struct{ states []state }

func (m *machine) fill(from, to int) {
	for by := 0; by <= to; by++ {
		// want look: The loop on line 8 loads m.states[from].next again in each iteration and doesn't change it (2 loads): a variable before the loop can hold it.
		m.states[from].next[by] = to // hot
	}
}

type digest struct {
	sum  uint64
	tail []byte
}

func (d *digest) write(b []byte) {
	for _, c := range b {
		// want look: Each iteration of the loop on line 20 loads and stores d.sum in memory: a local variable can stay in a register.
		d.sum += uint64(c) // hot
	}
}

func (d *digest) roll(b byte) {
	d.sum ^= 7
	// want look: roll loads d.sum 3 times and stores it 3 times in memory: a local variable can stay in a register.
	d.sum <<= 8 // hot
	d.sum |= uint64(b)
}
