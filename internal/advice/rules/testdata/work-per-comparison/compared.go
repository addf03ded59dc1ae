package compared

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

type event struct {
	at   time.Time
	name string
}

func (e *event) Name() string { return e.name }

type queue []*event

func (q queue) Less(i, j int) bool {
	return strings.ToLower(q[i].name) < strings.ToLower(q[j].name) // hot: strings.ToLower
}

// What is compared is at hand; nothing is sorted.
func order(events []*event, find func(func(a, b *event) bool) int) int {
	sort.Slice(events, func(i, j int) bool {
		return events[i].at.Before(events[j].at) // hot: time.Time.Before
	})
	slices.SortFunc(events, func(a, b *event) int {
		return cmp.Compare(a.Name(), b.Name()) // hot: cmp.Compare[...]
	})
	slices.SortFunc(events, func(a, b *event) int {
		if string(a.name[0]) == b.name { // hot: runtime.memequal
			return 0
		}
		return strings.Compare(a.name, b.name) // hot: strings.Compare
	})
	return find(func(a, b *event) bool {
		return strings.ToUpper(a.name) == strings.ToUpper(b.name) // hot: strings.ToUpper
	})
}
