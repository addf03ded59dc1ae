package fields

type field struct{ name string }

type structure struct{ fields map[int]*field }

func (s *structure) validate(f func(*field) bool) bool {
	// want C: Iterating over s.fields is slower than over a slice
	for _, fd := range s.fields { // hot: runtime.mapIterNext internal/runtime/maps.(*Iter).Next
		if !f(fd) {
			return false
		}
	}
	m := s.fields
	// want C: repeatedly Iterating over m is slower than over a slice
	for range m { // hot: runtime.mapiternext
	}
	return true
}

func sum(m map[string]int) (n int) {
	// want C: repeatedly Iterating over m is slower than over a slice
	for _, v := range m { // hot: internal/runtime/maps.(*Iter).Next
		n += v
	}
	return n
}

func total[K comparable, M ~map[K]int](of M) (n int) {
	// want C: repeatedly Iterating over of is slower than over a slice
	for _, v := range of { // hot: runtime.mapIterNext
		n += v
	}
	return n
}
