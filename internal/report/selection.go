package report

import "fmt"

// Err returns the error of [Env.Context] or [Env.Budget]. If it isn't nil, what the report's
// methods return is incomplete.
func (r *Report) Err() error { return r.stop().err() }

func (r *Report) stop() stopper { return stopper{r.env.Context, &r.held} }

func (r *Report) warn(format string, args ...any) {
	if r.env.Warn != nil {
		r.env.Warn(fmt.Sprintf(format, args...))
	}
}

func (r *Report) warnNoMatch(matched bool, option string) {
	if !matched {
		r.warn("%s expression matched no samples", option)
	}
}
