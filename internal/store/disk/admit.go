package disk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// An admission decides whether records may be stored.
type admission struct {
	o         *Options
	space     *space
	catalogue *catalogue
	counts    *counts
}

// put is Put, whatever the size of dictionaries.
func (x *Store) put(ctx context.Context, records []store.Record) error {
	if err := x.begin(ctx); err != nil {
		return err
	}
	defer x.calls.Done()
	oldest := x.oldest()
	for i := range records {
		r := &records[i]
		if err := checkRecord(r); err != nil {
			return err
		}
		if format.HourOf(r.Time).End() <= oldest {
			x.counts.expired.Add(1)
			return fmt.Errorf("%w: its time is %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
		}
	}
	if err := x.space.check(); err != nil {
		if errors.Is(err, store.ErrFull) {
			x.counts.full.Add(int64(len(records)))
		}
		return err
	}
	known := make([]bool, len(records))
	for i := range known {
		known[i] = true
	}
	if err := x.retryHealed(func() error { return x.putEach(ctx, records, known) }); err != nil {
		return err
	}
	if err := x.checkUsable(); err != nil {
		return err
	}
	for i := range records {
		records[i].Known = known[i]
	}
	return nil
}

func checkRecord(r *store.Record) error {
	if r.Labels.Get(store.LabelService) == "" || r.Labels.Get(store.LabelKind) == "" {
		return fmt.Errorf("a profile needs the labels %s and %s; this one has %v", store.LabelService, store.LabelKind, r.Labels)
	}
	if r.Profile == nil || len(r.Profile.SampleTypes) == 0 {
		return errors.New("the profile has no sample type")
	}
	return nil
}

// checkDictionary returns an error if a record belongs to a partition whose dictionary is as large
// as it may be. Whoever sends other stacks each time would have it take all memory.
func (x *Store) checkDictionary(records []store.Record) error {
	for i := range records {
		name := x.nameOf(&records[i])
		x.mu.Lock()
		p := x.parts[name]
		x.mu.Unlock()
		if p != nil && p.size.Load() > x.o.MaxDictionary {
			return fmt.Errorf("%w: those of %s since %s take more than %d MiB of memory, the limit (max_dictionary)", store.ErrVaried,
				p.Service, time.Unix(0, p.Epoch).UTC().Format(time.DateOnly), x.o.MaxDictionary>>20)
		}
	}
	return nil
}
