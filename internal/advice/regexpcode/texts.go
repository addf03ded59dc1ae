package regexpcode

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTexts = 12 // of those that match, and of those that almost match
	maxText  = 80 // bytes
)

// Texts returns texts that a pattern matches and texts that it almost matches, the same each time.
func Texts(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	compiled := regexp.MustCompile(pattern)
	t := &texts{random: rand.New(rand.NewPCG(1, 2))}
	t.borders(re)
	var matching, almost []string
	add := func(s string) {
		switch {
		case len(s) > maxText || slices.Contains(matching, s) || slices.Contains(almost, s):
		case compiled.MatchString(s):
			if len(matching) < maxTexts {
				matching = append(matching, s)
			}
		case len(almost) < maxTexts:
			almost = append(almost, s)
		}
	}
	add("")
	for range 40 * maxTexts {
		var b strings.Builder
		t.match(&b, re, 0)
		add(b.String())
		add(t.changed(b.String()))
	}
	return append(matching, almost...)
}

// texts makes texts of a pattern.
type texts struct {
	random *rand.Rand
	near   []rune // at the borders of the pattern's ranges
}

// borders collects characters at both sides of the borders of ranges.
func (t *texts) borders(re *syntax.Regexp) {
	s := re.Rune
	if re.Op == syntax.OpLiteral {
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				t.near = append(t.near, folded(r)...)
			}
			t.near = append(t.near, r, r+1)
		}
		s = nil
	}
	for i := 0; i+1 < len(s); i += 2 {
		t.near = append(t.near, s[i]-1, s[i], s[i+1], s[i+1]+1)
	}
	for _, sub := range re.Sub {
		t.borders(sub)
	}
	t.near = slices.DeleteFunc(t.near, func(r rune) bool { return !utf8.ValidRune(r) })
}

// match appends a text that the pattern matches, apart from assertions such as \b.
func (t *texts) match(b *strings.Builder, re *syntax.Regexp, depth int) {
	if b.Len() > maxText {
		return
	}
	repeat := func(lo, hi int) {
		if hi < 0 || hi > lo+3 {
			hi = lo + 3
		}
		for range lo + t.random.IntN(hi-lo+1) {
			t.match(b, re.Sub[0], depth+1)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				s := folded(r)
				r = s[2*t.random.IntN(len(s)/2)]
			}
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			i := 2 * t.random.IntN(len(re.Rune)/2)
			b.WriteRune(t.within(re.Rune[i], re.Rune[i+1]))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune([]rune("a1 .é\u20ac")[t.random.IntN(6)])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	case syntax.OpAlternate:
		t.match(b, re.Sub[t.random.IntN(len(re.Sub))], depth+1)
	default:
		for _, sub := range re.Sub {
			t.match(b, sub, depth+1)
		}
	}
}

// within is a character of a range, often the first or the last, and one that can be typed if possible.
func (t *texts) within(lo, hi rune) rune {
	if lo < ' ' && hi >= '~' {
		lo = ' '
	}
	if lo < unicode.MaxASCII && hi > unicode.MaxASCII {
		hi = unicode.MaxASCII - 1
	}
	switch t.random.IntN(3) {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo + rune(t.random.IntN(int(hi-lo)+1))
}

// changed is a text with a small change.
func (t *texts) changed(s string) string {
	i := t.random.IntN(len(s) + 1)
	with := []string{"", " ", "\n", "é", "\xff", "_"}[t.random.IntN(6)]
	if n := len(t.near); n > 0 && t.random.IntN(2) == 0 {
		with = string(t.near[t.random.IntN(n)])
	}
	rest := s[i:]
	if len(rest) > 0 && t.random.IntN(2) == 0 {
		rest = rest[1:]
	}
	return s[:i] + with + rest
}
