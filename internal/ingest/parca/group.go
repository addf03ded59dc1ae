package parca

import (
	"strings"

	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A group has the rows that become one profile: those of one process and collection.
type group struct {
	labels           []store.Label
	types            []profile.ValueType
	period           profile.ValueType
	interval, length int64 // Profile.Period; duration of the collection according to the sender, ns
	producer         string
	delta            bool
	builder          *profile.Builder
}

// timed reports whether samples can be converted to time.
func (g *group) timed() bool {
	return len(g.types) == 1 && wire.Timed(g.types[0], g.period, g.interval)
}

// kind returns hone's name for the kind of profile. The agent gives itself as the
// producer of everything that it samples, so the sample type decides.
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
		return "" // the sample types decide
	}
	if known, ok := kinds[g.producer]; ok {
		return known
	}
	return g.producer
}
