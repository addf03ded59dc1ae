package search

type store struct{ names []string }

func (s *store) find(name string) int {
	for i, n := range s.names {
		// want look: It searches s.names from the start in each call of find.
		if n == name { // hot
			return i
		}
	}
	return -1
}

func probe(table []string, name string, at int) int {
	for i := at; table[i] != ""; i = (i + 1) % len(table) {
		// want look: It is in a loop (line 16); how often that runs per call of probe isn't known. (end)
		if table[i] == name { // hot
			return i
		}
	}
	return -1
}
