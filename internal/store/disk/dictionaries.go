package disk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// dictionaries keeps dictionaries of partitions in memory, within a limit. The lock of a
// partition guards its dictionary.
type dictionaries struct {
	*kv
	limit int64        // bytes of memory between calls
	bytes atomic.Int64 // that they take
	loads atomic.Int64 // how often one was read
}

const (
	// smallPieces is how many small pieces there are before they become one.
	smallPieces = 32
	// largePiece is the size in bytes from which a piece stays as it is.
	largePiece = 256 << 10
)

// open loads the dictionary of a partition that gets new profiles. p is locked.
func (x *dictionaries) open(p *partition) error {
	if err := x.load(p); err != nil {
		return err
	}
	if p.stored {
		return nil
	}
	// The keys of a new partition may be where nothing can be read, which is as good as not
	// keeping it.
	if err := x.readable(p.id); err != nil {
		x.unload(p)
		return fmt.Errorf("%w: a damaged table is in the way of new profiles: %w: %w", store.ErrUnavailable, errRepair, err)
	}
	return nil
}

// load reads the dictionary of a partition, unless it is in memory. p is locked.
func (x *dictionaries) load(p *partition) error {
	if p.dict != nil {
		return nil
	}
	d := format.NewDictionary(p.Instance)
	p.pieces, p.small = 0, nil
	if p.stored {
		if err := x.readPieces(p, d); err != nil {
			return damagedIn(p, fmt.Errorf("service %s, week of %s: %w", p.Service, time.Unix(0, p.Epoch).UTC().Format(time.DateOnly), err))
		}
		x.loads.Add(1)
	}
	p.dict, p.index, p.written = d, nil, d.Lengths()
	x.account(p)
	return nil
}

// readPieces reads the stored dictionary of p, which is locked, into d.
func (x *dictionaries) readPieces(p *partition, d *format.Dictionary) error {
	prefix := format.PartitionKey(format.KindDictionary, p.id)
	return scan(x.db, prefix, format.After(prefix), func(key, value []byte) error {
		if len(key) != len(prefix)+4 {
			return fmt.Errorf("%s has a wrong length", format.KeyName(key))
		}
		number := binary.BigEndian.Uint32(key[len(prefix):])
		p.pieces = number + 1
		if p.small = append(p.small, piece{number, d.Lengths()}); len(value) >= largePiece {
			p.small = nil
		}
		return d.AddPiece(value)
	})
}

// mergePieces replaces many small pieces of a dictionary by one. rewrites is locked.
func (x *dictionaries) mergePieces(p *partition) error {
	p.mu.Lock()
	if p.gone || p.dict == nil || len(p.small) < smallPieces {
		p.mu.Unlock()
		return nil
	}
	d, run := *p.dict, slices.Clone(p.small)
	p.mu.Unlock()
	value := d.AppendPiece(nil, run[0].from, d.StringIDs())
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.dict == nil || len(p.small) < len(run) || p.small[0].number != run[0].number {
		return nil // it was loaded again meanwhile
	}
	b := x.db.NewBatch()
	defer b.Close()
	b.Set(format.DictionaryKey(p.id, run[0].number), value, nil)
	for _, o := range run[1:] {
		b.Delete(format.DictionaryKey(p.id, o.number), nil)
	}
	if err := x.write(b); err != nil {
		return err
	}
	p.small = p.small[len(run):]
	if len(value) < largePiece {
		p.small = slices.Insert(p.small, 0, run[0])
	}
	return nil
}

// unload removes the dictionary from memory. p is locked.
func (x *dictionaries) unload(p *partition) {
	p.dict, p.in, p.index = nil, nil, nil
	x.account(p)
}

// account updates the memory used by p's dictionary. p is locked.
func (x *dictionaries) account(p *partition) {
	n := int64(0)
	if p.dict != nil {
		n += p.dict.Memory()
	}
	if p.in != nil {
		n += p.in.Memory()
	}
	x.bytes.Add(n - p.memory)
	p.memory = n
	p.size.Store(max(n, p.size.Load()))
}

// trim unloads the least recently used dictionaries until the rest takes half the limit. The
// background job calls it.
func (x *dictionaries) trim(c *catalogue) {
	if most := x.limit / 2; x.bytes.Load() > most {
		x.forgetOldest(uses(c.all()), most)
	}
}

// trimGrown unloads dictionaries between two rounds of the background job, when many services
// sent profiles. It allows more memory than trim, and keeps the one used last, which is likely
// to be used next.
func (x *dictionaries) trimGrown(c *catalogue) {
	most := 4 * x.limit
	if x.bytes.Load() <= most {
		return
	}
	if uses := uses(c.all()); len(uses) > 1 {
		x.forgetOldest(uses[:len(uses)-1], most/2)
	}
}

// A use is a dictionary with the time of its last use.
type use struct {
	p    *partition
	last time.Time
}

// uses returns the dictionaries that nobody is using, the least recently used first.
func uses(parts []*partition) []use {
	var uses []use
	for _, p := range parts {
		if p.mu.TryLock() {
			if p.dict != nil {
				uses = append(uses, use{p, p.lastUsed})
			}
			p.mu.Unlock()
		}
	}
	slices.SortFunc(uses, func(a, b use) int { return a.last.Compare(b.last) })
	return uses
}

// forgetOldest unloads dictionaries, in the order of uses, until at most so many bytes remain.
// It skips those used or unloaded in the meantime. Their indexes stay in memory: otherwise a
// query over all services would load all dictionaries.
func (x *dictionaries) forgetOldest(uses []use, most int64) {
	for _, u := range uses {
		if x.bytes.Load() <= most {
			return
		}
		if u.p.mu.TryLock() {
			if u.p.dict != nil && u.p.lastUsed == u.last {
				index := u.p.dict.Index()
				x.unload(u.p)
				u.p.index = index
			}
			u.p.mu.Unlock()
		}
	}
}
