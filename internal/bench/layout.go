package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// Where functions lie in memory moves times by a percent or two, and no number of
// samples of one binary averages that out: T. Mytkowicz et al., "Producing Wrong Data
// Without Doing Anything Obviously Wrong!" (2009); C. Curtsinger, E. D. Berger,
// "Stabilizer: Statistically Sound Performance Evaluation" (2013). So each pair of
// samples is of binaries with another order of functions, which Go's linker shuffles
// by a seed. Both sides have the same seed: what is the same code lies the same way,
// and what is not has as many chances to be lucky as there are pairs.

// A linker has the binaries of both sides, by the head's as linked at first, and layout.
type linker struct {
	runner
	linked map[string]map[int][2]string
}

// link links both sides in a layout, one after the other: the scratch guards one process.
// Those of layouts before keep are removed.
func (l *linker) link(ctx context.Context, t *target, layout, keep int) (out schedule.Outcome, err error) {
	plain := t.at[experiment.Head].binary
	linked := l.linked[plain]
	if linked == nil {
		linked = make(map[int][2]string)
		l.linked[plain] = linked
	}
	dropBefore(linked, keep)
	files, err := l.linkSides(ctx, t, layout)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		return schedule.Outcome{Failed: true, Why: err.Error()}, nil
	}
	linked[layout] = files
	return out, nil
}

// binary is that of a side in a layout; 0 is as linked at first.
func (l *linker) binary(t *target, s experiment.Side, layout int) string {
	if layout == 0 {
		return t.at[s].binary
	}
	return l.linked[t.at[experiment.Head].binary][layout][s]
}

// dropBefore removes the binaries of layouts before one.
func dropBefore(linked map[int][2]string, layout int) {
	maps.DeleteFunc(linked, func(old int, files [2]string) bool {
		if old >= layout {
			return false
		}
		for _, f := range files {
			_ = os.RemoveAll(filepath.Dir(f)) // the scratch goes in the end
		}
		return true
	})
}

func (l *linker) linkSides(ctx context.Context, t *target, seed int) (files [2]string, err error) {
	for s, p := range t.at {
		// As long a name on both sides: see build.
		dir := filepath.Join(filepath.Dir(p.binary), fmt.Sprintf("%04d", seed))
		files[s] = filepath.Join(dir, filepath.Base(p.binary))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return files, err
		}
		side := experiment.Side(s)
		if out, err := l.compile(ctx, side, p, files[s], withLayout(l.buildFlags(side, p), seed)); err != nil {
			return files, errors.New(cmp.Or(workspace.FirstLine(out), err.Error()))
		}
	}
	return files, nil
}

// withLayout adds to flags what has the linker shuffle functions. Debug information is
// left out, which takes a third of the time and moves no function.
func withLayout(flags []string, seed int) []string {
	link := fmt.Sprintf("-w -randlayout=%d", seed)
	var kept []string
	for _, f := range flags {
		if v, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "ldflags="); ok {
			link = v + " " + link
			continue
		}
		kept = append(kept, f)
	}
	return append(slices.Clip(kept), "-vet=off", "-ldflags="+link)
}
