package report

import "fmt"

// Err returns the error of [Env.Context] or [Env.Budget]. If it isn't nil, what the report's
// methods return is incomplete.
func (s *Report) Err() error { return s.stop().err() }

func (s *Report) stop() stopper { return stopper{s.env.Context, &s.held} }

func (s *Report) warn(format string, args ...any) {
	if s.env.Warn != nil {
		s.env.Warn(fmt.Sprintf(format, args...))
	}
}

func (s *Report) warnNoMatch(matched bool, option string) {
	if !matched {
		s.warn("%s expression matched no samples", option)
	}
}
