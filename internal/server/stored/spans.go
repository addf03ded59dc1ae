package stored

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Labels of samples that were taken in a span. otel-profiling-go has the ID of the local root
// span in span_id, up to version 0.4 in profile_id, its name in span_name, and since 0.7 the
// ID of the trace in trace_id. OTLP profiles have links, which become the same labels.
var spanLabels = []string{"span_id", "profile_id"}

const (
	labelSpanName = "span_name"
	labelTrace    = "trace_id"
)

// loadSpan returns the samples of a selection that were taken in its span. The sum of the
// selection is kept for all spans.
func (s *selections) loadSpan(ctx context.Context, sel *selected, merged *store.Group) (*profile.Profile, error) {
	return server.Cached(ctx, s.cache, "span "+sel.id+sel.version, func(ctx context.Context) (*profile.Profile, int64, error) {
		g, err := s.loadSum(ctx, sel, merged)
		if err != nil {
			return nil, 0, err
		}
		p, found := inSpan(g.Profile, sel.SpanID)
		if !found {
			return nil, 0, &server.Error{Status: http.StatusNotFound, Param: "profile", Err: fmt.Errorf("no samples of %s are in the span %s", sel.Describe(), sel.SpanID)}
		}
		return p, reports.ProfileBytes(p), nil
	})
}

// inSpan returns the samples of a span, without what only others need.
func inSpan(p *profile.Profile, id string) (of *profile.Profile, found bool) {
	of, found, _ = profile.FilterLabels(p, func(ls []profile.Label) bool { return strings.EqualFold(spanIDOf(p, ls), id) }, nil)
	if !found {
		return nil, false
	}
	return profile.Compact(of), true
}

// spanIDOf returns the ID of the span that labels name, "" for none.
func spanIDOf(p *profile.Profile, ls []profile.Label) string {
	for _, l := range ls {
		if !l.Numeric && slices.Contains(spanLabels, p.Strings[l.Key]) {
			return p.Strings[l.Str]
		}
	}
	return ""
}
