package p

import "time"

type meter struct{ took time.Duration }

func (m *meter) add(begin time.Time) {
	// want A: reads one clock
	m.took += time.Now().Sub(begin) // hot: time.Now time.now runtime.walltime
}

func (m *meter) start() time.Time {
	m.took = 0
	return time.Now()
}

func (m *meter) restart() bool {
	// want B: that the clock may be read after the argument is evaluated
	return time.Now().Sub(m.start()) < 0 // hot: time.Now time.now runtime.walltime
}
