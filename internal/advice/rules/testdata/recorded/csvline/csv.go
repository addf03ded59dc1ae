package csvline

import (
	"fmt"
	"sort"
)

// Row is one line of a report.
type Row struct {
	Name string
	N    int
}

// Render returns rows as text, sorted by name.
func Render(rows []Row) string {
	sorted := append([]Row(nil), rows...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	out := ""
	for _, r := range sorted {
		out += fmt.Sprintf("%s,%d\n", r.Name, r.N)
	}
	return out
}
