package disk

import (
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

// admit returns an error if a record is invalid or has expired, if the disk is full, or if the
// dictionary of a record's partition is larger than maxDictionary, in bytes of memory. 0 is no
// limit.
func (x *admission) admit(records []store.Record, maxDictionary int64) error {
	oldest := x.o.oldest()
	for i := range records {
		r := &records[i]
		if err := checkRecord(r); err != nil {
			return err
		}
		if err := x.checkDictionary(r, maxDictionary); err != nil {
			return err
		}
		if format.HourOf(r.Time).End() <= oldest {
			x.counts.expired.Add(1)
			return fmt.Errorf("%w: its time is %s", store.ErrExpired, time.Unix(0, r.Time).UTC().Format(time.RFC3339))
		}
	}
	err := x.space.check()
	if errors.Is(err, store.ErrFull) {
		x.counts.full.Add(int64(len(records)))
	}
	return err
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

// checkDictionary returns an error if the dictionary of a record's partition is full. Without
// the limit, a sender with different stacks in each profile could use up the memory.
func (x *admission) checkDictionary(r *store.Record, most int64) error {
	if most == 0 {
		return nil
	}
	p := x.catalogue.find(x.catalogue.nameOf(r))
	if p != nil && p.size.Load() > most {
		return fmt.Errorf("%w: the dictionary of %s since %s takes more than %d MiB of memory (max_dictionary)", store.ErrVaried,
			p.Service, time.Unix(0, p.Epoch).UTC().Format(time.DateOnly), most>>20)
	}
	return nil
}
