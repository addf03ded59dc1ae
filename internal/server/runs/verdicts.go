package runs

import (
	"context"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
)

// Verdicts returns what the newest runs that were measured against a base found: at
// most limit of them, each by the id of its run. One that can't be compared is left out.
func (k *Kept) Verdicts(ctx context.Context, limit int) (*api.RunVerdicts, error) {
	entries, err := k.entries()
	if err != nil {
		return nil, err
	}
	objectives := k.objectives()
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
		inputs, err := compare.Read(k.root, nil, []string{e.Dir})
		if err != nil {
			continue // its page tells why
		}
		c, err := inputs.Compare(objectives)
		if err != nil || len(c.Sides) == 0 {
			continue
		}
		out.Verdicts[e.ID] = verdictOf(c.Sides[0])
	}
	return out, nil
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
