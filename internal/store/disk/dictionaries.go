package disk

import (
	"slices"
	"sync/atomic"
	"time"

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

// mergePieces makes one piece of many small ones of a dictionary. s.jobs is
// locked.
func (x *Store) mergePieces(p *partition) error {
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

// unload forgets the dictionary. p is locked.
func (x *Store) unload(p *partition) {
	p.dict, p.in, p.index = nil, nil, nil
	x.account(p)
}

// account counts the memory of p's dictionary. p is locked.
func (x *Store) account(p *partition) {
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

// trim forgets dictionaries that were not used for the longest time, until the
// rest fits in what they may take.
func (x *Store) trim() {
	if most := x.o.CacheBytes / 2; x.bytes.Load() > most {
		x.forgetOldest(x.uses(), most)
	}
}

// trimGrown does that between two rounds of the background job, when many services have
// sent something: there is room for more then, and what was used last stays, as it is
// likely to be used next.
func (x *Store) trimGrown() {
	most := 4 * x.o.CacheBytes
	if x.bytes.Load() <= most {
		return
	}
	if uses := x.uses(); len(uses) > 1 {
		x.forgetOldest(uses[:len(uses)-1], most/2)
	}
}

// A use is a dictionary with the time of its last use.
type use struct {
	p    *partition
	last time.Time
}

// uses returns the dictionaries that nobody uses now, the one that was used first
// first.
func (s *Store) uses() []use {
	var uses []use
	for _, p := range s.all() {
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

// forgetOldest forgets dictionaries in their order until the rest takes at most so many
// bytes, but for those that were used meanwhile, or forgotten by a Put that failed. Their
// indexes stay: without, questions about all services would load all dictionaries each time.
func (x *Store) forgetOldest(uses []use, most int64) {
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
