// Package graphviz renders graphs written in DOT, with nothing installed.
//
//	dot text → engine (WebAssembly) → json with drawing operations → drawing → svg | png | gif | pdf | ps
//
// The layout is Graphviz' own "dot", run as a WebAssembly module. It only
// places things: every format is written here from one display list (drawing),
// so all of them show the same picture. An [Engine] says where the layout happens:
// in this process, in a child, or by an installed dot, which on graphs of
// thousands of nodes is several times faster.
//
// Importing the package costs nothing; the first layout compiles the module.
package graphviz

//go:generate go run gen.go

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"
)

// errFormat is returned by Render for a format it does not write.
var errFormat = errors.New("unknown graph format")

// A writer draws one format. Its output is complete or its error is not nil.
type writer func(context.Context, *drawing, io.Writer) error

var writers = map[string]writer{
	"svg": writeSVG,
	"png": writePNG,
	"gif": writeGIF,
	"pdf": writePDF,
	"ps":  writePS,
}

// formats returns the formats Render knows, sorted.
func formats() []string {
	names := make([]string, 0, len(writers))
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Render lays out the DOT graph and writes it to w as svg, png, gif, pdf or ps.
// Nothing is written to w before the picture is complete. When ctx is cancelled
// Render returns ctx.Err(), and a layout in another process stops. Render does
// not keep dot, and concurrent calls are independent of each other.
func (e Engine) Render(ctx context.Context, dot []byte, format string, w io.Writer) (err error) {
	write, ok := writers[format]
	if !ok {
		return fmt.Errorf("%w %q", errFormat, format)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rendering graph as %s: %v", format, r)
		}
	}()
	laidOut, err := e.layout(ctx, printable(dot))
	if err != nil {
		return err
	}
	d, err := parseDrawing(laidOut)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := write(ctx, d, &out); err != nil {
		return fmt.Errorf("rendering graph as %s: %w", format, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// backslash stands for an escaped backslash on its way through the engine, whose
// versions disagree on how many of them come back. The replacement of control
// characters leaves it free for that.
const backslash = '\u009c'

// printable prepares the text for the engine. It replaces what no format can
// show, control characters (which also end C strings and break the engine's
// JSON) and invalid UTF-8, and escaped backslashes. What turns the text around it, so
// that a name reads as another, becomes an escape.
func printable(dot []byte) []byte {
	out := make([]byte, 0, len(dot)+len(dot)/16)
	for i := 0; i < len(dot); {
		r, size := utf8.DecodeRune(dot[i:])
		switch {
		case r == '\\' && i+1 < len(dot) && dot[i+1] == '\\':
			r, size = backslash, 2
		case r == '\\' && i+1 < len(dot) && dot[i+1] < utf8.RuneSelf && dot[i+1] > ' ':
			out = append(out, '\\')
			r, size = rune(dot[i+1]), 2
		case r == '\n' || r == '\t':
		case r == '\r':
			r = ' '
		case unicode.Is(unicode.Bidi_Control, r): // it would turn the text around it
			out = utf8.AppendRune(out, backslash)
			out = fmt.Appendf(out, "u%04x", r)
			i += size
			continue
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF:
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		i += size
	}
	return out
}
