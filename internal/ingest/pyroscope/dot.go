package pyroscope

import (
	"context"
	"strings"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// The number of nodes of a graph: by default, that of Pyroscope.
const (
	defaultGraphNodes = 100
	mostGraphNodes    = 10_000
)

// dotOf returns the call graph of a profile in Graphviz's language, and "" without samples.
func dotOf(ctx context.Context, p *profile.Profile, maxNodes int64) (string, error) {
	if p.NumSamples() == 0 {
		return "", nil
	}
	o := report.DefaultOptions()
	o.NodeCount = defaultGraphNodes
	if maxNodes > 0 {
		o.NodeCount = int(min(maxNodes, mostGraphNodes))
	}
	var b strings.Builder
	if err := report.Generate(&b, p, "dot", "", o, report.Env{Context: ctx, Budget: ingest.BudgetOf(ctx)}); err != nil {
		return "", err
	}
	return validText(b.String()), nil
}
