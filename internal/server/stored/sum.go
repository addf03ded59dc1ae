package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// selections opens selections of a store. Concurrent requests for the same one share the work.
type selections struct {
	store store.Store // as each principal sees it
	cache *server.Cache
	log   func(string)
}

// merge asks the store for a selection's sum.
func (s *selections) merge(ctx context.Context, sel *api.Selection) (*store.Group, error) {
	lasting := sel.Rate()
	left := int64(0) // profiles without a duration
	if lasting {
		of, err := s.totalOf(ctx, whole(sel))
		if err != nil {
			return nil, err
		}
		have, err := s.totalOf(ctx, sel)
		if err != nil {
			return nil, err
		}
		// As a rule all have one, and their sums are at hand.
		left = of.Profiles - have.Profiles
		lasting = left != 0
	}
	g, err := s.mergeQueries(ctx, sel.Queries(), lasting)
	if err != nil {
		return nil, s.storeError(err, "profile")
	}
	if g == nil {
		return nil, s.noProfiles(ctx, sel)
	}
	if left > 0 {
		g.Profile = profile.WithWarning(g.Profile, "%s", leftOut(left, left+g.Profiles))
	}
	return g, nil
}

// mergeQueries returns the sum of the profiles that queries without groups select, or nil
// if they select none.
func (s *selections) mergeQueries(ctx context.Context, queries []store.Query, lasting bool) (*store.Group, error) {
	var sum *store.Group
	for _, q := range queries {
		q.Lasting, q.Budget = lasting, server.Budget(ctx)
		groups, err := s.store.Merge(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range groups { // one at most
			if sum == nil {
				sum = &groups[i]
			} else if err := addGroup(ctx, sum, &groups[i]); err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}

// addGroup adds a later group to sum.
func addGroup(ctx context.Context, sum, g *store.Group) error {
	p, err := profile.Sum(ctx, sum.Profile, g.Profile)
	if err != nil {
		return err
	}
	sum.Profile = p
	sum.Value += g.Value
	sum.Profiles += g.Profiles
	sum.Duration += g.Duration
	sum.Last = max(sum.Last, g.Last)
	sum.Version += g.Version
	p.TimeNanos, p.DurationNanos = sum.Time, sum.Duration
	return nil
}

// leftOut says how many profiles have no duration and therefore no values per second.
func leftOut(left, all int64) string {
	return fmt.Sprintf("%d of %d profiles have no duration and are left out of the values per second", left, all)
}

// totalOf returns the total of a selection. It is zero if there are no profiles.
func (s *selections) totalOf(ctx context.Context, sel *api.Selection) (store.Total, error) {
	var total store.Total
	for _, q := range sel.Queries() {
		q.Step = wholeStep
		series, err := s.store.Series(ctx, q)
		if err != nil {
			return store.Total{}, s.storeError(err, "profile")
		}
		for _, one := range series {
			for _, p := range one.Points {
				// There is one point, except with profiles from before 1970. Versions add up,
				// as in Merge.
				total.Value += p.Value
				total.Profiles += p.Profiles
				total.Duration += p.Duration
				total.Last = max(total.Last, p.Last)
				total.Version += p.Version
			}
		}
	}
	return total, nil
}

// noProfiles returns the error of a selection without profiles. If there are profiles of
// other kinds, the error names those, for example heap if someone asks for memory.
func (s *selections) noProfiles(ctx context.Context, sel *api.Selection) error {
	if sel.Rate() {
		if total, err := s.totalOf(ctx, whole(sel)); err != nil || total.Profiles > 0 {
			return cmp.Or(err, error(server.BadParam("per", "these profiles have no duration, so they have no values per second or per request")))
		}
	}
	other := sel.Query()
	other.Selector = slices.DeleteFunc(slices.Clone(other.Selector), func(m store.Matcher) bool { return m.Name == store.LabelKind })
	hint := ""
	if len(other.Selector) < len(sel.Selector) && sel.ID == (store.ID{}) {
		labels, err := s.store.Labels(ctx, store.Query{Selector: other.Selector, From: other.From, To: other.To})
		if err != nil {
			return s.storeError(err, "profile")
		}
		for _, l := range labels {
			if l.Name == store.LabelKind && len(l.Values) > 0 {
				hint = ": there are profiles of other kinds: " + enumerate(l.Values, 20)
			}
		}
	}
	return &server.Error{Status: http.StatusNotFound, Param: "profile", Err: fmt.Errorf("no profiles match %s%s", sel.Describe(), hint)}
}

// enumerate lists the first most words, and counts the others.
func enumerate(words []string, most int) string {
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

// summed returns the selection whose sum is divided for sel. For rates it has no profiles
// without a duration, and all spans share one.
func summed(sel *api.Selection) *api.Selection {
	sum := *sel
	sum.Per, sum.SpanID = api.PerSum, ""
	if sel.Rate() {
		sum.Per = api.PerSecond
	}
	return &sum
}

// whole returns the selection with all profiles, also those without a duration.
func whole(sel *api.Selection) *api.Selection {
	all := *sel
	all.Per = api.PerSum
	return &all
}

// storeError converts an error of the store. Errors that the request didn't cause are
// logged, and the answer has no details.
func (s *selections) storeError(err error, param string) error {
	var re *server.Error
	switch {
	case errors.As(err, &re), server.IsRefused(err), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, profile.ErrNothingCommon):
		return &server.Error{Status: http.StatusUnprocessableEntity, Param: param, Err: fmt.Errorf("%w; select one kind", err)}
	case errors.Is(err, store.ErrClosed):
		return &server.Error{Status: http.StatusServiceUnavailable, Err: errors.New("the server is shutting down")}
	}
	s.log("Can't read the store: " + err.Error())
	return &server.Error{Status: http.StatusInternalServerError, Err: errors.New("can't read the store; the server's log says why")}
}
