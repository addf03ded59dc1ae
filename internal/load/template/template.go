// Package template fills in texts that differ from request to request: bodies,
// paths, headers, message keys. A text is compiled once; filling it in appends to
// a buffer and allocates nothing.
//
//	{{n}}               the request's number, from 0
//	{{int 1 100}}       a random integer, both ends included
//	{{float 0 1}}       a random number of that range, with 6 digits after the point
//	{{float 0 1 2}}     … with 2
//	{{hex 16}}          16 random hexadecimal digits
//	{{letters 10}}      10 random letters a to z
//	{{uuid}}            a random UUID
//	{{one "a" "b"}}     one of the texts, at random
//	{{unix}}            the time in seconds since 1970; {{unixms}} in milliseconds,
//	                    {{unixns}} in nanoseconds
//	{{time}}            the time as RFC 3339 has it, with nanoseconds, in UTC
//	{{row.name}}        the column of a feed
//	{{"{{"}}            two braces
package template

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Template is a compiled text. It may be used by many goroutines.
type Template struct {
	text  string
	parts []part
}

// A part of a text: what a literal or a function appends.
type part interface {
	append(dst []byte, v *Values) []byte
}

// Values are what the functions of templates take their output from: one for
// each goroutine.
type Values struct {
	N   int64    // the request's number
	Row []string // of the feed; see Feed.Row
	Rng *rand.Rand
}

// NewValues returns values whose random numbers follow from seed and stream, a
// number for each goroutine.
func NewValues(seed, stream uint64) *Values {
	return &Values{Rng: rand.New(rand.NewPCG(seed, stream))}
}

// Append appends the text, filled in with v, to dst.
func (t *Template) Append(dst []byte, v *Values) []byte {
	for _, p := range t.parts {
		dst = p.append(dst, v)
	}
	return dst
}

// String returns the text that was compiled; of one that was made of others, "".
func (t *Template) String() string { return t.text }

// Literal returns a template that is a text as it is, whatever is in it.
func Literal(text string) *Template {
	t := &Template{text: text}
	t.literal(text)
	return t
}

// Static reports whether the text never changes.
func (t *Template) Static() bool {
	for _, p := range t.parts {
		if _, ok := p.(literal); !ok {
			return false
		}
	}
	return true
}

// An Error is what is wrong with a template, and where.
type Error struct {
	Name         string // of the file or flag
	Line, Column int    // from 1; columns count characters
	Text         string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Text) }

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

// Parse compiles a text. Name is what errors call it: a file, a flag. Feed has the
// columns it may use; it may be nil.
func Parse(name, text string, feed *Feed) (*Template, error) {
	t := &Template{text: text}
	rest := position{name, text, 0}
	for rest.at < len(text) {
		before, _, found := strings.Cut(text[rest.at:], "{{")
		t.literal(before)
		rest.at += len(before)
		if !found {
			break
		}
		end, err := t.action(rest, feed)
		if err != nil {
			return nil, err
		}
		rest.at = end
	}
	return t, nil
}

func (t *Template) literal(text string) {
	if text == "" {
		return
	}
	if n := len(t.parts); n > 0 {
		if l, ok := t.parts[n-1].(literal); ok {
			t.parts[n-1] = l + literal(text)
			return
		}
	}
	t.parts = append(t.parts, literal(text))
}

// action compiles what stands between braces and returns where it ends.
func (t *Template) action(open position, feed *Feed) (end int, err error) {
	words, end, err := words(open)
	if err != nil {
		return 0, err
	}
	name, args := words[0], words[1:]
	if name.quoted {
		if len(args) > 0 {
			return 0, args[0].errorf("a text stands alone")
		}
		t.literal(name.text)
		return end, nil
	}
	if field, ok := strings.CutPrefix(name.text, "row."); ok {
		if len(args) > 0 {
			return 0, args[0].errorf("a column takes nothing after its name")
		}
		i, err := feed.column(field)
		if err != nil {
			return 0, name.errorf("%v", err)
		}
		t.parts = append(t.parts, cell(i))
		return end, nil
	}
	f, ok := functions[name.text]
	if !ok {
		return 0, name.errorf("there is no {{%s}}; there are %s and row.COLUMN", name.text, functionNames())
	}
	if n := len(args); n < f.min || n > f.max {
		return 0, name.errorf("write it {{%s}}", f.usage)
	}
	p, err := f.compile(args)
	if err != nil {
		return 0, err
	}
	t.parts = append(t.parts, p)
	return end, nil
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
		return 0, w.errorf("%q is no integer", w.text)
	}
	return v, nil
}

// size reads a number of characters.
func (w word) size() (int, error) {
	v, err := w.integer()
	if err == nil && (v < 1 || v > 1<<20) {
		err = w.errorf("%d characters: want 1 to %d", v, 1<<20)
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
				return nil, 0, open.errorf("nothing between the braces")
			}
			return list, p.at + len("}}"), nil
		case trimmed == "":
			return nil, 0, open.errorf("{{ without }}")
		case trimmed[0] == '"':
			quoted, err := strconv.QuotedPrefix(trimmed)
			if err != nil {
				return nil, 0, p.errorf("the text is not closed by a quotation mark")
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

type literal string

func (l literal) append(dst []byte, _ *Values) []byte { return append(dst, l...) }

// A cell is a column of the feed's row.
type cell int

func (c cell) append(dst []byte, v *Values) []byte { return append(dst, v.Row[c]...) }

// now is the time that functions tell; tests set it.
var now = time.Now
