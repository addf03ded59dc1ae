package disk

import (
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// An appender appends records to the log, in these stages:
//
//	encode    the records of a partition become a batch, and an addition; see writer
//	apply     the log and Pebble's memory have the batch
//	keep      the partition in memory has the addition
//
// It holds the partition's lock while it encodes profiles and appends them. So the log has
// whatever a profile refers to before the profile itself, and after a crash, no profile refers
// to something that is lost.
type appender struct {
	*kv
	now       func() time.Time
	catalogue *catalogue
	dicts     *dictionaries
	counts    *counts
	wake      chan<- struct{} // tells the background job that an hour has much to pack
}

// maxTogether limits the number of records in one batch.
const maxTogether = 64

// appendAll stores the records with the indexes in mine, and waits until they are durable. The
// first of them, written, are in the store; after an error, they may not be durable.
func (x *appender) appendAll(records []store.Record, mine []int) (written int, err error) {
	var wait []*pebble.Batch
	for len(mine) > 0 && err == nil {
		// Records that belong together come together as a rule.
		name := x.catalogue.nameOf(&records[mine[0]])
		n := 1
		for n < len(mine) && n < maxTogether && x.catalogue.nameOf(&records[mine[n]]) == name {
			n++
		}
		var b *pebble.Batch
		if b, err = x.append(name, records, mine[:n]); b != nil {
			wait = append(wait, b)
			written += n
		}
		mine = mine[n:]
	}
	for _, b := range wait {
		if e := x.await(b); err == nil {
			err = e
		}
	}
	x.dicts.trimGrown(x.catalogue)
	return written, err
}

// append appends the records with the indexes in mine, all of the same partition, to the log.
// The caller must wait for the batch.
func (x *appender) append(name partitionName, records []store.Record, mine []int) (*pebble.Batch, error) {
	p := x.catalogue.lock(name)
	defer p.mu.Unlock()
	if err := x.dicts.open(p); err != nil {
		return nil, err
	}
	known := p.in != nil
	if !known {
		p.in = format.NewInterner(p.dict)
	}
	b := x.db.NewBatchWithSize(16 << 10)
	if !p.stored {
		b.Set(format.PartitionKey(format.KindPartition, p.id), p.Partition.Append(nil), nil)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	added := w.encodeRecords(b, p, records, mine)
	if err := x.apply(b); err != nil {
		b.Close()
		x.dicts.unload(p) // it has what is not in the log
		return nil, err
	}
	busy := p.keep(&added, x.now())
	if added.grown || !known {
		x.dicts.account(p)
	}
	x.counts.put.Add(int64(len(added.fresh)))
	if busy {
		select {
		case x.wake <- struct{}{}:
		default:
		}
	}
	return b, nil
}
