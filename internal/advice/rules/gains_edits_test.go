//go:build unix

package rules

import (
	"slices"
	"sort"
	"strconv"
)

type entry struct {
	name  string
	value int
	rest  [2]string
}

type byValue []entry

func (b byValue) Len() int           { return len(b) }
func (b byValue) Less(i, j int) bool { return b[i].value < b[j].value }
func (b byValue) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// inPlace are edits of a few statements.
func inPlace() map[string]versus {
	entries := make([]entry, 100)
	for i := range entries {
		entries[i] = entry{name: strconv.Itoa(i), value: i}
	}
	var line [64]byte
	return map[string]versus{
		"append-formatted": {
			func() { madeBytes = append(line[:0], strconv.Itoa(1234567)...) },
			func() { madeBytes = strconv.AppendInt(line[:0], 1234567, 10) },
		},
		"sort-slice/sorted": {
			func() { madeBool = sort.IsSorted(byValue(entries)) },
			func() { madeBool = slices.IsSortedFunc(entries, func(a, b entry) int { return a.value - b.value }) },
		},
	}
}
