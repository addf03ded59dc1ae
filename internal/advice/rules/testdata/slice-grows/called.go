package called

type set map[string]int

func (s set) each(f func(name string, n int) bool) {
	for name, n := range s {
		if !f(name, n) {
			return
		}
	}
}

func names(s set) []string {
	var all []string
	s.each(func(name string, _ int) bool {
		// want C: set the capacity where it is declared
		all = append(all, name) // alloc: 16 32 64 128
		return true
	})
	return all
}

func numbers(s set) []int {
	numbers := []int{}
	s.each(func(_ string, n int) bool {
		// want C: set the capacity where it is declared
		numbers = append(numbers, n) // hot: runtime.growslice
		return n > 0
	})
	return numbers
}
