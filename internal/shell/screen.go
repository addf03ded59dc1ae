package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/report"
)

// A Screen writes to a terminal. Names in profiles come from anyone, so characters that
// reverse the text around them, or that terminals obey, are shown as escapes. Files and
// pipes get them unchanged. A Screen is safe for concurrent use, like a file.
type Screen struct {
	terminal io.Writer
	mu       sync.Mutex
	rest     []byte // the beginning of a character or line end; texts end with a whole one
}

// NewScreen returns the screen of a terminal.
func NewScreen(terminal io.Writer) *Screen { return &Screen{terminal: terminal} }

// TerminalOf returns the terminal of a Screen, for child processes and for code that moves
// the cursor. It returns any other output unchanged.
func TerminalOf(out io.Writer) io.Writer {
	if s, ok := out.(*Screen); ok {
		return s.terminal
	}
	return out
}

// Fd returns the file descriptor of the terminal, which identifies it as a terminal.
func (s *Screen) Fd() uintptr {
	if f, ok := s.terminal.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Red writes a text in red.
func (s *Screen) Red(text string) {
	io.WriteString(s.terminal, "\033[0;31m")
	io.WriteString(s, text)
	io.WriteString(s.terminal, "\033[0m")
}

// Rewrite replaces the last line, which is width characters wide, by a text. Nothing else
// moves the cursor back: carriage returns in names would overwrite other text.
func (s *Screen) Rewrite(width int, text string) {
	fmt.Fprintf(s.terminal, "\r%-*s\r", width, "")
	io.WriteString(s, text)
}

// obeyed reports whether terminals obey a character instead of showing it, except tabs and
// line ends.
func obeyed(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' }

func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	if whole > 0 && text[whole-1] == '\r' {
		whole-- // the end of a line if a newline comes next
	}
	s.rest = append([]byte(nil), text[whole:]...)
	shown := []byte(report.Visible(string(text[:whole])))
	if bytes.ContainsFunc(shown, obeyed) {
		shown = escaped(shown)
	}
	if _, err := s.terminal.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if obeyed(r) && !bytes.HasPrefix(text, []byte("\r\n")) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, text[:size]...) // valid or not
		}
		text = text[size:]
	}
	return out
}
