package disk

import (
	"context"

	"github.com/hone-go/hone/internal/store"
)

// An intake puts profiles, in these stages:
//
//	admit    records are valid, and there is space for them
//	claim    each record is put once, whoever else puts it; see identities
//	append   records of a partition are encoded and handed to the log
//	await    the log is durable; see kv
//
// Waiting for the disk is done without locks, and one sync serves all who wait.
type intake struct {
	*kv
	calls     *store.Calls
	admission *admission
	healer    *healer
	ids       *identities
	appender  *appender
	counts    *counts
}

// put stores records, and returns when they are durable. maxDictionary limits the memory of
// each partition's dictionary in bytes; 0 is no limit.
func (x *intake) put(ctx context.Context, records []store.Record, maxDictionary int64) error {
	if err := x.calls.Begin(ctx); err != nil {
		return err
	}
	defer x.calls.Done()
	if err := x.admission.admit(records, maxDictionary); err != nil {
		return err
	}
	known := make([]bool, len(records))
	for i := range known {
		known[i] = true
	}
	if err := x.healer.retryHealed(func() error { return x.putOnce(ctx, records, known) }); err != nil {
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

// putOnce stores each record once. For those it stores, it sets known to false.
func (x *intake) putOnce(ctx context.Context, records []store.Record, known []bool) error {
	at := make([]int, len(records)) // where a record is among all
	for i := range at {
		at[i] = i
	}
	for len(records) > 0 {
		mine, others, wait, err := x.ids.claim(records)
		if err != nil {
			return err
		}
		if n := len(records) - len(mine) - len(others); n > 0 {
			x.counts.duplicates.Add(int64(n))
			if err := x.barrier(); err != nil {
				x.ids.release(records, mine, 0)
				return err
			}
		}
		if len(mine) > 0 {
			for _, i := range mine {
				known[at[i]] = false
			}
			written, err := x.appender.appendAll(records, mine)
			x.ids.release(records, mine, written)
			if err != nil {
				return err
			}
		}
		// What another call is putting is waited for, and put if that failed.
		rest := make([]store.Record, len(others))
		left := make([]int, len(others))
		for i, other := range others {
			rest[i], left[i] = records[other], at[other]
		}
		if records, at = rest, left; wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
