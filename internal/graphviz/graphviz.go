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
