package schedule

import (
	"errors"
	"iter"
	"time"
)

// Steps hands out what is to be done, one step after the other, and gets back what came
// of it.
type steps struct {
	now     func() time.Time
	yield   func(Step) bool
	outcome Outcome
}

// errEnded: whoever takes the steps wants no more of them.
var errEnded = errors.New("the measurement ended")

// seq returns the steps of a course.
func (s *steps) seq(course func() error) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		s.yield = yield
		_ = course() // errEnded is all that it returns
	}
}

// do has a step carried out, and returns what came of it and how long it took.
func (s *steps) do(step Step) (Outcome, time.Duration, error) {
	s.outcome = Outcome{}
	begin := s.now()
	if !s.yield(step) {
		return Outcome{}, 0, errEnded
	}
	return s.outcome, s.now().Sub(begin), nil
}

// tell has steps carried out of which nothing comes.
func (s *steps) tell(told ...Step) error {
	for _, step := range told {
		if _, _, err := s.do(step); err != nil {
			return err
		}
	}
	return nil
}
