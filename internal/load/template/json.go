package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Replacement replaces a value of a JSON document by the output of a template.
type Replacement struct {
	Path string // "$.device.id", "readings[0].value"; the $ may be left out
	Text string // a template
}

// ParseReplacement reads PATH=TEMPLATE.
func ParseReplacement(text string) (Replacement, error) {
	path, value, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return Replacement{}, fmt.Errorf("invalid replacement %q: use PATH=TEMPLATE, as in '$.device.id=dev-{{int 1 1000}}'", text)
	}
	return Replacement{path, value}, nil
}

// ParseJSON compiles a JSON document in which values are replaced. If the value is a
// string, the template's output becomes a string, escaped. Any other value is replaced by
// the output as it is, so {{int 1 9}} makes a number. The document's own strings,
// including names, may have {{…}}, too. The output is JSON.
func ParseJSON(name, text string, feed *Feed, replace ...Replacement) (*Template, error) {
	return parseJSON(name, text, true, feed, replace)
}

// ReplaceJSON is like ParseJSON for a document whose own strings are not templates.
func ReplaceJSON(name, text string, feed *Feed, replace ...Replacement) (*Template, error) {
	return parseJSON(name, text, false, feed, replace)
}

func parseJSON(name, text string, fill bool, feed *Feed, replace []Replacement) (*Template, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	doc, err := locate(name, text)
	if err != nil {
		return nil, err
	}
	var cuts []cut
	for _, r := range replace {
		c, err := doc.cut(r, feed)
		if err != nil {
			return nil, err
		}
		cuts = append(cuts, c)
	}
	bySite := func(a, b cut) int { return a.from - b.from }
	slices.SortFunc(cuts, bySite)
	for i, c := range cuts {
		if i > 0 && c.from < cuts[i-1].to {
			return nil, fmt.Errorf("%s: two replacements overlap at offset %d", name, c.from)
		}
	}
	whole := &Template{}
	at := 0
	for _, v := range doc.texts {
		// Replaced values, and the document's own texts between them.
		for len(cuts) > 0 && cuts[0].from <= v.from {
			at = whole.put(text, at, cuts[0])
			cuts = cuts[1:]
		}
		if v.from < at || !fill || !strings.Contains(text[v.from:v.to], "{{") {
			continue
		}
		t, err := doc.parse(v, feed)
		if err != nil {
			return nil, err
		}
		at = whole.put(text, at, cut{v, t})
	}
	for _, c := range cuts {
		at = whole.put(text, at, c)
	}
	whole.literal(text[at:])
	return whole, nil
}

// A cut is a value of a document and what takes its place.
type cut struct {
	jsonValue
	*Template
}

// put appends a document's text from at to a cut, and what takes the cut's place.
// It returns where the text goes on.
func (t *Template) put(text string, at int, c cut) int {
	t.literal(text[at:c.from])
	for _, p := range c.parts {
		if l, ok := p.(literal); ok {
			t.literal(string(l))
		} else {
			t.parts = append(t.parts, p)
		}
	}
	return c.to
}

// quoted returns the template whose output is that of t as a JSON text. What needs
// escapes gets them now where that is possible; functions but row give none that does.
func (t *Template) quoted() *Template {
	q := &Template{}
	q.literal(`"`)
	for _, p := range t.parts {
		switch p := p.(type) {
		case literal:
			q.literal(string(appendEscaped(nil, string(p))))
		case choice:
			escaped := make(choice, len(p))
			for i, text := range p {
				escaped[i] = string(appendEscaped(nil, text))
			}
			q.parts = append(q.parts, escaped)
		case cell:
			q.parts = append(q.parts, escapedCell(p))
		default:
			q.parts = append(q.parts, p)
		}
	}
	q.literal(`"`)
	return q
}

// An escapedCell is a column of the feed's row within a JSON text.
type escapedCell int

func (c escapedCell) append(dst []byte, v *Values) []byte { return appendEscaped(dst, v.Row[c]) }

