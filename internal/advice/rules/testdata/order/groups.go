// order: sprintf-simple map-grows

// The lists that a map holds grow, and hardly the map itself. Making the map larger made such a program slower.
package groups

import "fmt"

type order struct {
	customer string
	items    int
}

func byCustomer(orders []order) map[string][]order {
	groups := make(map[string][]order)
	for _, o := range orders {
		groups[o.customer] = append(groups[o.customer], o) // cpu 36 runtime.growslice runtime.mallocgc | cpu 4 internal/runtime/maps.(*table).rehash | bytes 66
	}
	return groups
}

func names(orders []order) (names []string) {
	names = make([]string, 0, len(orders))
	for _, o := range orders {
		names = append(names, fmt.Sprintf("%s:%d", o.customer, o.items)) // cpu 20 fmt.Sprintf
	}
	return names
}
