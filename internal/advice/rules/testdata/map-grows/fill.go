package fill

import (
	"maps"
	"strconv"
)

type user struct {
	id    int
	roles []string
}

func (u *user) Roles() []string { return u.roles }

func byID(users []*user) map[int]*user {
	m := make(map[int]*user)
	for _, u := range users {
		// want B: unless many keys are the same
		m[u.id] = u // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
	return m
}

func positions(words []string, load func() (map[string]int, error)) (map[int]string, error) {
	at := map[int]string{}
	for i, w := range words {
		// want A: to len(words) keys
		at[i] = w // alloc: 288 576 1152
	}
	copied := map[string]int{} // of all

	loaded, err := load()
	if err != nil {
		return nil, err
	}
	for k, v := range loaded {
		// want A: to len(loaded) keys
		copied[k] = v + len(copied) // hot: runtime.mapassign_faststr internal/runtime/maps.(*Map).growToTable
	}
	for k := range copied {
		// want C: count or estimate the number of keys where it is created
		at[copied[k]] = k // hot: runtime.mapassign_faststr internal/runtime/maps.(*Map).growToTable
	}
	return at, nil
}

func numbers(n int, u *user) (map[int]bool, map[string]int) {
	var set = make(map[int]bool, 0)
	for i := 0; i < n; i++ {
		// want A: to n keys
		set[i] = true // hot: runtime.mapassign_fast64 runtime.hashGrow
	}
	ranks := make(map[string]int)
	for i, r := range u.Roles() {
		// want B: len(u.Roles())
		ranks[r] = i // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).grow
	}
	return set, ranks
}

func parse(fields []string, n int) (map[int]int, error) {
	values := make(map[int]int)
	n = len(fields)
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil {
			return nil, err
		}
		// want B: to len(fields) keys
		values[i] = v // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
	claimed := make(map[int]int)
	for i := range n {
		if fields[i] == "" {
			return nil, nil
		}
		// want C: make it with a size of n
		claimed[i] = 1 // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
	return values, nil
}

func counts(words []string) (map[string]int, map[string][]int, map[string]bool) {
	n := make(map[string]int)
	for _, w := range words {
		// want C: If most keys are different
		n[w]++ // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	at := make(map[string][]int)
	for i, w := range words {
		// want C: If most keys are different
		at[w] = append(at[w], i) // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	}
	long := make(map[string]bool)
	for _, w := range words {
		if len(w) > 10 {
			// want C: Not all of the len(words) iterations store a key
			long[w] = true // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return n, at, long
}

type pages map[string]int

func clone(old map[string]int, more func() map[string]int) (pages, pages) {
	all := make(pages)
	// want A: to the keys of old
	maps.Copy(all, old) // hot: maps.Copy[...] runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	rest := pages{}
	// want C: to the keys of more()
	maps.Copy(rest, more()) // hot: maps.Copy[...] runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
	return all, rest
}

func some[K comparable, V any, M ~map[K]V](in M, keep func(K) bool) M {
	kept := M{}
	for k, v := range in {
		if keep(k) {
			// want C: Not all of the len(in) iterations store a key
			kept[k] = v // hot: runtime.mapassign_faststr internal/runtime/maps.(*table).rehash
		}
	}
	return kept
}

// alphabet has each character of a text once.
func alphabet(text []rune) map[rune]int {
	last := make(map[rune]int)
	for i, r := range text {
		// want C: Characters repeat
		last[r] = i // hot: runtime.mapassign_fast32 internal/runtime/maps.(*table).rehash
	}
	return last
}

// claimed panics where there are fewer than somebody claims.
func claimed(n int, next func() (int, bool)) map[int]int {
	m := map[int]int{}
	for i := 0; i < n; i++ {
		v, ok := next()
		if !ok {
			panic("too short")
		}
		// want C: make it with a size of n
		m[i] = v // hot: runtime.mapassign_fast64 internal/runtime/maps.(*table).rehash
	}
	return m
}
