// Package template makes texts that differ from request to request: bodies, paths,
// headers, message keys. A text is compiled once. Filling it in appends to a buffer,
// without allocations.
//
//	{{n}}               the request's number, from 0
//	{{int 1 100}}       a random integer, both ends included
//	{{float 0 1}}       a random number in that range, with 6 digits after the point
//	{{float 0 1 2}}     … with 2
//	{{hex 16}}          16 random hexadecimal digits
//	{{letters 10}}      10 random letters a to z
//	{{uuid}}            a random UUID
//	{{one "a" "b"}}     one of the texts, at random
//	{{unix}}            the time in seconds since 1970; {{unixms}} in milliseconds,
//	                    {{unixns}} in nanoseconds
//	{{time}}            the time in UTC, in RFC 3339 with nanoseconds
//	{{row.name}}        the column of a feed
//	{{"{{"}}            two braces
package template

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// A Template is a compiled text. Any goroutine may use it.
type Template struct {
	text  string
	parts []part
}

// A part of a text: what a literal or a function appends.
type part interface {
	append(dst []byte, v *Values) []byte
}

// Values are the input of a template's functions. Each goroutine has its own.
type Values struct {
	N   int64    // the request's number
	Row []string // of the feed; see Feed.Row
	Rng *rand.Rand
}

// NewValues returns values with random numbers that depend on seed and stream alone. Give
// each goroutine its own stream.
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

// String returns the text that was compiled. It is "" for a template that was made of
// others.
func (t *Template) String() string { return t.text }

// Literal returns a template whose output is the text itself.
func Literal(text string) *Template {
	t := &Template{text: text}
	t.literal(text)
	return t
}

// Static reports whether the output is always the same.
func (t *Template) Static() bool {
	for _, p := range t.parts {
		if _, ok := p.(literal); !ok {
			return false
		}
	}
	return true
}

// An Error says what is wrong with a template, and where.
type Error struct {
	Name         string // of the file or flag
	Line, Column int    // from 1; columns count characters
	Text         string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Text) }

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

type literal string

func (l literal) append(dst []byte, _ *Values) []byte { return append(dst, l...) }

// A cell is a column of the feed's row.
type cell int

func (c cell) append(dst []byte, v *Values) []byte { return append(dst, v.Row[c]...) }

// now is the time that functions tell; tests set it.
var now = time.Now
