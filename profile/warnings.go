package profile

import (
	"fmt"
	"slices"
	"strings"
)

// warningMark begins the comments that are warnings. They travel with a profile
// into files and stores; and neither hone nor go tool pprof shows comments that
// begin with "#" among what the profile says of itself.
const warningMark = "# warning: "

// Warnings returns what was wrong with the input of a profile and is missing
// from it, one line each, for people: a line of text that could not be read, a
// dump that is cut off. It is empty for a profile that was read as a whole.
func (p *Profile) Warnings() []string {
	var out []string
	for _, c := range p.Comments {
		if w, ok := strings.CutPrefix(c, warningMark); ok {
			out = append(out, w)
		}
	}
	return out
}

// warning returns the comment that is a warning.
func warning(format string, args ...any) string {
	return warningMark + fmt.Sprintf(format, args...)
}

// WithWarning returns p with one more warning.
func WithWarning(p *Profile, format string, args ...any) *Profile {
	q := *p
	q.Comments = append(slices.Clip(p.Comments), warning(format, args...))
	return &q
}

// WithSource returns p with the name of what it was read from before each of
// its warnings, or p itself if it has none.
func WithSource(p *Profile, name string) *Profile {
	if len(p.Warnings()) == 0 {
		return p
	}
	q := *p
	q.Comments = make([]string, len(p.Comments))
	for i, c := range p.Comments {
		if w, ok := strings.CutPrefix(c, warningMark); ok {
			c = warningMark + name + ": " + w
		}
		q.Comments[i] = c
	}
	return &q
}
