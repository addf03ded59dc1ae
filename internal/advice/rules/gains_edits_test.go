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
	_     [2]string // copying takes a while
}

type byValue []entry

func (b byValue) Len() int           { return len(b) }
func (b byValue) Less(i, j int) bool { return b[i].value < b[j].value }
func (b byValue) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// The branch is for what is invalid, and doesn't run.
//
//go:noinline
func checkEscaping(e entry) int {
	if e.value < 0 {
		madeEntry = &e
		return 0
	}
	return e.value + len(e.name)
}

//go:noinline
func checkCopied(e entry) int {
	if e.value < 0 {
		e := e
		madeEntry = &e
		return 0
	}
	return e.value + len(e.name)
}

var madeEntry *entry

// inPlace are edits of a few statements.
func inPlace() map[string]versus {
	entries := make([]entry, 100)
	for i := range entries {
		entries[i] = entry{name: strconv.Itoa(i), value: i}
	}
	var line [64]byte
	numbers, shifted := make([]int, 100), make([]int, 100)
	return map[string]versus{
		"append-formatted": {
			func() { madeBytes = append(line[:0], strconv.Itoa(1234567)...) },
			func() { madeBytes = strconv.AppendInt(line[:0], 1234567, 10) },
		},
		"kept-temporary": {
			func() {
				for _, e := range entries {
					var fields []string
					for range 8 {
						fields = append(fields, e.name)
					}
					madeInt = len(fields)
				}
			},
			func() {
				var fields []string
				for _, e := range entries {
					fields = fields[:0]
					for range 8 {
						fields = append(fields, e.name)
					}
					madeInt = len(fields)
				}
			},
		},
		"prepend-loop": {
			func() {
				var all []int
				for _, n := range numbers {
					all = append([]int{n}, all...)
				}
				madeInts = all
			},
			func() {
				var all []int
				//lint:ignore S1011 this is what the rewrite makes of a loop
				for _, n := range numbers {
					all = append(all, n)
				}
				slices.Reverse(all)
				madeInts = all
			},
		},
		"shift-loop": {
			func() {
				for i := 0; i < len(shifted)-1; i++ {
					shifted[i] = shifted[i+1]
				}
			},
			func() { copy(shifted, shifted[1:]) },
		},
		"escapes-in-branch": {
			func() {
				for _, e := range entries {
					madeInt += checkEscaping(e)
				}
			},
			func() {
				for _, e := range entries {
					madeInt += checkCopied(e)
				}
			},
		},
		"sort-slice/sorted": {
			func() { madeBool = sort.IsSorted(byValue(entries)) },
			func() { madeBool = slices.IsSortedFunc(entries, func(a, b entry) int { return a.value - b.value }) },
		},
	}
}
