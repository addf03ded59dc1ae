package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the forms of pictures
	_ "image/png"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// A Form is how an output is written.
type Form string

const (
	SVG      Form = "svg"
	HTML     Form = "html"
	DOT      Form = "dot"
	CSV      Form = "csv"
	JSON     Form = "json"
	Markdown Form = "markdown"
	PDF      Form = "pdf"
	PS       Form = "ps"
	Picture  Form = "picture" // GIF or PNG
	Pprof    Form = "profile"
	Lines    Form = "lines" // a fact per line
	CI       Form = "ci"    // the same, also where a CI service reads the log
	Words    Form = "words" // for people: no parts
)

// Parts returns what an output consists of besides its texts: elements with the names of their
// attributes, operators, columns, lines. The error is what is damaged.
func Parts(form Form, text string) ([]string, error) {
	switch form {
	case SVG:
		return svgParts(text)
	case HTML:
		return htmlParts(text), nil
	case DOT:
		return dotParts(text), nil
	case CSV:
		return csvParts(text)
	case JSON:
		// Which members a value has depends on whether others have equal texts.
		if !json.Valid([]byte(text)) {
			return nil, errors.New("damaged JSON")
		}
		return nil, nil
	case Markdown:
		return markdownParts(text), nil
	case PDF:
		return pdfParts(text)
	case PS:
		return psParts(text), nil
	case Picture:
		_, name, err := image.Decode(strings.NewReader(text))
		return []string{name}, err
	case Pprof:
		p, err := profile.DecodeBytes([]byte(text), profile.Limits{})
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("%d samples, %d functions", p.NumSamples(), len(p.Functions))}, nil
	case Lines:
		return make([]string, strings.Count(text, "\n")), nil
	case CI:
		return ciParts(text)
	case Words:
		return nil, nil
	}
	return nil, fmt.Errorf("unknown form %q", form)
}

// Obeyed returns the first character that a terminal obeys, or that turns the text around it.
func Obeyed(text string) (rune, bool) {
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return r, true
		}
	}
	return 0, false
}

func svgParts(text string) (out []string, err error) {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		// A text may need several lines.
		if e, ok := token.(xml.StartElement); ok && e.Name.Local != "text" && e.Name.Local != "tspan" {
			name := e.Name.Local
			for _, a := range e.Attr {
				name += " " + a.Name.Local
			}
			out = append(out, name)
		}
	}
}

func htmlParts(text string) (out []string) {
	for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
		if token := z.Token(); token.Type != html.TextToken {
			name := token.Type.String() + " " + token.Data
			for _, a := range token.Attr {
				name += " " + a.Key
			}
			out = append(out, name)
		}
	}
	return out
}

// dotParts is what is outside of quotes, without numbers.
func dotParts(text string) []string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && !unicode.IsDigit(rune(text[i])) && text[i] != '.':
			b.WriteByte(text[i])
		}
	}
	return strings.Split(b.String(), "\n")
}

// csvParts has the number of cells of each row. No cell is a formula to a spreadsheet.
func csvParts(text string) (out []string, err error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	for _, row := range rows {
		out = append(out, strconv.Itoa(len(row)))
		for _, cell := range row {
			_, e := strconv.ParseFloat(cell, 64)
			if start := strings.TrimLeft(cell, " \t\r\n"); e != nil && start != "" && strings.ContainsRune("=+-@", rune(start[0])) {
				err = errors.Join(err, fmt.Errorf("the cell %.40q is a formula", cell))
			}
		}
	}
	return out, err
}

var (
	markdownCode   = lazyregexp.New("`[^`\n]*`|<code>[^<\n]*</code>")
	markdownEntity = lazyregexp.New(`&(?:#\d+|\w+);(?:&#8203;)?`)
	markdownSigns  = lazyregexp.New("(?i)[\\\\`*_{}\\[\\]<>#|&@!~$\n]|://|www\\.|\\bgh-\\d")
)

// markdownParts has what Markdown, or the forge that shows it, gives a meaning. In a table, a |
// ends a cell even within code.
func markdownParts(text string) []string {
	text = markdownCode.Get().ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat("|", strings.Count(code, "|")) })
	return markdownSigns.Get().FindAllString(markdownEntity.Get().ReplaceAllStringFunc(text, func(entity string) string {
		// Mentions and references to issues are looked for in what is shown, so that what is
		// written as an entity doesn't help there; a space without width does.
		if s := html.UnescapeString(entity); s == "@" || s == "#" {
			return s
		}
		return "\u200b"
	}), -1)
}

var (
	pdfString = lazyregexp.New(`(?s)\((?:[^()\\]|\\.)*\)`)
	pdfNumber = lazyregexp.New(`-?\d*\.?\d+`)
)

// pdfParts has the kinds of objects and all operators, without the numbers and texts.
func pdfParts(text string) (out []string, err error) {
	rest := []byte(text)
	add := func(syntax []byte) {
		syntax = pdfNumber.Get().ReplaceAll(pdfString.Get().ReplaceAll(syntax, nil), nil)
		for word := range strings.FieldsSeq(string(syntax)) {
			out = append(out, word)
		}
	}
	for {
		before, after, ok := bytes.Cut(rest, []byte("stream\n"))
		add(before)
		if !ok {
			return textOperators(out), err
		}
		content, end, _ := bytes.Cut(after, []byte("\nendstream"))
		rest = end
		if !bytes.Contains(before[max(0, len(before)-100):], []byte("/FlateDecode")) {
			continue
		}
		z, e := zlib.NewReader(bytes.NewReader(content))
		if e == nil {
			content, e = io.ReadAll(z)
		}
		if e != nil {
			err = errors.Join(err, e)
		} else if bytes.Contains(content, []byte(" Tj")) {
			add(content)
		}
	}
}

// textOperators leaves each operator once: how many lines and curves there are depends on the
// length of texts.
func textOperators(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

var (
	psString = lazyregexp.New(`<[0-9a-fA-F]*>|/uni?[0-9A-F]+`)
	psTitle  = lazyregexp.New(`(?m)^%%Title:.*$`)
)

// psParts has the operators without numbers, and without the fonts, which are made of the
// characters in use.
func psParts(text string) []string {
	text = psTitle.ReplaceAllString(text, "%%Title:")
	text = pdfNumber.ReplaceAllString(psString.ReplaceAllString(pdfString.ReplaceAllString(text, ""), ""), "")
	return textOperators(strings.Fields(text))
}

// ciParts has the number of lines, none of which is a command to the service that runs hone.
func ciParts(text string) ([]string, error) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			return nil, fmt.Errorf("a command to CI: %.60q", line)
		}
	}
	return Parts(Lines, text)
}
