package experiment

// Applies reports whether an objective bounds a series of a benchmark file: its
// Max and Min, where given, are limits for the values of k. An objective on a
// profile applies to none.
func (o *Objective) Applies(k Key) bool {
	return o.Profile == nil && o.matches(k) && sameUnit(o.Metric, k.Unit)
}
