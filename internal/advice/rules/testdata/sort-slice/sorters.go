package sorters

import (
	"sort"
	"strings"
	"time"
)

type job struct {
	name     string
	priority int
	weight   float64
	due      time.Time
}

type byPriority []*job

func (s byPriority) Len() int           { return len(s) }
func (s byPriority) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s byPriority) Less(i, j int) bool { return s[i].priority < s[j].priority }

type byName []*job

func (a byName) Len() int      { return len(a) }
func (a byName) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a byName) Less(i, j int) bool {
	// Those without a name come last.
	if a[i].name != a[j].name {
		return a[i].name > a[j].name
	}
	x, y := strings.ToLower(a[i].name), a[j].priority
	return len(x) < y
}

type byDue []*job

func (a byDue) Len() int      { return len(a) }
func (a byDue) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a byDue) Less(i, j int) bool {
	x, y := a[i], a[j]
	if !x.due.Equal(y.due) {
		return x.due.Before(y.due)
	}
	return x.name < y.name
}

type ids []int

func (s ids) Len() int           { return len(s) }
func (s ids) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s ids) Less(i, j int) bool { return s[i] < s[j] }

type byWeight struct{ jobs []*job }

func (s *byWeight) Len() int           { return len(s.jobs) }
func (s *byWeight) Swap(i, j int)      { s.jobs[i], s.jobs[j] = s.jobs[j], s.jobs[i] }
func (s *byWeight) Less(i, j int) bool { return s.jobs[i].weight < s.jobs[j].weight }

type list []*job

func (l list) Len() int      { return len(l) }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// longest has two methods of list.
type longest struct{ list }

func (l longest) Less(i, j int) bool { return len(l.list[i].name) > len(l.list[j].name) }

// heapLike is kept as a pointer.
type heapLike []int

func (h *heapLike) Len() int           { return len(*h) }
func (h *heapLike) Swap(i, j int)      { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }
func (h *heapLike) Less(i, j int) bool { return (*h)[i] > (*h)[j] }

func order(jobs []*job, numbers []int) {
	// want B: equal elements may come in a different order
	sort.Sort(byPriority(jobs)) // hot: sort.Sort
	// want A: slices.SortStableFunc with a comparison function
	sort.Stable(byPriority(jobs)) // hot: sort.Stable
	// want B: equal elements may come in a different order
	sort.Sort(sort.Reverse(byPriority(jobs))) // hot: sort.Sort
	// want B: no side effects
	sort.Sort(byDue(jobs)) // hot: sort.Sort
	// want A: slices.Sort is compiled for int
	sort.Sort(ids(numbers)) // hot: sort.Sort
	// want A: slices.SortFunc
	sort.Sort(sort.Reverse(ids(numbers))) // hot: sort.Sort
}

func fields(jobs []*job, w *byWeight, named byPriority, h heapLike, p *heapLike) {
	// want B: NaN
	sort.Sort(&byWeight{jobs}) // hot: sort.Sort
	// want B: NaN
	sort.Sort(&byWeight{jobs: jobs[1:]}) // hot: sort.Sort
	// want B: NaN
	sort.Sort(w) // hot: sort.Sort
	// want B: equal elements
	sort.Sort(longest{jobs}) // hot: sort.Sort
	// want A: SortStableFunc
	sort.Stable(named) // hot: sort.Stable
	// want A: slices.SortFunc
	sort.Sort(&h) // hot: sort.Sort
	// want A: slices.SortFunc
	sort.Sort(p) // hot: sort.Sort
}

func checks(jobs []*job, numbers []int, weights []float64) bool {
	// want A: calls Less of byPriority
	return sort.IsSorted(byPriority(jobs)) && // hot: sort.IsSorted
		// want A: slices.IsSorted is compiled for int
		sort.IsSorted(ids(numbers)) && // hot: sort.IsSorted
		// want A: slices.IsSorted is compiled for ints
		sort.IsSorted(sort.IntSlice(numbers)) && // hot: sort.IsSorted
		// want A: slices.IsSorted is compiled for int
		sort.SliceIsSorted(numbers, func(i, j int) bool { return numbers[i] < numbers[j] }) && // hot: sort.SliceIsSorted
		// want A: slices.IsSortedFunc
		sort.SliceIsSorted(jobs, func(i, j int) bool { return jobs[i].name < jobs[j].name }) && // hot: sort.SliceIsSorted
		// want B: NaN
		sort.SliceIsSorted(weights, func(i, j int) bool { return weights[i] < weights[j] }) // hot: sort.SliceIsSorted
}
