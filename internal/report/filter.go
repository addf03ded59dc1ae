package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// filter applies the options' filters to the report's profile, in the order of
// `go tool pprof`: names, show_from, tags, tag keys, prune_from.
func (s *selection) filter() error {
	o := s.opt
	var err error
	re := func(name, value string) *regexp.Regexp {
		if value == "" || err != nil {
			return nil
		}
		x, e := regexp.Compile(value)
		if e != nil {
			err = fmt.Errorf("parsing %s regexp: %v", name, e)
		}
		return x
	}
	names := profile.NameFilter{
		Focus: re("focus", o.Focus), Ignore: re("ignore", o.Ignore),
		Hide: re("hide", o.Hide), Show: re("show", o.Show),
		Unfolded: s.unfolded,
	}
	showFrom := re("show_from", o.ShowFrom)
	tagFilter := func(name, value string) func([]profile.Label) bool {
		if value == "" || err != nil {
			return nil
		}
		var f func([]profile.Label) bool
		f, err = s.tagFilter(name, value)
		return f
	}
	tagFocus := tagFilter("tagfocus", o.TagFocus)
	tagIgnore := tagFilter("tagignore", o.TagIgnore)
	pruneFrom := re("prune_from", o.PruneFrom)
	tagShow, tagHide := re("tagshow", o.TagShow), re("taghide", o.TagHide)
	if err != nil {
		return err
	}

	p, matched, err := profile.FilterNames(s.env.Context, s.prof, names)
	if err != nil {
		return err
	}
	s.warnNoMatch(names.Focus == nil || matched.Focus, "Focus")
	s.warnNoMatch(names.Ignore == nil || matched.Ignore, "Ignore")
	s.warnNoMatch(names.Hide == nil || matched.Hide, "Hide")
	s.warnNoMatch(names.Show == nil || matched.Show, "Show")
	if err := s.Err(); err != nil {
		return err
	}
	if showFrom != nil {
		var hit bool
		p, hit = profile.ShowFrom(p, showFrom)
		s.warnNoMatch(hit, "ShowFrom")
	}
	if tagFocus != nil || tagIgnore != nil {
		var focused, ignored bool
		p, focused, ignored = profile.FilterLabels(p, tagFocus, tagIgnore)
		s.warnNoMatch(tagFocus == nil || focused, "TagFocus")
		s.warnNoMatch(tagIgnore == nil || ignored, "TagIgnore")
	}
	if err := s.Err(); err != nil {
		return err
	}
	if tagShow != nil || tagHide != nil {
		var shown, hid bool
		p, shown, hid = profile.FilterLabelKeys(p, tagShow, tagHide)
		s.warnNoMatch(tagShow == nil || shown, "TagShow")
		s.warnNoMatch(tagHide == nil || hid, "TagHide")
	}
	if pruneFrom != nil {
		p = profile.PruneFrom(p, pruneFrom)
	}
	s.prof, s.unfolded = p, nil
	return nil
}

// tagFilter compiles the value of -tagfocus or -tagignore: "key=FILTER" or
// "FILTER", where FILTER is a range of numbers with units (see parseRange) or a
// comma-separated list of regexps. A label of the given key has to match any of
// the regexps; without a key, each has to match some label written "key:value".
func (s *selection) tagFilter(option, value string) (func([]profile.Label) bool, error) {
	key, filter, keyed := strings.Cut(value, "=")
	if !keyed {
		key, filter = "", value
	}
	str := s.prof.Strings
	// The label frames share the profile's strings, so ids hold for both.
	if in, ok, err := parseRange(filter); err != nil {
		return nil, fmt.Errorf("parsing %s range: %v", option, err)
	} else if ok {
		s.warn("%s:Interpreted '%s' as range, not regexp", option, filter)
		return func(labels []profile.Label) bool {
			for _, l := range labels {
				if l.Numeric && (key == "" || str[l.Key] == key) && in(l.Num, s.units[str[l.Key]]) {
					return true
				}
			}
			return false
		}, nil
	}
	var res []*regexp.Regexp
	for _, f := range strings.Split(filter, ",") {
		re, err := regexp.Compile(f)
		if err != nil {
			return nil, fmt.Errorf("parsing %s regexp: %v", option, err)
		}
		res = append(res, re)
	}
	if key != "" {
		return func(labels []profile.Label) bool {
			for _, l := range labels {
				if l.Numeric || str[l.Key] != key {
					continue
				}
				for _, re := range res {
					if re.MatchString(str[l.Str]) {
						return true
					}
				}
			}
			return false
		}, nil
	}
	return func(labels []profile.Label) bool {
		for _, re := range res {
			found := false
			for _, l := range labels {
				if !l.Numeric && re.MatchString(str[l.Key]+":"+str[l.Str]) {
					found = true
					break
				}
			}
			if !found {
				return false
			}
		}
		return true
	}, nil
}

var rangeNumber = lazyregexp.New(`([+-]?[[:digit:]]+)([[:alpha:]]+)?`)

// parseRange parses a range of numbers with units: "32kb" is that value,
// ":64kb" up to it, "4mb:" from it on, "4kb:1mb" between both, ends included.
// ok is false for anything else, which is a regexp then.
func parseRange(s string) (in func(v int64, unit string) bool, ok bool, err error) {
	m := rangeNumber.Get().FindAllStringSubmatch(s, 2)
	if len(m) == 0 {
		return nil, false, nil
	}
	forms := []string{m[0][0], m[0][0] + ":", ":" + m[0][0]}
	if len(m) == 2 {
		forms = []string{m[0][0] + ":" + m[1][0]}
	}
	form := -1
	for i, f := range forms {
		if f == s {
			form = i
		}
	}
	if form < 0 {
		return nil, false, nil
	}
	number := func(m []string, to string) (float64, string) {
		v, e := strconv.ParseInt(m[1], 10, 64)
		if e != nil {
			err = e
		}
		return profile.Convert(v, m[2], to)
	}
	lo, unit := number(m[0], m[0][2])
	hi := lo
	if len(m) == 2 {
		var hiUnit string
		hi, hiUnit = number(m[1], unit)
		if err == nil && unit != hiUnit {
			return nil, false, nil
		}
	}
	if err != nil {
		return nil, false, err
	}
	return func(v int64, from string) bool {
		f, u := profile.Convert(v, from, unit)
		if u != unit {
			return false
		}
		return (form == 2 || f >= lo) && (form == 1 && len(m) == 1 || f <= hi)
	}, true, nil
}
