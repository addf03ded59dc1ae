package regress

import "math"

// drop reports whether an effect isn't a regression: it is small, it went away again, or
// few instances show it.
func (s *sample) drop(e *effect, o Options) bool {
	return math.Expm1(e.log) < o.MinGrowth || e.growth < o.MinShare || !s.perRequest && e.amount < s.least || s.wentAway(e) || e.affected() <= len(e.each)/2 || !e.withoutOne()
}

// wentAway reports whether the last third of the time shows clearly less than half of the
// effect. Rare profiles may all be earlier.
func (s *sample) wentAway(e *effect) bool {
	late, after := s.late.total(), s.after.total()
	a, n := at(late.column(e.callees), e.f), at(after.column(e.callees), e.f)
	if late.work <= 0 {
		return s.rolledBack
	}
	log, _ := logRatio(a, late.work, n, after.work)
	const oneSided95 = 1.64
	return e.log+log+oneSided95*math.Sqrt(1/(a+0.5)+e.variance) < e.log/2
}

// affected returns the number of instances that show at least half of the effect, within
// what chance explains.
func (e *effect) affected() int {
	n := 0
	base := e.usual()
	for _, one := range e.each {
		if one.after > one.expected*base*math.Exp(e.log/2) {
			n++
		}
	}
	return n
}

// usual is the ratio of after to expected without a cause.
func (e *effect) usual() float64 { return (e.after + 0.5) / (e.expected + 0.5) / math.Exp(e.log) }

// withoutOne reports whether at least half of the effect remains without the instance that
// shows most of it: one bad machine isn't a regression. A service with one instance can't
// be checked this way.
func (e *effect) withoutOne() bool {
	if len(e.each) < 2 {
		return true
	}
	base, most, which := e.usual(), math.Inf(-1), 0
	for i, one := range e.each {
		if d := one.after - one.expected*base; d > most {
			most, which = d, i
		}
	}
	after, expected := e.after-e.each[which].after, e.expected-e.each[which].expected
	log := math.Log((after + 0.5) / (expected*base + 0.5))
	const oneSided95 = 1.64
	return log > e.log/2*0.9 && log > oneSided95*math.Sqrt(e.variance)
}
