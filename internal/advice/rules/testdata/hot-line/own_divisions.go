package hotline

type ring struct {
	buf  []int
	next int
}

func (r *ring) add() {
	// want look: The % by len(r.buf) is a division, as that isn't a constant: divisions are slow instructions.
	r.next = (r.next + 1) % len(r.buf) // hot
}

func (r *ring) addTo16() {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of addTo16. (end)
	r.next = (r.next + 1) % 16 // hot
}

func scale(x, by float64) float64 {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of scale. (end)
	return x / by // hot
}

func split(x, parts int) int {
	// want look: The / by parts is a division, as that isn't a constant
	x /= parts // hot
	return x
}
