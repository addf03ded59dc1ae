package gctrace

import (
	"bytes"
	"io"
	"slices"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Filter takes traces out of what a program writes to standard error, which is
// written to the Filter, and passes everything else on, at once: only what could
// be the beginning of a trace waits for its end. Write never fails. A Filter is
// for one goroutine.
//
// The runtime writes a trace in pieces while the program runs, so that what the
// program writes may get in between anywhere; such a trace is passed on as it is,
// and counted by its pieces, which are never torn themselves. A trace may also
// follow a line that the program has not ended.
type Filter struct {
	out    io.Writer
	found  []collection
	pieces [len(pieces)]int // of traces that are passed on
	begun  int              // traces that are passed on, by what they begin with
	tail   []byte           // the end of what was passed on, where a piece may begin
	held   []byte
	failed error // of out; Close tells
}

// pieces are what the runtime writes of each trace, each in one piece: gcMarkTermination
// in runtime/mgc.go. Programs hardly write them.
var pieces = [...]string{" ms clock, ", " ms cpu, ", " MB goal, "}

// torn is the number of traces that had something in between. One that the end of the
// program cut off has a beginning, and may have no piece.
func (f *Filter) torn() int { return max(f.begun, slices.Max(f.pieces[:])) }

// NewFilter returns a filter that passes on to out.
func NewFilter(out io.Writer) *Filter { return &Filter{out: out} }

func (f *Filter) Write(p []byte) (int, error) {
	f.held = append(f.held, p...)
	at := 0 // what of held is passed on
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

// pass writes held[from:to] and returns to. After a failure of the output the
// program goes on being read: it is measured all the same.
func (f *Filter) pass(from, to int) int {
	text := append(f.tail, f.held[from:to]...)
	for i, piece := range pieces {
		// What the tail has by itself was counted before.
		f.pieces[i] += bytes.Count(text, []byte(piece)) - bytes.Count(f.tail, []byte(piece))
	}
	f.tail = append(f.tail[:0], text[max(0, len(text)-len(pieces[0])+1):]...)
	if from < to && f.failed == nil {
		_, f.failed = f.out.Write(f.held[from:to])
	}
	return to
}

// Close passes on what waits, at the program's end. The error is that of the
// output, from whenever; the traces are complete all the same.
func (f *Filter) Close() error {
	f.pass(0, len(f.held))
	f.held = nil
	return f.failed
}
