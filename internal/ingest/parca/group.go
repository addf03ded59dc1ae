package parca

import (
	"strings"

	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A group is rows that become one profile: those of one process and collection.
type group struct {
	labels           []store.Label
	types            []profile.ValueType
	period           profile.ValueType
	interval, length int64 // Profile.Period; duration of the collection as the sender tells it, ns
	producer         string
	delta            bool
	builder          *profile.Builder
}

// timed reports whether a sample stands for a time that can be told.
func (g *group) timed() bool {
	return len(g.types) == 1 && wire.Timed(g.types[0], g.period, g.interval)
}

// kind returns the kind of profile in hone's words. The agent is the producer of
// all that it samples: what it is of tells it.
func (g *group) kind() string {
	t := g.types[0].Type
	switch {
	case g.period.Type == "cpu" || g.period.Type == "wall":
		return g.period.Type
	case t == "wallclock":
		return "offcpu"
	case strings.HasPrefix(t, "gpu_"):
		return "gpu"
	case g.producer == "parca_agent":
		return "" // told by the sample types
	}
	if known, ok := kinds[g.producer]; ok {
		return known
	}
	return g.producer
}
