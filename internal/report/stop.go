package report

import (
	"context"
	"io"

	"github.com/hone-go/hone/profile"
)

// stopEvery is how many steps a loop over samples makes between two checks of the
// context: some microseconds of work.
const stopEvery = 4096

// A stopper tells loops to end early. The zero value never does.
type stopper struct {
	ctx  context.Context
	held *held // nil bounds nothing
}

// held is the memory that a report takes.
type held struct {
	budget profile.Budget // nil bounds nothing
	taken  int64
	err    error // of the budget
}

// over reports whether the loop has to end because there is no memory for its result,
// which has n bytes so far.
func (s stopper) over(n int64) bool {
	h := s.held
	if h == nil || h.budget == nil {
		return false
	}
	const piece = 1 << 20
	if n > h.taken && h.err == nil {
		if h.err = h.budget.Take(n + piece - h.taken); h.err == nil {
			h.taken = n + piece
		}
	}
	return h.err != nil
}

// at reports whether the loop has to end at step i. Most steps don't check.
func (s stopper) at(i int) bool { return i%stopEvery == 0 && s.err() != nil }

func (s stopper) err() error {
	if s.held != nil && s.held.err != nil {
		return s.held.err
	}
	if s.ctx == nil {
		return nil
	}
	return s.ctx.Err()
}

// A stoppedWriter fails once the work has to end, which stops the writing.
type stoppedWriter struct {
	stopper
	w io.Writer
}

func (w stoppedWriter) Write(b []byte) (int, error) {
	if err := w.err(); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}
