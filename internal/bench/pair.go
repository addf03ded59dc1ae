package bench

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// A packagePair is a package as it is built on both sides.
type packagePair struct {
	at      [2]*benchPackage // of the base, nil where it has no such benchmarks
	from    experiment.BenchmarkOf
	same    bool // the binaries, and what they may read
	broken  bool // on a side, in all of the package
	targets [2][]*target
	names   []string // of top-level benchmarks
}

// tryPair builds a package on both sides and lists its benchmarks. shared are names of
// files beside it that are one side's on both.
func (b *builder) tryPair(ctx context.Context, n int, at [2]*benchPackage, rev *workspace.Base, shared []string) (*packagePair, error) {
	pair := &packagePair{at: at}
	for _, s := range []experiment.Side{experiment.Head, experiment.Base} {
		if at[s] == nil {
			continue
		}
		if s == experiment.Base && b.Sides[s].BuiltLike(&b.Sides[experiment.Head]) {
			p := *at[experiment.Head]
			p.env = b.Sides[s].Setting
			pair.at[s] = &p
			continue
		}
		built, err := b.buildOne(ctx, s, at[s], n)
		if err != nil {
			return nil, err
		}
		if !built {
			pair.at[s] = nil
			pair.broken = pair.broken || s == experiment.Head || b.isBroken(at[s].path)
		}
		if pair.broken {
			return pair, nil
		}
	}
	h, base := pair.at[experiment.Head], pair.at[experiment.Base]
	if base != nil && base.sum == h.sum && slices.Equal(base.env, h.env) {
		changed, err := dataChanged(ctx, rev, h.dir, shared)
		if err != nil {
			return nil, err
		}
		if pair.same = len(changed) == 0; pair.same {
			return pair, nil
		}
	}
	for _, s := range []experiment.Side{experiment.Head, experiment.Base} {
		if pair.at[s] == nil {
			continue
		}
		found, names, err := b.listBenchmarks(ctx, s, pair.at[s])
		if err != nil {
			return nil, err
		}
		pair.targets[s], pair.names = found, append(pair.names, names...)
		if pair.broken = b.isBroken(h.path); pair.broken {
			break
		}
	}
	return pair, nil
}
