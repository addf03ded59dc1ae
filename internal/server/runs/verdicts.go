package runs

import (
	"context"
	"encoding/json"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// Verdicts returns the verdicts of the newest runs with a base, by run ID, at most
// limit. It leaves out runs that can't be compared.
func (k *Kept) Verdicts(ctx context.Context, limit int) (*api.RunVerdicts, error) {
	entries, err := k.entries(ctx)
	if err != nil {
		return nil, err
	}
	k.verdicts.forget(entries)
	objectives := k.objectives(ctx)
	bounds, err := json.Marshal(objectives) // verdicts depend on them
	if err != nil {
		return nil, err
	}
	out := &api.RunVerdicts{Verdicts: make(map[string]api.RunVerdict)}
	for _, e := range entries {
		if e.Info == nil || e.Info.Base == nil {
			continue
		}
		if len(out.Verdicts) == limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := k.verdicts.of(e, string(bounds), func() (*api.RunVerdict, error) { return k.verdict(ctx, e, objectives) })
		if err != nil || v == nil {
			continue // the run's page says why
		}
		out.Verdicts[e.ID] = *v
	}
	return out, nil
}

// verdict compares the sides of a run. It returns nil if the run has no base.
func (k *Kept) verdict(ctx context.Context, e experiment.Entry, objectives []objective.Objective) (*api.RunVerdict, error) {
	inputs, err := compare.Read(ctx, k.root, nil, []string{e.Dir})
	if err != nil {
		return nil, err
	}
	c, err := inputs.Compare(objectives)
	if err != nil || len(c.Sides) == 0 {
		return nil, err
	}
	v := verdictOf(c.Sides[0])
	return &v, nil
}

func verdictOf(s *compare.Sides) api.RunVerdict {
	v := api.RunVerdict{Summary: s.Summary(), Changed: s.Changed()}
	for i := range s.Comparisons {
		switch s.Comparisons[i].Verdict {
		case experiment.Worse:
			v.Worse++
		case experiment.Better:
			v.Better++
		}
	}
	return v
}
