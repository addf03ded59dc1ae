package grpcload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/load/template"
)

// A source is a text of JSON with {{…}} in it, in pieces.
type source struct {
	name, text string
	pieces     []piece
}

// A piece is text[at:end]: JSON, or a template in its place.
type piece struct {
	at, end int
	fill    *template.Template // nil: JSON
	quoted  bool               // it stands in a JSON text
}

// errorf returns an error at an offset of the text.
func (s *source) errorf(at int, format string, args ...any) error {
	before := s.text[:min(max(at, 0), len(s.text))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &template.Error{
		Name: s.name, Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(line),
		Text: fmt.Sprintf(format, args...),
	}
}

func parseSource(name, text string, feed *template.Feed) (*source, error) {
	if _, err := template.Parse(name, text, feed); err != nil {
		return nil, err
	}
	s := &source{name: name, text: text}
	quoted, start := false, 0
	literal := func(end int) {
		if start < end {
			s.pieces = append(s.pieces, piece{at: start, end: end})
		}
	}
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "{{"):
			literal(i)
			end := i + actionLength(text[i:])
			fill, err := template.Parse(name, text[i:end], feed)
			if err != nil {
				return nil, err
			}
			s.pieces = append(s.pieces, piece{i, end, fill, quoted})
			if !quoted && (i > 0 && !strings.ContainsRune(" \t\r\n,:[{}", rune(text[i-1])) ||
				end < len(text) && !strings.ContainsRune(" \t\r\n,:]}{", rune(text[end]))) {
				return nil, s.errorf(i, "quote a template within a number or word: \"1{{int 0 9}}\" counts as a number, too")
			}
			start, i = end, end-1
		case text[i] == '"':
			quoted = !quoted
		case quoted && text[i] == '\\':
			i++
		}
	}
	literal(len(text))
	return s, nil
}

// literalSource is a source without templates, whatever is in it.
func literalSource(name, text string, _ *template.Feed) (*source, error) {
	return &source{name: name, text: text, pieces: []piece{{at: 0, end: len(text)}}}, nil
}

// actionLength returns how long the {{…}} is that a text which compiles begins with.
func actionLength(text string) int {
	for i := len("{{"); i < len(text); i++ {
		if strings.HasPrefix(text[i:], "}}") {
			return i + len("}}")
		}
		if text[i] == '"' {
			quoted, _ := strconv.QuotedPrefix(text[i:])
			i += max(len(quoted)-1, 0)
		}
	}
	return len(text)
}

// A rendering is a source, or a part of it, with other text for its templates.
type rendering struct {
	source *source
	text   []byte
	spans  []span
}

// A span is where the text of a piece begins.
type span struct {
	at     int // in the rendering
	source int
	same   bool // as it stands in the source
}

func (r *rendering) span(source int, same bool) {
	r.spans = append(r.spans, span{len(r.text), source, same})
}

// back returns the place in the source of an offset of the rendered text.
func (r *rendering) back(offset int) int {
	for n := len(r.spans) - 1; n >= 0; n-- {
		if s := r.spans[n]; offset >= s.at {
			if !s.same {
				return s.source
			}
			return s.source + offset - s.at
		}
	}
	return 0
}

// Marks stand for templates where JSON is read: characters that are of no use, with
// the number of the piece between them.
const (
	markOpen  = '\uf8fe'
	markClose = '\uf8ff'
)

// marked renders the source with marks.
func (s *source) marked() *rendering {
	r := &rendering{source: s}
	for n, p := range s.pieces {
		r.span(p.at, p.fill == nil)
		switch {
		case p.fill == nil:
			r.text = append(r.text, s.text[p.at:p.end]...)
		case p.quoted:
			r.text = fmt.Appendf(r.text, "%c%d%c", markOpen, n, markClose)
		default:
			r.text = fmt.Appendf(r.text, `"%c%d%c"`, markOpen, n, markClose)
		}
	}
	return r
}

// A part of a text with templates: a piece's, or literal.
type part struct {
	literal string
	fill    *template.Template
	bare    bool // it stood outside of a JSON text
}

// parts splits a JSON text by its marks; literal is whether there are none.
func (s *source) parts(text string) (parts []part, literal bool) {
	literal = true
	for text != "" {
		before, rest, ok := strings.Cut(text, string(markOpen))
		number, after, closed := strings.Cut(rest, string(markClose))
		n, err := strconv.Atoi(number)
		if !ok || !closed || err != nil || n >= len(s.pieces) || s.pieces[n].fill == nil {
			return append(parts, part{literal: text}), literal
		}
		if before != "" {
			parts = append(parts, part{literal: before})
		}
		p := s.pieces[n]
		parts = append(parts, part{fill: p.fill, bare: !p.quoted})
		literal = false
		text = after
	}
	return parts, literal
}

// A document is one message of a source, as JSON with marks.
type document struct {
	marked   *rendering
	from, to int // in it
}

func (d document) text() []byte { return d.marked.text[d.from:d.to] }

// whole returns all of a source as one document.
func (s *source) whole() document {
	r := s.marked()
	return document{r, 0, len(r.text)}
}

// documents splits a source into the messages that it has: one after the other, or
// in an array.
func (s *source) documents() ([]document, error) {
	r := s.marked()
	d := json.NewDecoder(bytes.NewReader(r.text))
	fail := func(err error) error {
		at := int(d.InputOffset())
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// Offsets of a Decoder count from the value's start in some of its errors.
			if at = int(syntax.Offset) - 1; at < int(d.InputOffset()) {
				at += int(d.InputOffset())
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || template.EndsEarly(string(r.text)) {
			at, err = len(r.text), errors.New("unexpected end of JSON")
		}
		return s.errorf(r.back(at), "%v", err)
	}
	var all []document
	array := bytes.HasPrefix(bytes.TrimLeft(r.text, " \t\r\n"), []byte("["))
	if array {
		if _, err := d.Token(); err != nil {
			return nil, fail(err)
		}
	}
	for !array || d.More() {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if !array && errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fail(err)
		}
		to := int(d.InputOffset())
		all = append(all, document{r, to - len(raw), to})
	}
	if _, err := d.Token(); err != nil {
		return nil, fail(err)
	}
	if rest := bytes.TrimSpace(r.text[d.InputOffset():]); len(rest) > 0 {
		return nil, s.errorf(r.back(int(d.InputOffset())), "unexpected text after the array")
	}
	return all, nil
}

// tree decodes JSON: objects as map[string]any, numbers as json.Number.
func tree(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

// fill renders the document with what its templates give.
func (d document) fill(v *template.Values) *rendering {
	s := d.marked.source
	r := &rendering{source: s}
	for n, p := range s.pieces {
		from, to := d.marked.spans[n].at, len(d.marked.text)
		if n+1 < len(s.pieces) {
			to = d.marked.spans[n+1].at
		}
		skip := max(d.from-from, 0)
		from, to = from+skip, min(to, d.to)
		if from >= to {
			continue
		}
		switch {
		case p.fill == nil:
			r.span(p.at+skip, true)
			r.text = append(r.text, d.marked.text[from:to]...)
		case p.quoted:
			r.span(p.at, false)
			text, _ := json.Marshal(string(p.fill.Append(nil, v)))
			r.text = append(r.text, text[1:len(text)-1]...)
		default:
			r.span(p.at, false)
			r.text = p.fill.Append(r.text, v)
		}
	}
	return r
}
