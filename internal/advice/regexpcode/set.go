package regexpcode

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A set is a set of characters: the first and the last of each range, ascending and apart, as package
// syntax has them.
type set []rune

// others are the characters outside of ASCII, and what an invalid byte counts as.
var others = set{utf8.RuneSelf, unicode.MaxRune}

// newSet sorts and joins ranges.
func newSet(ranges []rune) set {
	var pairs [][2]rune
	for i := 0; i+1 < len(ranges); i += 2 {
		pairs = append(pairs, [2]rune{ranges[i], ranges[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var s set
	for _, p := range pairs {
		if n := len(s); n > 0 && p[0] <= s[n-1]+1 {
			s[n-1] = max(s[n-1], p[1])
			continue
		}
		s = append(s, p[0], p[1])
	}
	return s
}

// folded is a character with those that differ from it only in case.
func folded(r rune) set {
	ranges := []rune{r, r}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		ranges = append(ranges, other, other)
	}
	return newSet(ranges)
}

func (s set) or(other set) set { return newSet(slices.Concat(s, other)) }

func (s set) not() set {
	var out set
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if next < s[i] {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

func (s set) and(other set) set { return s.not().or(other.not()).not() }

func (s set) minus(other set) set { return s.and(other.not()) }

func (s set) meets(other set) bool { return len(s.and(other)) > 0 }

func (s set) has(r rune) bool { return s.meets(set{r, r}) }

// ascii reports whether a set has no character outside of ASCII.
func (s set) ascii() bool { return !s.meets(others) }

// uniform reports whether a set has all characters outside of ASCII, or none. Then the bytes of a text
// tell as much as its characters.
func (s set) uniform() bool { return s.ascii() || len(others.minus(s)) == 0 }

// member returns a character of a set that reads well in an example.
func (s set) member() rune {
	for _, liked := range []set{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}, {' ', ' '}} {
		if in := s.and(liked); len(in) > 0 {
			return in[0]
		}
	}
	return s[0]
}

// String writes a set as patterns do.
func (s set) String() string {
	re := syntax.Regexp{Op: syntax.OpCharClass, Rune: s}
	return re.String()
}

// ofBytes are the ranges of a uniform set as bytes: those from 0x80 belong to characters outside of
// ASCII.
func (s set) ofBytes() []rune {
	var out []rune
	for i := 0; i < len(s); i += 2 {
		if s[i] > utf8.RuneSelf {
			continue
		}
		hi := s[i+1]
		if hi >= utf8.RuneSelf {
			hi = 0xff
		}
		out = append(out, s[i], hi)
	}
	return out
}

// A condition is a boolean expression.
type condition struct {
	text string
	or   bool // it needs parentheses as an operand of &&
}

func (c condition) operand() string {
	if c.or {
		return "(" + c.text + ")"
	}
	return c.text
}

// width is how many ranges a condition of a set compares with.
func (s set) width() int { return min(len(s), len(s.not())) / 2 }

// is returns the condition that a variable is in a set. The variable is a byte or a character.
func (s set) is(v string, bytes bool) condition {
	yes, no, last := []rune(s), []rune(s.not()), rune(unicode.MaxRune)
	if bytes {
		yes, no, last = s.ofBytes(), s.not().ofBytes(), 0xff
	}
	switch {
	case len(no) == 0:
		return condition{text: "true"}
	case len(yes) == 0:
		return condition{text: "false"}
	case len(yes) <= len(no):
		return anyOf(yes, v, last)
	}
	return noneOf(no, v, last)
}

func anyOf(ranges []rune, v string, last rune) condition {
	var parts []string
	for i := 0; i < len(ranges); i += 2 {
		switch lo, hi := ranges[i], ranges[i+1]; {
		case lo == hi:
			parts = append(parts, fmt.Sprintf("%s == %s", v, quoted(lo, last)))
		case lo == 0:
			parts = append(parts, fmt.Sprintf("%s <= %s", v, quoted(hi, last)))
		case hi == last:
			parts = append(parts, fmt.Sprintf("%s >= %s", v, quoted(lo, last)))
		default:
			parts = append(parts, fmt.Sprintf("%s <= %s && %s <= %s", quoted(lo, last), v, v, quoted(hi, last)))
		}
	}
	return condition{strings.Join(parts, " || "), len(parts) > 1}
}

func noneOf(ranges []rune, v string, last rune) condition {
	var parts []condition
	for i := 0; i < len(ranges); i += 2 {
		switch lo, hi := ranges[i], ranges[i+1]; {
		case lo == hi:
			parts = append(parts, condition{text: fmt.Sprintf("%s != %s", v, quoted(lo, last))})
		case lo == 0:
			parts = append(parts, condition{text: fmt.Sprintf("%s > %s", v, quoted(hi, last))})
		case hi == last:
			parts = append(parts, condition{text: fmt.Sprintf("%s < %s", v, quoted(lo, last))})
		default:
			parts = append(parts, condition{fmt.Sprintf("%s < %s || %s < %s", v, quoted(lo, last), quoted(hi, last), v), true})
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.operand())
	}
	return condition{text: strings.Join(texts, " && ")}
}

// quoted is a byte or a character as a literal; last tells which.
func quoted(r, last rune) string {
	if last == 0xff && r >= utf8.RuneSelf {
		return fmt.Sprintf("%#x", r)
	}
	return strconv.QuoteRuneToASCII(r)
}
