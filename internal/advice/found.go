package advice

import "slices"

// found is a finding and what it was made of.
type found struct {
	Finding
	rule  *Rule
	about about
	gain  float64
	sites []*Site
	head  matched
}

// has reports whether a sample at a line is below some finding.
func (x *examiner) has(at place, below []string) bool {
	below = slices.Clone(below)
	slices.Reverse(below)
	for _, f := range x.found {
		for _, s := range f.sites {
			if s.hot.place == at && f.about.has(below) {
				return true
			}
		}
	}
	return false
}
