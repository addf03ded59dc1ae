package callers

import "strings"

type store struct {
	cells []cell
	index []int
}

type cell struct{ sum, count int }

func report(names []string, title string) (n int) {
	for _, name := range names {
		n += widths(name, heading(title))
	}
	return n
}

func heading(title string) string { return strings.ToUpper(strings.TrimSpace(title)) }

func widths(name, heading string) int {
	// want look: the loop on line 13 in report repeats these calls. On line 14 in report, which calls it: heading(title) returns the same in each iteration of the loop on line 13. (end)
	return strings.Count(name, heading) // hot: strings.Count from 14
}

func (s *store) mean(i int) int {
	// says: index checked
	// want look: is in range, so the line checks it. (end)
	return s.cells[s.index[i]].mean() // hot
}

func (c *cell) mean() int {
	// want look: The / by c.count is a division, as that isn't a constant: divisions are slow instructions. It is in no loop: it runs at most once per call of mean. On line 29 in mean, which calls it: The compiler can't prove that an index is in range, so the line checks it. (end)
	return c.sum / c.count // hot: from 29
}

func free(c *cell) int {
	// want look: It is in no loop: it runs at most once per call of free. (end)
	return c.sum % 7 // hot
}
