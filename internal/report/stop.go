package report

import (
	"context"
	"io"
)

// stopEvery is how many steps of a loop over samples are between two looks at the
// context: some microseconds of work.
const stopEvery = 4096

// A stopper tells loops to end early. The zero value never does.
type stopper struct{ ctx context.Context }

// at reports whether the loop is to end at step i. Most steps don't look.
func (s stopper) at(i int) bool { return i%stopEvery == 0 && s.err() != nil }

func (s stopper) err() error {
	if s.ctx == nil {
		return nil
	}
	return s.ctx.Err()
}

// Err returns the error of [Env.Context]. If it isn't nil, what the report's
// methods return is incomplete.
func (r *Report) Err() error { return r.stop().err() }

func (r *Report) stop() stopper { return stopper{r.env.Context} }

// stoppedWriter fails once the work is to end, so that whoever writes stops.
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
