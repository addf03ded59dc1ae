package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Copied is the progress of a copy.
type Copied struct {
	Profiles int64 // in the source
	Done     int64 // in source and target
	New      int64 // put by this call
	Checked  int64 // compared at the end
}

// Copy copies the profiles of one store to another, which may already have profiles. An
// interrupted copy can be repeated: profiles that the target has are not read again. At the
// end Copy checks that both stores have each profile with the same time, labels, duration
// and total.
//
// The source must not change meanwhile. Unless it is nil, tell is called with the progress,
// never concurrently.
func Copy(ctx context.Context, to, from Store, tell func(Copied)) (Copied, error) {
	c := &copying{to: to, from: from, tell: tell}
	err := c.run(ctx)
	return c.Copied, err
}

const (
	copyTogether = 128 // profiles per batch
	copyParallel = 3   // batches in parallel
)

type copying struct {
	to, from Store
	by       []string // names of all labels
	tell     func(Copied)

	mu sync.Mutex
	Copied
}

func (c *copying) count(f func(*Copied)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.Copied)
	if c.tell != nil {
		c.tell(c.Copied)
	}
}

func (c *copying) run(ctx context.Context) error {
	labels, err := c.from.Labels(ctx, Query{})
	if err != nil {
		return err
	}
	for _, l := range labels {
		c.by = append(c.by, l.Name)
	}
	all, err := c.from.Series(ctx, Query{Step: int64(time.Hour)})
	if err != nil {
		return err
	}
	var hours []int64
	for _, s := range all {
		for _, p := range s.Points {
			hours = append(hours, p.Time)
			c.Profiles += p.Profiles
		}
	}
	c.count(func(*Copied) {})
	if err := c.each(ctx, hours, c.hour); err != nil {
		return err
	}
	return c.each(ctx, hours, c.check)
}

// each calls f with every hour, some in parallel, until one call fails.
func (c *copying) each(ctx context.Context, hours []int64, f func(context.Context, int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	room := make(chan struct{}, copyParallel)
	var work sync.WaitGroup
	for _, hour := range hours {
		select {
		case room <- struct{}{}:
			work.Go(func() {
				defer func() { <-room }()
				if err := f(ctx, hour); err != nil {
					cancel(err)
				}
			})
		case <-ctx.Done():
		}
	}
	work.Wait()
	return context.Cause(ctx)
}

// A kept is what a store has, without its profile.
type kept struct {
	time int64
	id   ID
}

type keptAs struct {
	labels          string
	value, duration int64
}

// list returns what a store has of an hour.
func (c *copying) list(ctx context.Context, of Store, hour int64) (map[kept]keptAs, map[string]Labels, error) {
	series, err := of.Series(ctx, Query{From: hour, To: hour + int64(time.Hour), By: c.by})
	if err != nil {
		return nil, nil, err
	}
	list, labels := map[kept]keptAs{}, map[string]Labels{}
	for _, s := range series {
		text := s.Labels.String()
		labels[text] = s.Labels
		for _, p := range s.Points {
			list[kept{p.Time, p.ID}] = keptAs{text, p.Value, p.Duration}
		}
	}
	return list, labels, nil
}

// hour copies the profiles of an hour that are missing.
func (c *copying) hour(ctx context.Context, hour int64) error {
	has, labels, err := c.list(ctx, c.from, hour)
	if err != nil {
		return err
	}
	there, _, err := c.list(ctx, c.to, hour)
	if err != nil {
		return err
	}
	missing := slices.SortedFunc(maps.Keys(has), func(a, b kept) int { return cmp.Or(cmp.Compare(a.time, b.time), slices.Compare(a.id[:], b.id[:])) })
	missing = slices.DeleteFunc(missing, func(k kept) bool { _, ok := there[k]; return ok })
	c.count(func(n *Copied) { n.Done += int64(len(has) - len(missing)) })
	for some := range slices.Chunk(missing, copyTogether) {
		records, err := c.read(ctx, some, has, labels)
		if err != nil {
			return err
		}
		if err := c.to.Put(ctx, records); err != nil {
			return err
		}
		c.count(func(n *Copied) { n.Done += int64(len(some)); n.New += int64(len(some)) })
	}
	return nil
}

// read reads profiles, which are ordered by time.
func (c *copying) read(ctx context.Context, some []kept, has map[kept]keptAs, labels map[string]Labels) ([]Record, error) {
	type place struct {
		labels string
		time   int64
	}
	// One question for all: a group for each moment. It is of a single profile, but
	// where there are several of the same labels.
	groups, err := c.from.Merge(ctx, Query{From: some[0].time, To: some[len(some)-1].time + 1, By: c.by, Step: 1})
	if err != nil {
		return nil, err
	}
	at := map[place]*Group{}
	for i := range groups {
		at[place{groups[i].Labels.String(), groups[i].Time}] = &groups[i]
	}
	var records []Record
	for _, k := range some {
		as := has[k]
		g := at[place{as.labels, k.time}]
		if g == nil || g.Profiles != 1 {
			one, err := c.from.Merge(ctx, Query{From: k.time, To: k.time + 1, ID: k.id})
			if err != nil {
				return nil, err
			}
			if len(one) != 1 {
				return nil, fmt.Errorf("the store lists the profile %x of %s, but it can't be read", k.id, as.labels)
			}
			g = &one[0]
		}
		records = append(records, Record{ID: k.id, Labels: labels[as.labels], Time: k.time, Duration: as.duration, Profile: g.Profile})
	}
	return records, nil
}

// ErrDiffers is the error of a copy whose target has something else than its source.
var ErrDiffers = errors.New("the stores differ")

// check compares what both stores have of an hour.
func (c *copying) check(ctx context.Context, hour int64) error {
	has, _, err := c.list(ctx, c.from, hour)
	if err != nil {
		return err
	}
	there, _, err := c.list(ctx, c.to, hour)
	if err != nil {
		return err
	}
	for k, as := range has {
		got, ok := there[k]
		when := time.Unix(0, k.time).UTC().Format(time.RFC3339Nano)
		switch {
		case !ok:
			return fmt.Errorf("%w: the profile %x of %s and %s is missing in the target", ErrDiffers, k.id, as.labels, when)
		case got != as:
			return fmt.Errorf("%w: the profile %x of %s has the total %d of %s (%v), and %d of %s (%v) in the target",
				ErrDiffers, k.id, when, as.value, as.labels, time.Duration(as.duration), got.value, got.labels, time.Duration(got.duration))
		}
	}
	c.count(func(n *Copied) { n.Checked += int64(len(has)) })
	return nil
}
