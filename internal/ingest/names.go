package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/profile"
)

// Reports print a name once per frame, so a few bytes of a profile can stand for a
// long name each: names are bounded where profiles come in.

// hashed is how much of a text that is cut tells it from others with the same start.
const hashed = len("~") + 16

// shorten returns a text of at most n bytes: the start of s, and a hash of all of it,
// so that texts that differ stay different. Where n has no room for that it is the
// start alone.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n < 2*hashed {
		return cutText(s, n)
	}
	sum := sha256.Sum256([]byte(s))
	return cutText(s, n-hashed) + "~" + hex.EncodeToString(sum[:(hashed-1)/2])
}

// shortenNames shortens all texts of a profile to n bytes, and reports whether any was
// longer. A pattern that is longer is removed, since its start would match other things.
func shortenNames(p *profile.Profile, n int) (cut bool) {
	short := func(s *string) {
		if len(*s) > n {
			*s, cut = shorten(*s, n), true
		}
	}
	for i := range p.Strings {
		short(&p.Strings[i])
	}
	for i := range p.SampleTypes {
		short(&p.SampleTypes[i].Type)
		short(&p.SampleTypes[i].Unit)
	}
	short(&p.DefaultSampleType)
	short(&p.PeriodType.Type)
	short(&p.PeriodType.Unit)
	for i := range p.Comments {
		short(&p.Comments[i])
	}
	short(&p.DocURL)
	for i := range p.Mappings {
		short(&p.Mappings[i].File)
		short(&p.Mappings[i].BuildID)
	}
	for _, pattern := range []*string{&p.DropFrames, &p.KeepFrames} {
		if len(*pattern) > n {
			*pattern, cut = "", true
		}
	}
	return cut
}

// cleanText returns a text without what is not UTF-8, and without characters that
// control terminals or turn the direction of text: U+FFFD stands for them.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if !strings.ContainsFunc(s, controls) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if controls(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

func controls(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// cutText returns at most n bytes of the start of s: no character is cut in two.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// validName returns a name that store.CheckName accepts.
func validName(name string) string {
	if name == "" {
		return "_"
	}
	return cleanText(name)
}
