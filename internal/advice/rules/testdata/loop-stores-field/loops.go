package loops

type digest struct {
	sum, n uint64
	table  *[256]uint64
	next   *digest
}

func (d *digest) write(text []byte) {
	d.sum = 7
	// want B: Each iteration loads and stores d.sum in memory. A local variable can stay in a register; the field is set after the loop. Check that nothing needs d.sum while the loop runs, or after a panic in it. (end)
	for _, c := range text {
		if c == 0 {
			break
		}
		d.sum = d.sum*31 + uint64(c) // hot
		d.sum ^= d.table[c]
	}
}

func (d *digest) until(text []byte, end byte) uint64 {
	// want B: loads and stores d.n in memory
	for _, c := range text {
		if c == end {
			return d.n
		}
		d.n += uint64(c) // hot
	}
	return 0
}

func (d *digest) count(n uint64) {
	// want B: Also check that d.next.n can be set if the loop has no iterations: otherwise it would panic then. (end)
	for i := uint64(0); i < n; i++ {
		d.next.n++ // hot
		if d.next.n&i != 0 {
			d.next.n += 2
		}
	}
}
