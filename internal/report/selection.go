package report

import (
	"fmt"

	"github.com/hone-go/hone/profile"
)

// A selection is what the options leave of a profile: foreign frames folded, labels turned
// into frames, and filters applied.
type selection struct {
	command string // "" if no report is made
	prof    *profile.Profile
	// unfolded still has the frames that folding removed from prof: filters
	// match them, too. It is nil after filtering, and if nothing was folded.
	unfolded *profile.Profile
	opt      Options
	env      Env
	held     held
	units    map[string]string // of numeric labels by key
}

// Err returns the error of [Env.Context] or [Env.Budget]. If it isn't nil, the results of the
// report's methods are incomplete.
func (s *selection) Err() error { return s.stop().err() }

func (s *selection) stop() stopper { return stopper{s.env.Context, &s.held} }

func (s *selection) warn(format string, args ...any) {
	s.pass(Warning{Text: fmt.Sprintf(format, args...)})
}

func (s *selection) pass(w Warning) {
	if s.env.Warn != nil {
		s.env.Warn(w)
	}
}

func (s *selection) warnNoMatch(matched bool, option string) {
	if !matched {
		s.warn("%s expression matched no samples", option)
	}
}
