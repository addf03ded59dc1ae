package template

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A position is a place in a named text.
type position struct {
	name, text string
	at         int
}

func (p position) errorf(format string, args ...any) error {
	before := p.text[:p.at]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &Error{p.name, 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(line), fmt.Sprintf(format, args...)}
}

// A word is a name, a number or a quoted text between braces.
type word struct {
	text   string
	quoted bool
	position
}

func (w word) integer() (int64, error) {
	v, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil {
		return 0, w.errorf("invalid integer %q", w.text)
	}
	return v, nil
}

// size reads a number of characters.
func (w word) size() (int, error) {
	v, err := w.integer()
	if err == nil && (v < 1 || v > 1<<20) {
		err = w.errorf("invalid length %d: use 1 to %d characters", v, 1<<20)
	}
	return int(v), err
}

// words splits what stands between the braces at open.
func words(open position) (list []word, end int, err error) {
	p := open
	p.at += len("{{")
	for {
		rest := p.text[p.at:]
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		p.at += len(rest) - len(trimmed)
		switch {
		case strings.HasPrefix(trimmed, "}}"):
			if len(list) == 0 {
				return nil, 0, open.errorf("nothing between {{ and }}")
			}
			return list, p.at + len("}}"), nil
		case trimmed == "":
			return nil, 0, open.errorf("{{ without }}")
		case trimmed[0] == '"':
			quoted, err := strconv.QuotedPrefix(trimmed)
			if err != nil {
				return nil, 0, p.errorf("missing closing quotation mark")
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, 0, p.errorf("%s: %v", quoted, err)
			}
			list = append(list, word{text, true, p})
			p.at += len(quoted)
		default:
			n := strings.IndexAny(trimmed, " \t\r\n\"}")
			if n == 0 {
				return nil, 0, p.errorf("unexpected %q", trimmed[:1])
			}
			if n < 0 {
				return nil, 0, open.errorf("{{ without }}")
			}
			list = append(list, word{trimmed[:n], false, p})
			p.at += n
		}
	}
}
