package stored

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A selected is a selection with what the store has for it.
type selected struct {
	*api.Selection
	id    string
	name  string
	sum   *api.Selection // the one whose sum is divided for this one
	sumID string
	total store.Total
	// requests are those of the processes, with values per request.
	requests store.Total
	version  string // of its profiles; it is part of the keys of all that is made of them
}

// loadSelection returns a selection's profile, of what is merged if that isn't nil.
func (s *selections) loadSelection(ctx context.Context, sel *selected, merged *store.Group) (*profile.Profile, error) {
	if sel.SpanID != "" {
		return s.loadSpan(ctx, sel, merged)
	}
	if sel.Per == api.PerSum || sel.Per == api.PerDefault {
		g, err := s.loadSum(ctx, sel, merged)
		if err != nil {
			return nil, err
		}
		merged = g
		if sel.Per == api.PerSum || g.Profiles < 2 || !slices.ContainsFunc(g.Profile.SampleTypes, func(t profile.ValueType) bool { return profile.OfMoment(t.Type) }) {
			return g.Profile, nil
		}
	}
	return server.Cached(ctx, s.cache, "average "+sel.id+sel.version, func(ctx context.Context) (*profile.Profile, int64, error) {
		g, err := s.loadSum(ctx, sel, merged)
		if err != nil {
			return nil, 0, err
		}
		p := g.Profile
		if sel.Per == api.PerDefault {
			p = averageMoments(p, g.Profiles)
		} else {
			p = average(p, sel, g.Total)
		}
		return p, reports.ProfileBytes(p), nil
	})
}

// loadSum returns a selection's sum, which is merged, or if that is nil, what the store
// merges now. The profiles may have changed since the selection was found: the sum is never
// older than that.
func (s *selections) loadSum(ctx context.Context, sel *selected, merged *store.Group) (*store.Group, error) {
	return server.Cached(ctx, s.cache, "merge "+sel.sumID+sel.version, func(ctx context.Context) (*store.Group, int64, error) {
		g := merged
		if g == nil {
			var err error
			if g, err = s.merge(ctx, sel.sum); err != nil {
				return nil, 0, err
			}
		}
		return g, reports.ProfileBytes(g.Profile), nil
	})
}

// averageMoments divides instantaneous values in a sum of n profiles by n, and adds a
// comment to the profile. Agents send such values with the time since the last ones, so a
// duration doesn't mean that values are differences.
func averageMoments(p *profile.Profile, n int64) *profile.Profile {
	moment := *p
	moment.DurationNanos = 0
	q, types := profile.AverageMoments(&moment, int(n))
	if len(types) == 0 {
		return p
	}
	q.DurationNanos = p.DurationNanos
	q.Comments = append(slices.Clip(p.Comments), averaged(types, n))
	return q
}

// averaged says which values are averages, and over how many profiles.
func averaged(types []string, n int64) string {
	return fmt.Sprintf("%s: average of %d profiles (per=sum adds them up)", strings.Join(types, ", "), n)
}

// divisor is what the values of a sum are divided by. Values per request need the requests
// of the same processes.
func divisor(per string, t, requests store.Total) float64 {
	switch per {
	case api.PerSecond:
		return float64(t.Duration) / float64(time.Second)
	case api.PerRequest:
		return t.RequestsDuring(requests)
	case api.PerProfile:
		return float64(t.Profiles)
	}
	return 1
}

// average divides a sum of profiles by their number, their duration or the requests in it.
func average(p *profile.Profile, sel *selected, t store.Total) *profile.Profile {
	by, length := divisor(sel.Per, t, sel.requests), t.Duration/max(1, t.Profiles)
	switch sel.Per {
	case api.PerSecond:
		length = int64(time.Second)
	case api.PerRequest:
		length = 0 // it isn't known
	}
	q := *p
	q.DurationNanos = length
	q.Values = make([][]int64, len(p.Values))
	for i, column := range p.Values {
		q.Values[i] = profile.Divided(column, by)
	}
	return &q
}
