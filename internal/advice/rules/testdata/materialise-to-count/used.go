package used

type store struct{ names []string }

func (s *store) all() []string { return s.names }

func (s *store) with(prefix string) (found []string) {
	for _, n := range s.names {
		if len(n) > len(prefix) && n[:len(prefix)] == prefix {
			found = append(found, n)
		}
	}
	return found
}

// The elements are used, too, or nothing was made.
func (s *store) first(prefix string) (string, int) {
	found := s.with(prefix) // hot: runtime.growslice
	if len(found) == 0 {
		return "", 0
	}
	all := s.all() // hot
	return found[0], len(all)
}
