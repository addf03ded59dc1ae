package silent

type image struct{ pix []byte }

func proved(p []byte, n int) byte {
	x := p[n] + p[n+1] + p[n+2] + p[n+3] // hot
	return x
}

func three(p []byte, n int) byte {
	// says: index checked
	x := p[n] + p[n+1] + p[n+2] + p[n] // hot
	return x
}

func changed(p []byte, n int) (x byte) {
	// says: index checked
	x += p[n] + p[n+1] // hot
	n++
	x += p[n+2] + p[n+3]
	p = p[1:]
	x += p[n] + p[n+1]
	return x
}

func field(m *image, n int) {
	// says: index checked
	m.pix[n], m.pix[n+1] = 1, 2 // hot
	m.pix[n+2], m.pix[n+3] = 3, 4
}

func small(p []byte, n uint8) byte {
	// says: index checked
	x := p[n] + p[n+1] + p[n+2] + p[n+3] // hot
	return x
}

func sometimes(p []byte, n int, all bool) (x byte) {
	// says: index checked
	x = p[n] + p[n+1] // hot
	if all {
		x += p[n+2] + p[n+3] + p[n+4]
	}
	return x
}

func shared(p []byte, n int, set func(*[]byte)) (x byte) {
	x += p[n] + p[n+1]
	set(&p)
	// says: index checked
	x += p[n+2] + p[n+3] // hot
	return x
}

func constant(p []byte) byte {
	// says: index checked
	x := p[0] + p[1] + p[2] + p[3] // hot
	return x
}
