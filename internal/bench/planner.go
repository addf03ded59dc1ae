package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/workspace"
)

// A planner finds out what to measure: it lists packages, builds their tests on both sides,
// and lists the benchmarks of these.
type planner struct{ lender }

// begin fills in defaults, sweeps up after dead ones and looks for go.
func (b *Bench) begin(ctx context.Context) (*planner, error) {
	if b.Benchtime == (Length{}) {
		b.Benchtime.Duration = DefaultBenchtime
	}
	if b.Timeout == 0 {
		b.Timeout = DefaultTimeout
	}
	if b.ProfileTime == 0 {
		b.ProfileTime = DefaultProfileTime
	}
	if b.Pattern == "" {
		b.Pattern = "."
	}
	if err := checkPatterns(b.Pattern, b.Tests); err != nil {
		return nil, err
	}
	for _, kind := range b.Profiles {
		if _, ok := profileFlags[kind]; !ok {
			return nil, fmt.Errorf("invalid profile kind %q: use one of %s", kind, strings.Join(ProfileKinds(), ", "))
		}
	}
	if err := workspace.CheckPin(b.Pin); err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, b.Dir)
	if err != nil {
		return nil, err
	}
	if slices.Contains(b.Profiles, leakKind) {
		if err := checkLeakProfile(w.Tool.Version, os.Getenv); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	found := new(planned)
	return &planner{lender{builder: builder{runner: runner{b, w}, held: &found.held}, found: found}}, nil
}
