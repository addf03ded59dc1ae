package reports

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// Warnings collects what reports warn of, each text once.
type Warnings struct{ list []string }

// NewWarnings returns an empty list.
func NewWarnings() *Warnings { return &Warnings{list: []string{}} }

// List returns the texts, never nil.
func (w *Warnings) List() []string { return w.list }

func (w *Warnings) add(text string) {
	if !slices.Contains(w.list, text) {
		w.list = append(w.list, text)
	}
}

// Env returns env for a report of p, with warnings collected in w, and with the deadline
// and memory of ctx. It adds p's own warnings to w.
func (w *Warnings) Env(ctx context.Context, env report.Env, p *profile.Profile) report.Env {
	for _, text := range p.Warnings() {
		w.add(text)
	}
	env.Warn = func(one report.Warning) { w.add(one.Text) }
	env.Context, env.Budget = ctx, ingest.BudgetOf(ctx)
	return env
}
