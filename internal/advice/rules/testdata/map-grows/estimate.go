package estimate

import "bufio"

func lines(in *bufio.Scanner) map[string]bool {
	m := make(map[string]bool)
	for in.Scan() {
		// want C: count or estimate the number of keys where it is created
		m[in.Text()] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	return m
}

func cells(rows [][]string) map[string]int {
	m := make(map[string]int)
	for _, row := range rows {
		for i, s := range row {
			// want C: count or estimate the number of keys where it is created
			m[s] = i // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return m
}

type table struct{ rows []string }

func (t *table) each(f func(i int, row string) bool) {
	for i, row := range t.rows {
		if !f(i, row) {
			return
		}
	}
}

func index(t *table) map[string]int {
	m := make(map[string]int)
	t.each(func(i int, row string) bool {
		// want C: count or estimate the number of keys where it is created
		m[row] = i // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		return true
	})
	return m
}

func addNew(to []string, from []string, seen map[string]bool) []string {
	for _, s := range from {
		if !seen[s] {
			to = append(to, s)
			// want C: a map grows key by key seen is rebuilt as it grows
			seen[s] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return to
}
