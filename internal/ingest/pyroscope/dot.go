package pyroscope

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

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
	return strings.Map(shown, validText(b.String())), nil
}

// shown replaces characters that a terminal obeys, or that turn the text around them. All
// line breaks in a graph are between its lines.
func shown(r rune) rune {
	if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
		return utf8.RuneError
	}
	return r
}
