package report

// gcd returns the greatest common divisor of all numbers in all columns.
func gcd(columns ...[]int64) int64 {
	g := int64(0)
	for _, column := range columns {
		for _, n := range column {
			for n != 0 {
				g, n = n, g%n
			}
			if g == 1 || g == -1 {
				return 1
			}
		}
	}
	if g < 0 {
		g = -g
	}
	return max(g, 1)
}
