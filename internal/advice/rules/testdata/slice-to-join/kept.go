package kept

import (
	"fmt"
	"sort"
	"strings"
)

// Slices that something else is done with: they are given, returned, sorted, ranged over,
// kept, made by others, or joined to fail.
func all(given []string, each func(*string), field *struct{ names []string }) (string, []string, error) {
	var returned, sorted, ranged, stored, pointed []string
	for _, g := range given {
		returned = append(returned, g+"!")
		sorted = append(sorted, g+"?")
		ranged = append(ranged, g+".")
		stored = append(stored, g+",")
		pointed = append(pointed, g+";")
	}
	sort.Strings(sorted)
	n := 0
	for _, r := range ranged {
		n += len(r)
	}
	field.names = stored
	each(&pointed[0])
	parts := strings.Fields(given[0])
	text := strings.Join(given, " ")    // hot: strings.Join
	text += strings.Join(sorted, " ")   // hot: strings.Join
	text += strings.Join(ranged, " ")   // hot: strings.Join
	text += strings.Join(stored, " ")   // hot: strings.Join
	text += strings.Join(pointed, " ")  // hot: strings.Join
	text += strings.Join(parts, " ")    // hot: strings.Join
	text += strings.Join(returned, " ") // hot: strings.Join
	var failed []string
	for _, r := range ranged {
		failed = append(failed, r)
	}
	return text, returned, fmt.Errorf("%s", strings.Join(failed, ", ")) // hot: strings.Join
}
