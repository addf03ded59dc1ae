package lookalike

import (
	"maps"
	"sync"
)

type table map[string]int

func (t table) get(name string) int { return t[name] }

var kept map[string]int

func changed(name string) int {
	counts := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	counts[name]++
	filled := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	filled[name] = 2
	removed := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	delete(removed, name)
	set := []int{1, 2, 3} // hot: runtime.memmove
	set[1] = 5
	pointed := [...]int{1, 2, 3} // hot: runtime.memmove
	p := &pointed[0]
	*p++
	part := []int{1, 2, 3} // hot: runtime.memmove
	return counts[name] + filled[name] + removed[name] + set[0] + pointed[1] + part[1:][0]
}

func given(name string, n int) (map[string]int, int) {
	returned := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	passed := map[string]int{"a": 1}   // hot: runtime.mapassign_faststr
	for k := range maps.Keys(passed) {
		n += len(k)
	}
	stored := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	kept = stored
	other := table{"a": 1}              // hot: runtime.mapassign_faststr
	varies := map[string]int{"a": n}    // hot: runtime.mapassign_faststr
	lists := map[string][]int{"a": {1}} // hot: runtime.mapassign_faststr
	lists[name][0] = 2
	type local int
	named := map[local]int{1: 1} // hot: runtime.mapassign_faststr
	const limit = 2
	limits := map[string]int{"a": limit}                  // hot: runtime.mapassign_faststr
	if again := map[string]int{"a": 1}; again[name] > 0 { // hot: runtime.mapassign_faststr
		n++
	}
	return returned, other.get(name) + varies[name] + named[1] + limits[name] + lists[name][0]
}

func generic[K comparable](k K) bool {
	return map[K]bool{k: true}[k] && map[K]bool{}[k] // hot: runtime.mapassign_faststr
}

func init() {
	once := map[string]int{"a": 1} // hot: runtime.mapassign_faststr
	kept["a"] = once["a"]
}

type count int

func (c *count) inc() int { *c++; return int(*c) }

func byAddress(i int) int {
	counts := []count{1, 2, 3} // hot: runtime.memmove
	array := [...]count{1, 2}  // hot: runtime.memmove
	values := []count{1, 2}    // hot: runtime.memmove
	inc := values[i].inc
	return counts[i].inc() + (array[i]).inc() + inc() + []count{1, 2}[i].inc() // hot: runtime.memmove
}

var (
	starts sync.Once
	byName map[string]int
)

func lookUp(name string) int {
	starts.Do(fillTable)
	return byName[name]
}

func fillTable() {
	byName = make(map[string]int)
	for _, name := range []string{"a", "b"} { // hot: runtime.memmove
		byName[name]++
	}
}
