package stored

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// preparedServices is the number of services whose flame graphs are computed in advance.
const preparedServices = 3

// Prepare warms up a server that has just started. It lists the services, which loads
// their dictionaries into memory, and calls flame with the IDs of the latest profiles
// to compute flame graphs. The results aren't used, but they load the program's code
// from disk, which takes longer than the computation. Prepare ignores errors, and
// returns early when ctx is done.
func (s *Service) Prepare(ctx context.Context, flame func(ctx context.Context, id string) error) {
	_, _, _ = s.srv.Cache.Guarded(auth.With(ctx, auth.Anyone), func(ctx context.Context) (any, int64, error) {
		ids, err := s.selections.latest(ctx)
		for i := 0; i < len(ids) && err == nil; i++ {
			err = flame(ctx, ids[i])
		}
		return nil, 0, err
	})
}

// latest returns IDs of the CPU profiles of the last hour, for the services that sent
// profiles most recently.
func (s *selections) latest(ctx context.Context) ([]string, error) {
	q := (&api.Selection{From: time.Now().Add(-24 * time.Hour).UnixNano()}).Query()
	q.By, q.Step = []string{store.LabelService, store.LabelKind}, wholeStep
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	last := func(of store.Series) int64 { return of.Points[len(of.Points)-1].Last }
	series = slices.DeleteFunc(series, func(of store.Series) bool { return of.Labels.Get(store.LabelKind) != "cpu" })
	slices.SortStableFunc(series, func(a, b store.Series) int { return cmp.Compare(last(b), last(a)) })
	var ids []string
	for _, of := range series[:min(len(series), preparedServices)] {
		sel := api.Selection{Selector: store.SelectorOf(of.Labels, store.LabelKind, store.LabelService), From: last(of) - int64(time.Hour)}
		ids = append(ids, sel.String())
	}
	return ids, nil
}
