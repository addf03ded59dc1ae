package lookalike

type node struct {
	children []node
	n        int
}

// Each element becomes the first: it is read after it was set.
func smear(s []int) {
	for i := 0; i < len(s)-1; i++ {
		s[i+1] = s[i] // hot
	}
	for i := len(s) - 1; i > 0; i-- {
		s[i-1] = s[i] // hot
	}
}

// It ends with a panic.
func behind(s []int) {
	for i := 0; i < len(s); i++ {
		s[i] = s[i+1] // hot
	}
}

// Two slices, or something else as well.
func others(s, t []int, m map[int]int, a [8]int, n node, p *node) (sum int) {
	for i := 0; i < len(s)-1; i++ {
		s[i] = t[i+1] // hot
	}
	for i := 0; i < len(s)-1; i++ {
		s[i] = s[i+1] // hot
		sum++
	}
	for i := 0; i < len(s)-1; i++ {
		s[i] += s[i+1] // hot
	}
	for i := 0; i < len(m)-1; i++ {
		m[i] = m[i+1] // hot
	}
	for i := 0; i < len(a)-1; i++ {
		a[i] = a[i+1] // hot
	}
	// p may be one of its own children.
	for i := 0; i < len(p.children)-1; i++ {
		p.children[i] = p.children[i+1] // hot
	}
	for i := 0; i < len(s)-1; i += 2 {
		s[i] = s[i+1] // hot
	}
	var i int
	for i = 0; i < len(s)-1; i++ {
		s[i] = s[i+1] // hot
	}
	return sum + i
}

// The limit is an element's.
func moving(s []*node, p *node, limits []int) {
	for i := 0; i < p.n; i++ {
		s[i] = s[i+1] // hot
	}
	for i := 0; i < limits[0]; i++ {
		limits[i] = limits[i+1] // hot
	}
}
