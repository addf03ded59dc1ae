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
	"time"

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

// Layouts says whether a comparison links binaries in several orders.
type Layouts uint8

const (
	AutoLayouts Layouts = iota // where linking takes no longer than measuring
	AllLayouts                 // however long it takes
	NoLayouts                  // one binary a side, as linked
)

// Where seeds begin: of the comparison, and of the confirming run.
const (
	firstLayout   = 1
	repeatLayouts = 1000
)

// layouts are the binaries of one package, on both sides, that are linked in orders of
// their own. There are only those in use.
type layouts struct {
	off       bool // not linked: it failed, or takes too long
	linked    map[int][2]string
	measuring time.Duration // what a pair of each benchmark takes
}

// nextLayout returns the layout of a target's next sample, 0 for the binary as linked
// at first. The two samples of a pair have the same one, and no two pairs do.
func (t *target) nextLayout(phase experiment.Phase) int {
	if t.taken == nil {
		t.taken = make(map[experiment.Phase]int)
	}
	pair := t.taken[phase] / 2
	t.taken[phase]++
	switch phase {
	case experiment.Measure:
		return firstLayout + pair
	case experiment.Repeat:
		return repeatLayouts + pair
	}
	return 0 // a pre-check asks what the machine does
}

// binary returns the test binary of a side in a layout, which is linked unless it is
// there, and the layout: 0, and the binary as linked, where it can't be had.
func (m *bencher) binary(ctx context.Context, t *target, s experiment.Side, layout int) (string, int, error) {
	plain, l := t.at[s].binary, m.layouts[t.at[experiment.Head]]
	if layout == 0 || l == nil || l.off {
		return plain, 0, nil
	}
	if files, ok := l.linked[layout]; ok {
		return files[s], layout, nil
	}
	l.dropBefore(layout - 1) // two pairs are a block: the other one may come again
	m.event(Event{Stage: "link", What: t.at[s].path})
	begin := time.Now()
	files, err := m.link(ctx, t, layout)
	took := time.Since(begin)
	m.forecast.done(linkOf(t), took)
	switch {
	case ctx.Err() != nil:
		return "", 0, ctx.Err()
	case err != nil:
		m.oneLayout(t.at[experiment.Head], l)
		err = m.warn(fmt.Sprintf("%s: measured in one layout only: %v", t.at[s].path, err))
		return plain, 0, err
	case took > l.measuring && m.Layouts == AutoLayouts:
		m.oneLayout(t.at[experiment.Head], l)
		err = m.run.Note(fmt.Sprintf("%s: measured in one layout only: linking takes %.1f s, longer than measuring; -layouts all does it nevertheless",
			t.at[s].path, took.Seconds()))
		return plain, 0, err
	}
	l.linked[layout] = files
	return files[s], layout, nil
}

// planLayouts has targets, which are calibrated, measured in several layouts, as many as
// there are pairs, and links the first one, which tells what that takes. Flags for the
// linker that the environment gives would be overridden, so there it is one.
func (m *bencher) planLayouts(ctx context.Context, targets []*target, pairs int) error {
	m.layouts = make(map[*benchPackage]*layouts)
	if m.Layouts == NoLayouts || strings.Contains(m.Tool.Flags, "ldflags") {
		return nil
	}
	for _, t := range targets {
		l := m.layouts[t.at[experiment.Head]]
		if l == nil {
			l = &layouts{linked: make(map[int][2]string)}
			m.layouts[t.at[experiment.Head]] = l
		}
		l.measuring += 2 * t.cost(t.samples)
	}
	m.expectLinks(targets, pairs)
	for _, t := range targets {
		if t.failed || !m.budget.allows(m.For/2) {
			continue
		}
		if _, _, err := m.binary(ctx, t, experiment.Head, firstLayout); err != nil {
			return err
		}
	}
	return nil
}

// oneLayout ends linking.
func (m *bencher) oneLayout(head *benchPackage, l *layouts) {
	l.off = true
	m.forecast.never(step{what: linking, benchPackage: head})
}

// dropBefore removes the binaries of layouts before one.
func (l *layouts) dropBefore(layout int) {
	maps.DeleteFunc(l.linked, func(old int, files [2]string) bool {
		if old >= layout {
			return false
		}
		for _, f := range files {
			_ = os.RemoveAll(filepath.Dir(f)) // the scratch goes in the end
		}
		return true
	})
}

// link links both sides, one after the other: the scratch guards one process.
func (m *bencher) link(ctx context.Context, t *target, seed int) (files [2]string, err error) {
	for s, p := range t.at {
		// As long a name on both sides: see build.
		dir := filepath.Join(filepath.Dir(p.binary), fmt.Sprintf("%04d", seed))
		files[s] = filepath.Join(dir, filepath.Base(p.binary))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return files, err
		}
		side := experiment.Side(s)
		o, err := m.compile(ctx, side, p, files[s], withLayout(m.buildFlags(side, p), seed))
		if err == nil && o.Err != nil {
			err = errors.New(cmp.Or(workspace.FirstLine(o.Stderr), o.Err.Error()))
		}
		if err != nil {
			return files, err
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
