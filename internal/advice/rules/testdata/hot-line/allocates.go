package hotline

import "bytes"

type shape interface{ area(scale float64) float64 }

func copied(b *bytes.Buffer) []byte {
	// want look: a hot line It is in no loop: it runs at most once per call of copied. It allocates blocks of 64 bytes on average, mostly in bytes.Clone. (end)
	return bytes.Clone(b.Bytes()) // alloc: bytes.Clone
}

func areas(all []shape, scale float64, round func(float64) float64) (sum float64) {
	for _, s := range all {
		// want look: It runs up to len(all) times per call of areas, by the bounds of the loops around it (an estimate). round is a function value, whose call isn't inlined. s.area is called through an interface, so it isn't inlined. (end)
		sum += round(s.area(scale)) // hot
	}
	return sum
}
