package gctrace

import (
	"bytes"
	"io"
	"slices"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Filter removes traces from the standard error of a program, and passes
// everything else on immediately. Only text that may be the beginning of a trace
// waits. Write never fails. A Filter is for one goroutine.
//
// The runtime writes a trace in pieces while the program runs, so output of the
// program may end up between them. Such a torn trace is passed on, and counted by
// its pieces, which are never torn. A trace may also follow an unfinished line.
type Filter struct {
	out    io.Writer
	found  []collection
	pieces [len(pieces)]int // in traces that are passed on
	begun  int              // traces that are passed on, counted by their beginnings
	tail   []byte           // the end of what was passed on, where a piece may begin
	held   []byte
	failed error // error of out, for Close
}

// pieces are texts that the runtime writes for each trace with a single write:
// gcMarkTermination in runtime/mgc.go. Programs hardly ever write them.
var pieces = [...]string{" ms clock, ", " ms cpu, ", " MB goal, "}

// torn is the number of torn traces. A trace that was cut off by the end of the program has
// a beginning, but perhaps no pieces.
func (f *Filter) torn() int { return max(f.begun, slices.Max(f.pieces[:])) }

// NewFilter returns a filter that passes on to out.
func NewFilter(out io.Writer) *Filter { return &Filter{out: out} }

func (f *Filter) Write(p []byte) (int, error) {
	f.held = append(f.held, p...)
	at := 0 // end of the part of held that is passed on
	for i := 0; i < len(f.held); {
		g := bytes.IndexByte(f.held[i:], 'g')
		if g < 0 {
			i = len(f.held)
			at = f.pass(at, i)
			break
		}
		i += g
		t, n, more := parseTrace(f.held[i:])
		switch {
		case n > 0:
			f.pass(at, i)
			f.found = append(f.found, t)
			i += n
			at = i
		case more:
			at = f.pass(at, i)
			f.held = append(f.held[:0], f.held[at:]...)
			return len(p), nil
		default:
			if tornTrace.Match(f.held[i:]) {
				f.begun++
			}
			i++
		}
	}
	f.pass(at, len(f.held))
	f.held = f.held[:0]
	return len(p), nil
}

var tornTrace = lazyregexp.New(`^gc \d+ @\d`)

// pass writes held[from:to] and returns to. If the output fails, the filter keeps
// reading, so that the measurement continues.
func (f *Filter) pass(from, to int) int {
	text := append(f.tail, f.held[from:to]...)
	for i, piece := range pieces {
		// Pieces within the tail were counted before.
		f.pieces[i] += bytes.Count(text, []byte(piece)) - bytes.Count(f.tail, []byte(piece))
	}
	f.tail = append(f.tail[:0], text[max(0, len(text)-len(pieces[0])+1):]...)
	if from < to && f.failed == nil {
		_, f.failed = f.out.Write(f.held[from:to])
	}
	return to
}

// Close passes on the waiting text at the end of the program. It returns the first
// error of the output; the traces are complete anyway.
func (f *Filter) Close() error {
	f.pass(0, len(f.held))
	f.held = nil
	return f.failed
}
