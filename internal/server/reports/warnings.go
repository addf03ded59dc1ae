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

// Env returns what a report of p may use of the outside: env, with warnings for
// this list, until ctx is done, and within its share of memory. What p itself warns of is on it already.
func (w *Warnings) Env(ctx context.Context, env report.Env, p *profile.Profile) report.Env {
	for _, text := range p.Warnings() {
		w.add(text)
	}
	env.Warn, env.Context, env.Budget = w.add, ctx, ingest.BudgetOf(ctx)
	return env
}
