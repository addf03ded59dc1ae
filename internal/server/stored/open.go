package stored

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// open returns a selection as a profile that can be asked for. Its version is that
// of now: what is made of it holds until the store has another.
func (s *selections) open(ctx context.Context, sel *api.Selection) (reports.Opened, error) {
	found, merged, err := s.find(ctx, sel)
	if err != nil {
		return reports.Opened{}, err
	}
	var held atomic.Pointer[store.Group] // until it is in the cache, which decides how long it is kept
	held.Store(merged)
	opened := reports.Opened{
		ID: found.id, Name: found.name, Version: found.version,
		Selection: func() *api.SelectionInfo { return describe(sel, found.total) },
		Load: func(ctx context.Context) (*profile.Profile, error) {
			return s.loadSelection(ctx, found, held.Swap(nil))
		},
		Divided: func() float64 { return divisor(sel.Per, found.total, found.requests) },
	}
	if sel.SpanID == "" { // a span is in one process
		opened.Instances, opened.Parts = s.instancesOf(sel), parts{s, sel}
	}
	return opened, nil
}

// find asks the store for a selection.
//
// What was opened before is probably kept, and the store is asked for the total alone,
// to see if it holds. The first time it is merged at once, which tells the total, too:
// so the store is asked once. merged is the sum, nil if this call didn't need it.
func (s *selections) find(ctx context.Context, sel *api.Selection) (found *selected, merged *store.Group, err error) {
	sum := summed(sel)
	found = &selected{Selection: sel, id: sel.String(), name: sel.Name(), sum: sum, sumID: sum.String()}
	// Another call's sum may be older than what this one has to see, so it isn't shared. The
	// merge goes on after ctx is done: its result is read only if this call waited for it.
	var made *store.Group
	_, err = server.Cached(ctx, s.cache, "opened "+found.sumID, func(ctx context.Context) (bool, int64, error) {
		var err error
		made, err = s.merge(ctx, sum)
		return true, 0, err
	})
	if err != nil {
		return nil, nil, err
	}
	if merged = made; merged != nil {
		found.total = merged.Total
	} else if found.total, err = s.totalOf(ctx, sel); err != nil {
		return nil, nil, err
	} else if found.total.Profiles == 0 {
		return nil, nil, s.noProfiles(ctx, sel)
	}
	found.version = fmt.Sprintf("@%x", found.total.Version)
	if sel.Per == api.PerRequest {
		if found.requests, err = s.requestsOf(ctx, sel, found.total); err != nil {
			return nil, nil, err
		}
		found.version += fmt.Sprintf("/%x", found.requests.Version)
	}
	if sel.Rate() { // it is said how many others there are
		all, err := s.totalOf(ctx, whole(sel))
		if err != nil {
			return nil, nil, err
		}
		found.version += fmt.Sprintf("+%x", all.Version)
	}
	return found, merged, nil
}

// describe describes a selection with its total in the store.
func describe(sel *api.Selection, total store.Total) *api.SelectionInfo {
	of := &api.SelectionInfo{
		Q: sel.Selector.String(), From: api.Milliseconds(sel.From), To: api.Milliseconds(sel.To), SampleType: sel.SampleType, Top: sel.Top, Per: sel.Per, Span: sel.SpanID,
		Profiles: total.Profiles, Duration: total.Duration, Last: api.Milliseconds(total.Last),
	}
	if sel.Except != nil {
		of.Except = sel.Except.String()
	}
	if sel.ID != (store.ID{}) {
		of.ID = hex.EncodeToString(sel.ID[:])
	}
	return of
}
