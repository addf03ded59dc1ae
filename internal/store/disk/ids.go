package disk

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// identities knows which records are in the store, so that each is stored once.
//
// A call of Put claims a record before it writes it; the record is known once it is durable. If
// another call has claimed a record, Put waits for that call. So when Put returns nil, the
// record is durable, even if another call wrote it.
type identities struct {
	*kv
	catalogue *catalogue
	cache     *cache
	seeds     [2]maphash.Seed
	limit     int64

	mu      sync.Mutex
	claimed map[format.Identity]chan struct{} // closed when it is known or given up
	hours   map[format.Hour]*idSet
	bytes   int64
}

func newIdentities(db *kv, c *catalogue, decoded *cache, limit int64) *identities {
	return &identities{kv: db, catalogue: c, cache: decoded, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, limit: limit,
		claimed: map[format.Identity]chan struct{}{}, hours: map[format.Hour]*idSet{}}
}

// An idSet is a hash table of the identities in an hour.
type idSet struct {
	slots [][2]uint64
	n     int
	used  time.Time
}

// slot returns the entry for an identity: two hashes of it, 127 bits together. Different
// identities have the same entry only by chance, which for any two of a million is 1 in 10^26:
// senders don't know the seeds.
func (x *identities) slot(id format.Identity) [2]uint64 {
	return [2]uint64{maphash.Comparable(x.seeds[0], id), maphash.Comparable(x.seeds[1], id) | 1} // 0 is a free slot
}

func (s *idSet) find(e [2]uint64) (i uint64, ok bool) {
	mask := uint64(len(s.slots) - 1)
	for i = e[0] & mask; s.slots[i] != [2]uint64{}; i = (i + 1) & mask {
		if s.slots[i] == e {
			return i, true
		}
	}
	return i, false
}

func (s *idSet) add(e [2]uint64) {
	if 3*(s.n+1) > 2*len(s.slots) {
		old := s.slots
		s.slots = make([][2]uint64, max(16, 2*len(old)))
		for _, o := range old {
			if o != ([2]uint64{}) {
				i, _ := s.find(o)
				s.slots[i] = o
			}
		}
	}
	if i, ok := s.find(e); !ok {
		s.slots[i] = e
		s.n++
	}
}

// claim claims those records that are neither known nor claimed by another call, and returns
// their indexes as mine. others are claimed by other calls; wait is closed when one of those
// calls ends.
func (x *identities) claim(records []store.Record) (mine []int, others []int, wait chan struct{}, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	own := map[format.Identity]bool{}
	for i := range records {
		id := format.Identity{ID: records[i].ID, Time: records[i].Time}
		if own[id] {
			continue
		}
		if c, ok := x.claimed[id]; ok {
			wait = c
			others = append(others, i)
			continue
		}
		set, err := x.known(format.HourOf(id.Time))
		if err != nil {
			x.endClaims(records, mine, 0)
			return nil, nil, nil, err
		}
		if _, known := set.find(x.slot(id)); known {
			continue
		}
		own[id] = true
		x.claimed[id] = nil
		mine = append(mine, i)
	}
	if len(mine) > 0 {
		c := make(chan struct{})
		for id := range own {
			x.claimed[id] = c
		}
	}
	return mine, others, wait, nil
}

// release ends the claims on the records in mine. The first of them, known, are in the store
// now.
func (x *identities) release(records []store.Record, mine []int, known int) {
	if len(mine) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.claimed[format.Identity{ID: records[mine[0]].ID, Time: records[mine[0]].Time}]
	x.endClaims(records, mine, known)
	close(c)
}

// endClaims is release with x.mu locked, without waking the calls that wait.
func (x *identities) endClaims(records []store.Record, mine []int, known int) {
	for n, i := range mine {
		id := format.Identity{ID: records[i].ID, Time: records[i].Time}
		delete(x.claimed, id)
		if set := x.hours[format.HourOf(id.Time)]; n < known && set != nil {
			before := len(set.slots)
			set.add(x.slot(id))
			x.bytes += int64(16 * (len(set.slots) - before))
		}
	}
}

// known returns the known identities of an hour.
func (x *identities) known(h format.Hour) (*idSet, error) {
	set := x.hours[h]
	if set == nil {
		set = &idSet{slots: make([][2]uint64, 16)}
		for _, p := range x.catalogue.all() {
			if !p.covers(h, x.catalogue.epoch) {
				continue
			}
			p.mu.Lock()
			d := p.hour(h, false)
			var fresh, packed *format.Heads
			var err error
			if d != nil {
				fresh = &d.fresh
				if d.packed.Profiles > 0 {
					packed, err = x.cache.packedHeads(x.db, p.id, h, d.version())
				}
			}
			for _, hs := range []*format.Heads{fresh, packed} {
				if hs == nil {
					continue
				}
				for i := range hs.List {
					set.add(x.slot(hs.List[i].Identity()))
				}
			}
			p.mu.Unlock()
			if err != nil {
				return nil, damagedIn(p, err)
			}
		}
		x.hours[h] = set
		x.bytes += int64(16 * len(set.slots))
	}
	set.used = time.Now()
	for x.bytes > x.limit && len(x.hours) > 1 {
		var oldest format.Hour
		var at time.Time
		for h, s := range x.hours {
			if s != set && (at.IsZero() || s.used.Before(at)) {
				oldest, at = h, s.used
			}
		}
		x.forget(oldest)
	}
	return set, nil
}

func (x *identities) forget(h format.Hour) {
	if set := x.hours[h]; set != nil {
		x.bytes -= int64(16 * len(set.slots))
		delete(x.hours, h)
	}
}

// forgetHour forgets the identities of an hour, after records of it were removed from the
// store.
func (x *identities) forgetHour(h format.Hour) {
	x.mu.Lock()
	x.forget(h)
	x.mu.Unlock()
}
