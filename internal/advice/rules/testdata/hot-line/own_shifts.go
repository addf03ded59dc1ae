package hotline

type window struct {
	sum   uint64
	shift uint
}

func (w *window) top() byte {
	// want look: The shift by w.shift also handles 64 and more: masked with & 63, the shift is one instruction.
	return byte(w.sum >> w.shift) // hot
}

func (w *window) topMasked() byte {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of topMasked. (end)
	return byte(w.sum >> (w.shift & 63)) // hot
}

func (w *window) topChecked() byte {
	if w.shift > 56 {
		return 0
	}
	// want look: what is inlined there. It is in no loop: it runs at most once per call of topChecked. (end)
	return byte(w.sum >> w.shift) // hot
}
