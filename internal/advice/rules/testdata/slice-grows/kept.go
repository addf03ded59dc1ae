package kept

type set map[string]int

func (s set) each(f func(name string, n int) bool) {
	for name, n := range s {
		if !f(name, n) {
			return
		}
	}
}

// Room is there, one size is no growth, what the literal declares is new each time, and
// what is kept isn't called for each.
func kept(s set, keep func(func(string))) ([]string, []int) {
	names := make([]string, 0, len(s))
	var numbers []int
	s.each(func(name string, n int) bool {
		names = append(names, name)  // alloc: 16 32 64 128
		numbers = append(numbers, n) // alloc: 64
		var mine []string
		mine = append(mine, name) // alloc: 16 32
		return len(mine) > 0
	})
	func() {
		names = append(names, "last") // hot: runtime.growslice
	}()
	add := func(name string) {
		names = append(names, name) // hot: runtime.growslice
	}
	keep(add)
	return names, numbers
}
