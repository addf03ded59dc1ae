package fine

import "maps"

// room is there.
func room(xs []int) map[int]int {
	m := make(map[int]int, len(xs))
	for i, x := range xs {
		m[i] = x // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
	return m
}

type cache struct{ m map[int]int }

// field lives longer.
func (c *cache) field(xs []int) {
	for i, x := range xs {
		c.m[i] = x // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
}

// assigned is no growing.
func assigned(xs []int) map[int]int {
	m := map[int]int{}
	for i, x := range xs {
		m[i] = x // hot: runtime.mapassign_fast64
	}
	return m
}

// slices are no maps, and given ones that aren't rebuilt have their size.
func slices(xs []int, given map[int]int) []int {
	out := []int{}
	for i, x := range xs {
		out[i] = x   // hot: internal/runtime/maps.(*table).rehash
		given[i] = x // hot: runtime.mapassign_fast64
	}
	return out
}

// sized has room for all, also where a function is called for each.
func sized(n int, each func(func(int))) map[int]bool {
	m := make(map[int]bool, n)
	each(func(i int) {
		m[i] = true // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	})
	return m
}

// values are what is allocated.
func values(xs []int) map[int]*int {
	m := make(map[int]*int)
	for i, x := range xs {
		m[i] = &x // alloc
	}
	return m
}

// merged has keys already.
func merged(a, b map[string]int) map[string]int {
	m := maps.Clone(a)
	maps.Copy(m, b) // hot: maps.Copy[...] runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	n := make(map[string]int)
	n["a"] = 1
	maps.Copy(n, b) // hot: maps.Copy[...] runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	maps.Copy(n, m)
	return n
}

// few keys are all in the first group, beside which the values are allocated.
func few(names []string) (map[string]string, map[string]int) {
	m := make(map[string]string)
	for i, n := range names {
		m[n] = n + names[i/2] // alloc: 32 288
	}
	at := make(map[string]int)
	for i, n := range names {
		at[n] = i // hot: runtime.mapassign_faststr internal/runtime/maps.(*Map).growToSmall internal/runtime/maps.newGroups
	}
	return m, at
}
