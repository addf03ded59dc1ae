package silent

type digest struct {
	sum  uint64
	next *digest
}

// Another pointer may lead to the field.
func (d *digest) pointed(text []byte, out *uint64) {
	for _, c := range text {
		d.sum += uint64(c) // hot
		*out = 1
	}
}

// It is a digest, too.
func (d *digest) other(e *digest, text []byte) {
	for _, c := range text {
		d.sum += uint64(c) // hot
		e.sum--
	}
}

// Under another name.
func (d *digest) renamed(text []byte) {
	e := d
	for _, c := range text {
		d.sum += uint64(c) // hot
		e.sum ^= 3
	}
}

// A call sees the field.
func (d *digest) called(text []byte, f func()) {
	for _, c := range text {
		d.sum += uint64(c) // hot
		f()
	}
}

// So does a call before the loop ends.
func (d *digest) returned(text []byte) uint64 {
	for _, c := range text {
		d.sum += uint64(c) // hot
		if c == 0 {
			n := d.twice()
			return n
		}
	}
	return 0
}

func (d *digest) twice() uint64 { return 2 * d.sum }

// The pointer changes.
func walk(d *digest) {
	for d != nil {
		d.sum++ // hot
		d = d.next
	}
}

// It is in a register.
func local(text []byte) uint64 {
	var d digest
	for _, c := range text {
		d.sum += uint64(c) // hot
	}
	return d.sum
}
