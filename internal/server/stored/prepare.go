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

// preparedServices is how many services' flame graphs are made in advance.
const preparedServices = 3

// Prepare asks which services there are, which brings their dictionaries into
// memory, and has flame make the latest flame graphs by the ids of their profiles.
// The answers are of no use later, but a program that has just been started is read
// from the disk as it runs, and that takes longer than what it computes. Errors are
// for those who ask. It returns early when ctx is done.
func (s *Service) Prepare(ctx context.Context, flame func(ctx context.Context, id string) error) {
	_, _, _ = s.srv.Cache.Guarded(auth.With(ctx, auth.Anyone), func(ctx context.Context) (any, int64, error) {
		ids, err := s.selections.latest(ctx)
		for i := 0; i < len(ids) && err == nil; i++ {
			err = flame(ctx, ids[i])
		}
		return nil, 0, err
	})
}

// latest returns the ids of the CPU profiles of the last hour of the services that
// sent some last.
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
		sel := api.Selection{Selector: labelSelector(of.Labels, store.LabelKind, store.LabelService), From: last(of) - int64(time.Hour)}
		ids = append(ids, sel.String())
	}
	return ids, nil
}
