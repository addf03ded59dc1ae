package graphviz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// An Engine lays out graphs and draws them. The zero Engine lays out in this
// process, with the module of this package: a fault of it, or of the compiler of
// its code, ends the process. The others lay out in a process of its own for each
// graph, which is killed when the context is cancelled. An Engine may be used by
// several goroutines at a time.
type Engine struct {
	argv []string
	name string // what errors call argv
}

// Child returns the engine that runs a command line which calls [Layout].
func Child(argv ...string) Engine { return Engine{argv: argv, name: "graph layout"} }

// Dot returns the engine that runs an installed Graphviz: its program dot.
func Dot(program string) Engine {
	font := "fontname=" + layoutFont
	return Engine{argv: []string{program, "-Tjson", "-G" + font, "-N" + font, "-E" + font}, name: program}
}

// failed is what Layout writes in place of a graph.
type failed struct {
	Error string `json:"error"`
}

// Layout is the work of the process that [Child] starts: it reads a graph in DOT
// to the end and writes its layout. A graph without a layout is an answer, too:
// Layout fails only if it can't read or write.
func Layout(dot io.Reader, layout io.Writer) error {
	text, err := io.ReadAll(dot)
	if err != nil {
		return err
	}
	out, err := layoutHere(context.Background(), text)
	if err != nil {
		if out, err = json.Marshal(failed{err.Error()}); err != nil {
			return err
		}
	}
	_, err = layout.Write(out)
	return err
}

// layout returns the JSON form of the laid-out graph: its objects with their
// attributes and drawing operations.
func (e Engine) layout(ctx context.Context, dot []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.argv == nil {
		return layoutHere(ctx, dot)
	}
	cmd := exec.CommandContext(ctx, e.argv[0], e.argv[1:]...)
	cmd.Stdin = bytes.NewReader(dot)
	var messages diagnostics
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", e.name, err, messages.firstError())
	}
	if bytes.HasPrefix(out, []byte(`{"error":`)) {
		var f failed
		if err := json.Unmarshal(out, &f); err == nil {
			return nil, errors.New(f.Error)
		}
	}
	return out, nil
}
