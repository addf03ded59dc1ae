package files

func totals(lines [][]byte) int {
	s := newSum()
	for _, line := range lines {
		s.add(line)
	}
	return s.total()
}
