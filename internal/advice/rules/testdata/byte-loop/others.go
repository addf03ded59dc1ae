package others

func count(n, m int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) // hot: others.count
	}
	half := make([]byte, n)
	for i := 0; i < m; i++ {
		half[i] = ' ' // hot: others.count
	}
	from := make([]byte, n)
	for i := 1; i < n; i++ {
		from[i] = ' ' // hot: others.count
	}
	zero := make([]byte, n)
	for i := range zero {
		zero[i] = 0 // hot: others.count
	}
	roomy := make([]byte, n, m)
	for i := range roomy {
		roomy[i] = ' ' // hot: others.count
	}
	both := make([]byte, n)
	for i := range both {
		both[i] = ' ' // hot: others.count
		half[i] = ' '
	}
	b = append(append(append(b, half...), from...), zero...)
	return append(append(b, roomy...), both...)
}

func words(s string, n int, next func() string) string {
	for len(s) < n {
		s += "ab" // hot: runtime.concatstring2
	}
	for len(s) < n {
		s += next() // hot: runtime.concatstring2
	}
	for n < len(s) {
		s += " " // hot: runtime.concatstring2
		n += 2
	}
	return s
}
