package disk

import (
	"encoding/binary"
	"errors"
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

// readIndex reads the partitions, the summaries of their hours, and the heads of profiles
// that aren't packed. hit are keys that may be lost. Partitions of which something can't be
// read are in lost; byID has those that are described.
func (r *Store) readIndex(hit spans) (x map[uint32]*partition, lost map[uint32]error, err error) {
	if err := r.readDescription(); err != nil {
		return nil, nil, err
	}
	x, lost, err = r.readPartitions(hit.hit([]byte{format.KindPartition}))
	if err != nil {
		return nil, nil, err
	}
	now := r.o.Now()
	err = r.readHours(x, lost, format.KindSummary, func(p *partition, h *hourData, key, value []byte) (err error) {
		h.packed, err = format.ReadSummary(value)
		p.seq = max(p.seq, h.packed.LastSeq)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = r.readHours(x, lost, format.KindHead, func(p *partition, h *hourData, key, value []byte) error {
		seq := format.SeqOfKey(key)
		p.seq = max(p.seq, seq)
		h.last = now
		h.bytes += 4 * int64(len(value)) // about; it only tells when to pack
		return h.fresh.ReadHead(seq, value)
	})
	return x, lost, err
}

// readDescription reads what the store is, and writes it if it isn't there.
func (r *Store) readDescription() error {
	epoch, found, err := get(r.db, []byte{format.KindFormat}, format.ReadFormat)
	if err == nil && found {
		r.epoch = epoch
		return nil
	}
	if err != nil && !isDamage(err) {
		return err
	}
	r.epoch = int64(r.o.Epoch)
	if err != nil {
		// It says how long epochs are, and no hone has had others.
		r.o.Log.Error("the description of the store was damaged; it was written again", "error", err)
	}
	return r.db.Set([]byte{format.KindFormat}, format.AppendFormat(nil, r.epoch), pebble.Sync)
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

// reconstruct finds out from what a partition has what its description said, and
// writes that again. It leaves the partition lost where that can't be read either, or
// another one has its place.
func (r *Store) reconstruct(id uint32, byID map[uint32]*partition, lost map[uint32]error) {
	// Which roll-ups may be used isn't known, so none are.
	p := &partition{id: id, stored: true, Partition: format.Partition{Instance: slices.Sorted(slices.Values(r.o.InstanceLabels)), Dropped: math.MaxInt32}}
	errFound := errors.New("found")
	empty := 0
	for _, kind := range format.PerHour {
		prefix := format.PartitionKey(kind, id)
		err := r.scanPrefix(prefix, func(key, _ []byte) error {
			p.Epoch = store.Window(format.HourOfKey(key).Start(), r.epoch)
			return errFound
		})
		if err == nil {
			empty++
		}
		if errors.Is(err, errFound) {
			if err := r.load(p); err != nil || len(p.dict.Series) == 0 {
				return
			}
			p.Service = p.dict.Series[0].Labels.Get(store.LabelService)
			break
		}
	}
	if empty == len(format.PerHour) {
		delete(lost, id) // it was deleted
		return
	}
	name := partitionName{p.Epoch, p.Service}
	if p.Service == "" || r.parts[name] != nil {
		r.unload(p)
		return
	}
	if err := r.write1(format.PartitionKey(format.KindPartition, id), p.Partition.Append(nil)); err != nil {
		r.o.Log.Error("the description of a partition could not be written again", "service", p.Service, "error", err)
	}
	delete(lost, id)
	byID[id], r.parts[name] = p, p
}

// lastPartition returns the highest number of a partition that a key has.
func (r *Store) lastPartition() (last uint32, err error) {
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

// readHours calls f with all keys of a kind, and
// the hours that they are of. Partitions that f fails for, or that can't be read,
// get into lost.
func (x *Store) readHours(byID map[uint32]*partition, lost map[uint32]error, kind byte,
	f func(p *partition, h *hourData, key, value []byte) error,
) error {
	one := func(key, value []byte) error {
		id := binary.BigEndian.Uint32(key[1:])
		p := byID[id]
		if p == nil && slices.Contains(x.deleted, id) {
			return nil // it is deleted again
		}
		if p == nil {
			if lost[id] == nil {
				lost[id] = format.Damaged(format.PartitionKey(format.KindPartition, id), "it is missing")
				x.next = max(x.next, id+1)
			}
			return nil
		}
		return f(p, p.hour(format.HourOfKey(key), true), key, value)
	}
	err := x.scanPrefix([]byte{kind}, one)
	if !isDamage(err) {
		return err
	}
	for id, p := range byID {
		for _, h := range p.hours { // what was read before the damage
			if kind == format.KindHead {
				h.fresh, h.bytes = format.Heads{}, 0
			}
		}
		err := x.scanPrefix(format.PartitionKey(kind, id), one)
		if isDamage(err) {
			if lost[id] == nil {
				lost[id] = err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}
