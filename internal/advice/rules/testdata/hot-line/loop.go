package hotline

type cell struct{ weight int }

type grid [][]cell

func (g grid) total(rows, columns int) (sum int) {
	for y := range rows {
		for x := range columns {
			// want look: a hot line The CPU time goes to the line's own code, including what is inlined there. It runs up to rows × columns times per call of total, by the bounds of the loops around it (an estimate). (end)
			sum += g[y][x].weight // hot
		}
	}
	return sum
}

func lookup(m map[string]int, words []string, more func() bool) (n int) {
	for more() {
		for _, w := range words {
			// want look: a hot line: looking up a map CPU time here: looking up a map (14.3 %). It is in 2 nested loops (lines 18, 19); how often they run per call of lookup isn't known. (end)
			n += m[w] // hot: runtime.mapaccess1_faststr
		}
	}
	return n
}
