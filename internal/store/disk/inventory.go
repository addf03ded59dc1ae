package disk

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// An inventory is the part of a store that is always in memory. It is read when the store is
// opened.
type inventory struct {
	epoch   int64 // ns: how long the time of a partition is
	parts   map[partitionName]*partition
	byID    map[uint32]*partition // those that are described
	lost    map[uint32]error      // those of which something can't be read
	deleted []uint32              // those that were deleted, and that something may be left of
	next    uint32                // number of the next partition
}

// catalogue returns a catalogue with the partitions of the inventory.
func (x *inventory) catalogue(instance []string) *catalogue {
	return &catalogue{epoch: x.epoch, instance: slices.Sorted(slices.Values(instance)), parts: x.parts, aside: map[uint32]Aside{}, next: x.next}
}

// An inventoryReader reads the inventory of a store.
type inventoryReader struct {
	*kv
	o      *Options
	dicts  *dictionaries
	listed []uint32 // partitions that the file of deletions names
}

// read reads the partitions, the summaries of their hours, and the heads of fresh profiles. hit
// has keys that may be lost.
func (r *inventoryReader) read(hit spans) (*inventory, error) {
	epoch, err := r.description()
	if err != nil {
		return nil, err
	}
	x := &inventory{epoch: epoch}
	if err := r.partitions(x, hit.hit([]byte{format.KindPartition})); err != nil {
		return nil, err
	}
	now := r.o.Now()
	err = r.hours(x, format.KindSummary, func(p *partition, h *hourData, key, value []byte) (err error) {
		h.packed, err = format.ReadSummary(value)
		p.seq = max(p.seq, h.packed.LastSeq)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.hours(x, format.KindHead, func(p *partition, h *hourData, key, value []byte) error {
		seq := format.SeqOfKey(key)
		p.seq = max(p.seq, seq)
		h.last = now
		h.bytes += 4 * int64(len(value)) // about; it only tells when to pack
		return h.fresh.ReadHead(seq, value)
	})
	return x, err
}

// load reads the inventory. If it finds damaged tables, it requests that they be rewritten, and
// returns the keys that may be lost with them. w is locked.
func (r *inventoryReader) load(w *rewrites) (x *inventory, hit spans, err error) {
	for {
		x, err := r.read(hit)
		if err != nil && !isDamage(err) {
			return nil, nil, err
		}
		if len(r.health.suspects()) > 0 {
			more, tables, err := examine(r.space)
			if err != nil {
				return nil, nil, err
			}
			if len(tables) > 0 {
				hit = append(hit, more...)
				w.rewriteLater(tables)
				continue
			}
		}
		return x, hit, err
	}
}

// description reads the length of epochs, in ns. If it is missing, it writes the configured
// one.
func (r *inventoryReader) description() (epoch int64, err error) {
	epoch, found, err := get(r.db, []byte{format.KindFormat}, format.ReadFormat)
	if err == nil && found {
		return epoch, nil
	}
	if err != nil && !isDamage(err) {
		return 0, err
	}
	epoch = int64(r.o.Epoch)
	if err != nil {
		// It says how long epochs are, and no hone has had others.
		r.o.Log.Error("the description of the store was damaged; it was written again", "error", err)
	}
	return epoch, r.db.Set([]byte{format.KindFormat}, format.AppendFormat(nil, epoch), pebble.Sync)
}

// partitions reads the partitions. It adds unreadable ones to x.lost. missing says that some
// may be missing.
func (r *inventoryReader) partitions(x *inventory, missing bool) error {
	r.begin(x)
	err := scanPrefix(r.db, []byte{format.KindPartition}, func(key, value []byte) error { return r.partition(x, key, value) })
	if !isDamage(err) && !(err == nil && missing) {
		return err
	}
	// One by one, then. Those that are in the part that can't be read have other
	// keys, which tell their numbers.
	next := x.next
	r.begin(x)
	last, err := r.lastPartition()
	if err != nil {
		return err
	}
	x.next = max(x.next, next, last+1)
	for id := range last + 1 {
		if slices.Contains(r.listed, id) {
			continue
		}
		key := format.PartitionKey(format.KindPartition, id)
		_, found, err := get(r.db, key, func(value []byte) (struct{}, error) { return struct{}{}, r.partition(x, key, value) })
		if err == nil && !found && missing {
			x.lost[id] = format.Damaged(key, "it is missing")
		} else if isDamage(err) {
			x.lost[id] = err
		} else if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.lost)) {
		if x.byID[id] == nil {
			r.reconstruct(x, id)
		}
	}
	return nil
}

// begin resets x to an inventory without partitions.
func (r *inventoryReader) begin(x *inventory) {
	x.parts, x.byID, x.lost = map[partitionName]*partition{}, map[uint32]*partition{}, map[uint32]error{}
	x.next, x.deleted = 0, slices.Clone(r.listed)
	for _, id := range r.listed {
		x.next = max(x.next, id+1)
	}
}

// partition adds a stored partition to x.
func (r *inventoryReader) partition(x *inventory, key, value []byte) error {
	info, err := format.ReadPartition(value)
	if err != nil {
		return err
	}
	p := &partition{id: binary.BigEndian.Uint32(key[1:]), Partition: info, stored: true}
	x.next = max(x.next, p.id+1)
	if slices.Contains(r.listed, p.id) {
		return nil
	}
	if info.Deleted() {
		x.deleted = append(x.deleted, p.id)
		return nil
	}
	x.byID[p.id] = p
	name := partitionName{p.Epoch, p.Service}
	before := x.parts[name]
	switch {
	case p.Problem != "":
		x.lost[p.id] = errors.New(p.Problem)
	case before != nil: // the one that couldn't be read for a while
		x.lost[before.id] = errors.New("it could not be read before, and another partition has replaced it")
		x.parts[name] = p
	default:
		x.parts[name] = p
	}
	return nil
}

// reconstruct derives the description of a partition from its data and writes it. If that isn't
// possible, or another partition has its name, the partition stays in x.lost.
func (r *inventoryReader) reconstruct(x *inventory, id uint32) {
	// Which roll-ups may be used isn't known, so none are.
	p := &partition{id: id, stored: true, Partition: format.Partition{Instance: slices.Sorted(slices.Values(r.o.InstanceLabels)), Dropped: math.MaxInt32}}
	errFound := errors.New("found")
	empty := 0
	for _, kind := range format.PerHour {
		prefix := format.PartitionKey(kind, id)
		err := scanPrefix(r.db, prefix, func(key, _ []byte) error {
			p.Epoch = store.Window(format.HourOfKey(key).Start(), x.epoch)
			return errFound
		})
		if err == nil {
			empty++
		}
		if errors.Is(err, errFound) {
			if err := r.dicts.load(p); err != nil || len(p.dict.Series) == 0 {
				return
			}
			p.Service = p.dict.Series[0].Labels.Get(store.LabelService)
			break
		}
	}
	if empty == len(format.PerHour) {
		delete(x.lost, id) // it was deleted
		return
	}
	name := partitionName{p.Epoch, p.Service}
	if p.Service == "" || x.parts[name] != nil {
		r.dicts.unload(p)
		return
	}
	if err := r.write1(format.PartitionKey(format.KindPartition, id), p.Partition.Append(nil)); err != nil {
		r.o.Log.Error("the description of a partition could not be written again", "service", p.Service, "error", err)
	}
	delete(x.lost, id)
	x.byID[id], x.parts[name] = p, p
}

// lastPartition returns the highest partition number in a key.
func (r *inventoryReader) lastPartition() (last uint32, err error) {
	for _, kind := range format.PerPartition {
		it, err := r.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
		if err != nil {
			return 0, err
		}
		if it.Last() && len(it.Key()) >= 5 {
			last = max(last, binary.BigEndian.Uint32(it.Key()[1:]))
		}
		if err := it.Close(); err != nil && !isDamage(err) {
			return 0, err
		}
	}
	return last, nil
}

// hours calls f with all keys of a kind and their hours. It adds partitions that can't be read,
// or for which f fails, to x.lost.
func (r *inventoryReader) hours(x *inventory, kind byte, f func(p *partition, h *hourData, key, value []byte) error) error {
	one := func(key, value []byte) error {
		id := binary.BigEndian.Uint32(key[1:])
		p := x.byID[id]
		if p == nil && slices.Contains(x.deleted, id) {
			return nil // it is deleted again
		}
		if p == nil {
			if x.lost[id] == nil {
				x.lost[id] = format.Damaged(format.PartitionKey(format.KindPartition, id), "it is missing")
				x.next = max(x.next, id+1)
			}
			return nil
		}
		return f(p, p.hour(format.HourOfKey(key), true), key, value)
	}
	err := scanPrefix(r.db, []byte{kind}, one)
	if !isDamage(err) {
		return err
	}
	for id, p := range x.byID {
		for _, h := range p.hours { // what was read before the damage
			if kind == format.KindHead {
				h.fresh, h.bytes = format.Heads{}, 0
			}
		}
		err := scanPrefix(r.db, format.PartitionKey(kind, id), one)
		if isDamage(err) {
			if x.lost[id] == nil {
				x.lost[id] = err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}
