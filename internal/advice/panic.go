package advice

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Rules read code that nobody tried them on. A panic in one becomes an error that names the rule, and the other rules go on.

// matches asks a rule about a site.
func (r *Rule) matches(s *Site) (found []Match, err error) {
	defer r.caught(&err, func() string { return fmt.Sprintf("%s:%d", filepath.Base(s.hot.file), s.Line) })
	return r.Match(s), nil
}

// facts asks a rule about the line of another one's finding.
func (r *Rule) facts(s *Site, f *Finding) (said []string, err error) {
	defer r.caught(&err, func() string { return fmt.Sprintf("%s:%d", filepath.Base(s.hot.file), s.Line) })
	return r.Facts(s, f), nil
}

// examined asks a rule about a program as a whole.
func (r *Rule) examined(p *Program) (found []Finding, err error) {
	defer r.caught(&err, func() string { return "a profile" })
	return r.Examine(p), nil
}

// rewritten makes the rewrite of a match of a rule: see rewrite.
func (r *Rule) rewritten(s *Site, m *Match, root string) (fix *Fix, err error) {
	defer r.caught(&err, func() string { return "the rewrite" })
	return rewrite(s, r, m, root)
}

// caught is deferred: it makes an error of a panic in a rule.
func (r *Rule) caught(err *error, where func() string) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("rule %s panicked (%s): %v: please report this", r.ID, where(), v)
	}
}

// distinct are texts of several lists, without repetition.
func distinct(lists ...[]string) (all []string) {
	for _, text := range slices.Concat(lists...) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