// appendEscaped appends what stands between the quotation marks of a JSON text.
func appendEscaped(dst []byte, text string) []byte {
	const digits = "0123456789abcdef"
	for _, r := range text { // What is no UTF-8 becomes U+FFFD.
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// A jsonValue is a value of a document, or the name of an object's member: the bytes
// text[from:to] of the document.
type jsonValue struct {
	from, to int
	text     bool // a JSON string
}

// A document is a JSON text with where its values are.
type document struct {
	position
	values map[string]jsonValue // by path as parsePath returns it
	texts  []jsonValue          // in order, names among them
}

// maxDepth is how deeply a document's values may be nested.
const maxDepth = 1000

// locate returns where the values of a document are.
func locate(name, text string) (*document, error) {
	doc := &document{position{name, text, 0}, make(map[string]jsonValue), nil}
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			doc.at = min(max(int(syntax.Offset)-1, 0), len(text)) // it counts what was read
		}
		if EndsEarly(text) {
			doc.at, err = len(text), errors.New("unexpected end of JSON")
		}
		return nil, doc.errorf("%v", err)
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := doc.locate(d, "", 0); err != nil {
		doc.at = min(int(d.InputOffset()), len(text))
		return nil, doc.errorf("%v", err)
	}
	return doc, nil
}

// EndsEarly reports whether more text could make valid JSON of a text that is none. It is
// what package encoding/json says in words, or says as [io.ErrUnexpectedEOF], as the
// version of Go has it.
func EndsEarly(text string) bool {
	var syntax *json.SyntaxError
	// An error at the end moves with it, and no other does.
	err := json.Unmarshal([]byte(text+" "), new(json.RawMessage))
	return errors.As(err, &syntax) && int(syntax.Offset) > len(text)
}

func (doc *document) locate(d *json.Decoder, path string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	token, v, err := doc.next(d)
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			name, _, err := doc.next(d)
			if err != nil {
				return err
			}
			if err := doc.locate(d, path+"."+strconv.Quote(name.(string)), depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := doc.locate(d, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	v.to = int(d.InputOffset())
	doc.values[path] = v
	return err
}

// next returns the next token and where it is.
func (doc *document) next(d *json.Decoder) (json.Token, jsonValue, error) {
	from := int(d.InputOffset())
	from += len(doc.text[from:]) - len(strings.TrimLeft(doc.text[from:], " \t\r\n,:"))
	token, err := d.Token()
	_, isText := token.(string)
	v := jsonValue{from, int(d.InputOffset()), isText}
	if isText {
		doc.texts = append(doc.texts, v)
	}
	return token, v, err
}

// parse compiles a text of the document.
func (doc *document) parse(v jsonValue, feed *Feed) (*Template, error) {
	raw := doc.text[v.from:v.to]
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return nil, position{doc.name, doc.text, v.from}.errorf("%v", err)
	}
	t, err := Parse(doc.name, text, feed)
	var e *Error
	if errors.As(err, &e) {
		start := position{doc.name, doc.text, v.from}.errorf("").(*Error)
		column := start.Column
		if !strings.Contains(raw, `\`) {
			column += e.Column // Both count from 1, and the quotation mark is one more.
		}
		e.Line, e.Column = start.Line, column
		if path := PathAt([]byte(doc.text), v.from); path != "" {
			e.Text += ", at " + path
		}
	}
	if err != nil {
		return nil, err
	}
	return t.quoted(), nil
}

// cut compiles a replacement.
func (doc *document) cut(r Replacement, feed *Feed) (cut, error) {
	path, err := parsePath(r.Path)
	if err != nil {
		return cut{}, err
	}
	v, ok := doc.values[path]
	if !ok {
		return cut{}, fmt.Errorf("%s has no value at %s", doc.name, r.Path)
	}
	t, err := Parse(r.Path, r.Text, feed)
	if err != nil {
		return cut{}, err
	}
	if v.text {
		return cut{v, t.quoted()}, nil
	}
	// One try finds those who forgot that quotation marks are theirs to write.
	try := NewValues(0, 0)
	try.Row = feed.Row(0)
	if out := t.Append(nil, try); !json.Valid(out) {
		return cut{}, fmt.Errorf("%s: %s replaces a value other than a string, and %q is not JSON", r.Path, r.Text, out)
	}
	return cut{v, t}, nil
}

// parsePath turns $.a.b[0]["c d"] into what locate uses: ."a"."b"[0]."c d".
func parsePath(path string) (string, error) {
	bad := func() (string, error) {
		return "", fmt.Errorf("invalid path %s: use $.name, name.name, name[0] or name[\"a b\"]", path)
	}
	rest := strings.TrimPrefix(path, "$")
	if rest == path && !strings.HasPrefix(rest, "[") {
		rest = "." + rest
	}
	var out strings.Builder
	for rest != "" {
		switch {
		case rest[0] == '.':
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			if n == 1 {
				return bad()
			}
			out.WriteString("." + strconv.Quote(rest[1:n]))
			rest = rest[n:]
		case strings.HasPrefix(rest, `["`):
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
				return bad()
			}
			name, _ := strconv.Unquote(quoted)
			out.WriteString("." + strconv.Quote(name))
			rest = rest[1+len(quoted)+1:]
		case rest[0] == '[':
			index, after, ok := strings.Cut(rest[1:], "]")
			n, err := strconv.Atoi(index)
			if !ok || err != nil || n < 0 {
				return bad()
			}
			out.WriteString("[" + strconv.Itoa(n) + "]")
			rest = after
		default:
			return bad()
		}
	}
	return out.String(), nil
}
