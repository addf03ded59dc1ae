package prog

import "fmt"

type Item struct {
	Name string
	N    int
}

// Report formats items, one a line.
func Report(items []Item) string {
	s := ""
	for _, it := range items {
		s += fmt.Sprintf("%s=%d\n", it.Name, it.N)
	}
	return s
}
