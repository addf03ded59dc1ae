package bench

import (
	"context"

	"github.com/hone-go/hone/internal/experiment"
)

// info is what a run says of itself, once it is known what to measure.
func (m *planner) info(ctx context.Context, base *experiment.Revision) (experiment.Info, error) {
	head := experiment.ReadRevision(ctx, m.Sides[experiment.Head].Dir)
	if head.Commit != "" && !head.Dirty {
		var err error
		if head.Dirty, err = m.buildsUntracked(ctx); err != nil {
			return experiment.Info{}, err
		}
	}
	info := experiment.Info{Command: m.Command, Environment: experiment.ReadEnvironment(m.Tool.Version), Head: head, Base: base}
	if base != nil {
		info.Looks, info.Comparisons = m.CompareOptions().Looks, m.Comparisons
	}
	m.found.tellCode(&info)
	info.Missing = m.found.missingNow()
	for _, f := range m.found.failures {
		info.Failures = append(info.Failures, f.kept())
	}
	return info, nil
}
