package variable

type store struct{ entries []entry }

type entry struct{ state int }

func (s *store) query(keep func(entry) bool) (all []entry, err error) {
	for _, e := range s.entries {
		if keep(e) {
			all = append(all, e)
		}
	}
	return all, nil
}

func (s *store) count(state int) (int, error) {
	// want C: Count without collecting
	all, err := s.query(func(e entry) bool { return e.state == state }) // hot: runtime.growslice
	if err != nil {
		return 0, err
	}
	return len(all), nil
}

func (s *store) any(state int) bool {
	// want C: Count without collecting
	all, _ := s.query(func(e entry) bool { return e.state == state }) // hot: runtime.growslice
	return len(all) > 0
}
