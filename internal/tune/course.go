package tune

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
)

// A Course says which findings of a module are tried, one after the other, until none is
// left.
type Course struct {
	Classes  string // of rewrites: "A" or "AB"
	Most     int    // rewrites at most
	Again    bool   // also those that were refuted before
	Settings bool   // after the rewrites, settings of the collector
}

// Steps are what a course does with the module.
type Steps struct {
	// Look measures the source as it is now, and advises on it.
	Look func(context.Context) (View, error)
	// Try proves a finding by benchmarks of the view, and keeps its rewrite if it is
	// confirmed. It may return a result beside an error, and ErrUncommitted or ErrOutside
	// for a file that stays as it is.
	Try func(context.Context, *advice.Finding, map[string]Benchmark) (*Result, error)
	// PassOver is told of such a file.
	PassOver func(error)
	// Before compares the source before the first rewrite with that of now, by benchmarks.
	Before func(context.Context, []bench.ID) (*bench.Report, error)
}

// A View is what the source in its present state offers to try.
type View struct {
	Findings   []advice.Finding
	Benchmarks map[string]Benchmark // subjects of findings that are benchmarks
}

// An Outcome is the result of a course.
type Outcome struct {
	Tried    []*Result        `json:"tried"`
	Settings []*Result        `json:"settings,omitempty"` // of findings that settings are for
	Changes  []Change         `json:"changes"`            // before against after
	Run      string           `json:"run,omitempty"`
	Left     []advice.Finding `json:"left"` // that stay advice
}

// Kept returns how many rewrites were kept.
func (o *Outcome) Kept() int {
	n := 0
	for _, r := range o.Tried {
		if r.Kept {
			n++
		}
	}
	return n
}

// Run looks, tries rewrites until one is kept, and looks again, as findings are of the
// source as it was; then it compares before with after. An outcome that comes with an
// error has what was done until then.
func (c Course) Run(ctx context.Context, s Steps) (*Outcome, error) {
	o := &Outcome{Tried: []*Result{}, Changes: []Change{}, Left: []advice.Finding{}}
	seen := make(map[string]bool) // findings that were tried, by ID
	var now View
	for kept := true; kept; {
		var err error
		if now, err = s.Look(ctx); err != nil {
			return o, err
		}
		kept = false
		for f := c.next(now.Findings, seen, len(o.Tried)); f != nil && !kept; f = c.next(now.Findings, seen, len(o.Tried)) {
			seen[f.ID] = true
			r, err := s.Try(ctx, f, now.Benchmarks)
			if r != nil {
				o.Tried = append(o.Tried, r)
			}
			switch {
			case errors.Is(err, ErrUncommitted), errors.Is(err, ErrOutside):
				s.PassOver(err)
			case err != nil:
				return o, err
			case r.Kept:
				delete(seen, f.ID) // the same line may be there again, and has its ID now
				kept = true
			}
		}
	}
	settings, left := c.rest(now.Findings, seen)
	o.Left = left
	for _, f := range settings {
		r, err := s.Try(ctx, f, now.Benchmarks)
		if r != nil {
			o.Settings = append(o.Settings, r)
		}
		if err != nil {
			return o, err
		}
	}
	if o.Kept() == 0 {
		return o, nil
	}
	report, err := s.Before(ctx, improved(o.Tried))
	if err != nil {
		return o, err
	}
	o.Run = report.ID
	if report.Family != nil {
		o.Changes = Changes(report.Family)
	}
	return o, nil
}

// next is the first finding to try of those that were not seen, or nil.
func (c Course) next(findings []advice.Finding, seen map[string]bool, tried int) *advice.Finding {
	if tried >= c.Most {
		return nil
	}
	for i := range findings {
		f := &findings[i]
		if c.Rewrites(f) && !seen[f.ID] && (f.State != advice.Refuted || c.Again) {
			return f
		}
	}
	return nil
}

// rest parts the findings that were not seen into those that settings are tried of, and
// those that stay advice. What is only known about a line is neither, nor what isn't shown.
func (c Course) rest(findings []advice.Finding, seen map[string]bool) (settings []*advice.Finding, left []advice.Finding) {
	left = []advice.Finding{}
	for i := range findings {
		switch f := &findings[i]; {
		case seen[f.ID], f.Class == advice.Look, !f.Shown():
		case c.Settings && f.Try == advice.BySetting:
			settings = append(settings, f)
		default:
			left = append(left, *f)
		}
	}
	return settings, left
}

// Rewrites reports whether a finding has a rewrite of a class that is asked for.
func (c Course) Rewrites(f *advice.Finding) bool {
	return f.Fix != nil && strings.Contains(c.Classes, f.Class.String())
}

// improved are the benchmarks that the kept rewrites were measured by.
func improved(tried []*Result) (of []bench.ID) {
	for _, r := range tried {
		if !r.Kept {
			continue
		}
		for _, c := range r.Changes {
			id := bench.ID{Package: c.Package, Benchmark: c.Benchmark}
			if !slices.Contains(of, id) {
				of = append(of, id)
			}
		}
	}
	return of
}
