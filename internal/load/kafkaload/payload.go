package kafkaload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/load/template"
)

// Payloads are the values of messages, from a file with one per line.
type Payloads struct {
	Values []*template.Template
	Failed int      // number of lines that could not be parsed; they are left out
	Errors []string // errors of the first of these lines, with file, line and column
}

// maxErrors is how many errors are kept.
const maxErrors = 100

// ReadPayloads reads a file with one payload per line. With fill, the payloads are
// templates; otherwise they are sent as they are. With replacements, they are JSON
// documents. Lines that can't be parsed are counted. If none can, it returns an error.
func ReadPayloads(ctx context.Context, path string, fill bool, feed *template.Feed, replace ...template.Replacement) (*Payloads, error) {
	in, err := infile.OpenText(ctx, path, template.FeedLimit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p := &Payloads{}
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if text := bytes.TrimRight(text, "\r\n"); len(text) > 0 {
			p.add(path, line, string(text), fill, feed, replace)
		}
		switch {
		case errors.Is(err, io.EOF):
			return p, p.check(path)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

func (p *Payloads) add(path string, line int, text string, fill bool, feed *template.Feed, replace []template.Replacement) {
	name := fmt.Sprintf("%s:%d", path, line)
	t, err := Body(name, text, fill, feed, replace...)
	if err == nil {
		p.Values = append(p.Values, t)
		return
	}
	var at *template.Error
	if errors.As(err, &at) && at.Name == name {
		at.Name, at.Line = path, line
	}
	if p.Failed++; len(p.Errors) < maxErrors {
		p.Errors = append(p.Errors, err.Error())
	}
}

// Body compiles the value of messages. With fill it is a template; otherwise it is sent as
// it is. With replacements it is a JSON document.
func Body(name, text string, fill bool, feed *template.Feed, replace ...template.Replacement) (*template.Template, error) {
	switch {
	case len(replace) > 0 && fill:
		return template.ParseJSON(name, text, feed, replace...)
	case len(replace) > 0:
		return template.ReplaceJSON(name, text, feed, replace...)
	case fill:
		return template.Parse(name, text, feed)
	}
	return template.Literal(text), nil
}

func (p *Payloads) check(path string) error {
	switch {
	case len(p.Values) > 0:
		return nil
	case p.Failed > 0:
		return fmt.Errorf("%s: none of %d lines can be sent: %s", path, p.Failed, p.Errors[0])
	}
	return fmt.Errorf("%s: the file is empty", path)
}
