package measure

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/profile"
)

// TestInUse: a profile waits for the profiler, and the load goes on beneath it.
func TestInUse(t *testing.T) {
	const busy = 60 // answers, more than fit into what a load outlasts its profile by
	asked, loads := 0, 0
	m := &measurement{Plan: &Plan{
		ProfileTime: time.Second,
		Load: func(ctx context.Context, stage Stage, d time.Duration, opts load.Options) (*load.Result, error) {
			loads++
			<-ctx.Done()
			return &load.Result{Succeeded: 12, Overdue: 2, Period: 2 * time.Second}, nil
		},
		Fetch: func(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
			if asked++; asked <= busy {
				return nil, fmt.Errorf("the service: %w", capture.ErrInUse)
			}
			return &profile.Profile{DurationNanos: 2e9}, nil
		},
	}, report: &Report{}}
	p, requests, err := m.profileUnderLoad(t.Context(), "cpu")
	if err != nil || p == nil || requests != 10 {
		t.Fatalf("%v requests, %v", requests, err)
	}
	if asked != busy+1 || loads < 2 {
		t.Errorf("asked %d times over %d loads", asked, loads)
	}
	m.Fetch = func(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
		return nil, context.DeadlineExceeded
	}
	loads = 0
	if _, _, err := m.profileUnderLoad(t.Context(), "cpu"); err == nil || loads != 1 {
		t.Errorf("%v after %d loads", err, loads)
	}
}
