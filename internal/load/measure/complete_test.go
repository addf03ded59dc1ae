package measure

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
)

// TestMeasureRun: only a load that ran to its end, with valid figures, makes a complete run.
func TestMeasureRun(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		at    int // the period in which it happens
		what  func(r *load.Result, interrupt func()) error
		state experiment.State // "": the run is removed
		err   error
	}{
		{"to the end", 1, func(*load.Result, func()) error { return nil }, experiment.Complete, nil},
		{"void", 2, func(r *load.Result, _ func()) error { r.Void = "too late"; return nil }, experiment.Partial, nil},
		{"interrupted", 2, func(_ *load.Result, interrupt func()) error { interrupt(); return nil }, experiment.Partial, context.Canceled},
		{"failed", 2, func(*load.Result, func()) error { return broken }, experiment.Partial, broken},
		{"failed at once", 1, func(*load.Result, func()) error { return broken }, "", broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			n := 0
			p := planned(t, func(ctx context.Context, s Stage, d time.Duration, opts load.Options) (*load.Result, error) {
				r, err := rounds(ctx, s, d, opts)
				if n++; n == c.at && err == nil {
					if err = c.what(r, interrupt); err != nil {
						r = nil
					}
				}
				return r, err
			})
			report, err := p.MeasureRun(ctx)
			if !errors.Is(err, c.err) || (report == nil) != (c.state == "") {
				t.Fatalf("%v, %v", report, err)
			}
			run, err := experiment.Open(t.Context(), p.Run.Dir())
			if c.state == "" {
				if _, err := os.Stat(p.Run.Dir()); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the run is still there: %v", err)
				}
				return
			}
			if err != nil || run.State != c.state {
				t.Errorf("the run is %v, %v, want %s", run, err, c.state)
			}
		})
	}
}

func TestPartial(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx        context.Context
		err        error
		void, want string
	}{
		{t.Context(), nil, "", ""},
		{t.Context(), nil, "late", "void: late"},
		{t.Context(), errors.New("broken"), "late", "broken"},
		{ended, errors.New("broken"), "late", "interrupted"},
	} {
		if got := partial(c.ctx, c.err, c.void); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
