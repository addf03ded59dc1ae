package order

import "bytes"

type page struct {
	text []byte
	buf  *bytes.Buffer
	name string
}

// indexed is evaluated before p.text, and behind it if it isn't part of a sum.
func indexed(p *page, xs []string, i int) {
	// want B: that p.text doesn't panic: it is now evaluated before xs[i]
	p.text = append(p.text, (xs[i] + "\n")...) // hot: runtime.concatstring2
}

func field(p, q *page, xs []string) {
	for i := range xs {
		// want B: Also check that no other slice uses the spare capacity of p.text, which may be written to a different extent before the slice is reallocated. (end)
		p.text = append(p.text, (xs[i] + q.name)...) // hot: runtime.concatstring2
	}
}

func called(p *page, next func() string) {
	// want B: that p.buf doesn't panic: it is now evaluated before next()
	p.buf.WriteString("<" + next()) // hot: runtime.concatstring2
}
