package shell

import (
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// A Screen writes to a terminal. Names in profiles come from anybody: characters
// that turn the text around them, so that a name reads as another, and those that
// terminals obey are shown as escapes. Files and pipes get them as they are.
type Screen struct {
	terminal io.Writer
	rest     []byte // the beginning of a character; texts end with a whole one
}

// NewScreen returns the screen of a terminal.
func NewScreen(terminal io.Writer) *Screen { return &Screen{terminal: terminal} }

// Terminal returns what programs are given that write to the terminal themselves.
func (s *Screen) Terminal() io.Writer { return s.terminal }

var unseen = regexp.MustCompile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u0080-\u009f\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

func (s *Screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	whole := len(text)
	for i := whole - 1; i >= max(0, whole-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				whole = i
			}
			break
		}
	}
	s.rest = append([]byte(nil), text[whole:]...)
	shown := unseen.ReplaceAllFunc(text[:whole], func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		return fmt.Appendf(nil, `\u%04x`, r)
	})
	if _, err := s.terminal.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}
