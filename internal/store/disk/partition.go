package disk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A partition is the profiles of a service that begin in the same epoch.
type partition struct {
	id               uint32
	format.Partition // dropped, problem and since are guarded by mu

	mu     sync.Mutex
	gone   bool // it was dropped, or set aside
	stored bool // its key is written
	// The dictionary, nil when it isn't in memory, and what adds to it, nil
	// unless something was added since.
	dict     *format.Dictionary
	in       *format.Interner
	index    *format.Dictionary // of a dictionary that was in memory and isn't; see Dictionary.Index
	written  format.Lengths     // how much of the dictionary is stored
	pieces   uint32             // number of its next piece
	small    []piece            // the last pieces, which are small
	seq      uint64             // of the last profile
	hours    []*hourData
	lastUsed time.Time
	memory   int64        // bytes that dict and in take, as far as Store.memory counts them
	size     atomic.Int64 // the most that they took
}

// piece is a stored piece of a dictionary.
type piece struct {
	number uint32
	from   format.Lengths // what the pieces before it have
}

const (
	// smallPieces is how many small pieces there are before they become one.
	smallPieces = 32
	// largePiece is the size in bytes from which a piece stays as it is.
	largePiece = 256 << 10
)

// hourData is an hour of a partition.
type hourData struct {
	hour   format.Hour
	born   uint64 // the partition's seq at that time; an hour that was dropped and comes again numbers its blocks from 0 again
	packed format.Summary
	fresh  format.Heads // not packed, by rising seq
	bytes  int64        // size of the samples of those
	last   time.Time
	heals  uint64 // how often profiles of it were found to be lost
}

// version changes with the packed profiles.
func (h *hourData) version() uint64 { return packedVersion(&h.packed, h.heals) }

// hour returns the data of an hour, which is added where add is set.
func (p *partition) hour(h format.Hour, add bool) *hourData {
	i, ok := slices.BinarySearchFunc(p.hours, h, func(d *hourData, h format.Hour) int { return int(d.hour) - int(h) })
	if !ok {
		if !add {
			return nil
		}
		p.hours = slices.Insert(p.hours, i, &hourData{hour: h, born: p.seq})
	}
	return p.hours[i]
}

// load brings the partition's dictionary into memory. p is locked.
func (s *Store) load(p *partition) error {
	if p.dict != nil {
		return nil
	}
	d := format.NewDictionary(p.Instance)
	prefix := format.PartitionKey(format.KindDictionary, p.id)
	p.pieces, p.small = 0, nil
	if !p.stored {
		p.dict, p.index, p.written = d, nil, d.Lengths()
		s.account(p)
		return nil
	}
	err := s.scan(s.db, prefix, format.After(prefix), func(key, value []byte) error {
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
	if err != nil {
		return fmt.Errorf("service %s, week of %s: %w", p.Service, time.Unix(0, p.Epoch).UTC().Format(time.DateOnly), err)
	}
	p.dict, p.index, p.written = d, nil, d.Lengths()
	s.counts.loads.Add(1)
	s.account(p)
	return nil
}

// mergePieces makes one piece of many small ones of a dictionary. s.jobs is
// locked.
func (s *Store) mergePieces(p *partition) error {
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
	b := s.db.NewBatch()
	defer b.Close()
	b.Set(format.DictionaryKey(p.id, run[0].number), value, nil)
	for _, o := range run[1:] {
		b.Delete(format.DictionaryKey(p.id, o.number), nil)
	}
	if err := s.write(b); err != nil {
		return err
	}
	p.small = p.small[len(run):]
	if len(value) < largePiece {
		p.small = slices.Insert(p.small, 0, run[0])
	}
	return nil
}

// unload forgets the dictionary. p is locked.
func (s *Store) unload(p *partition) {
	p.dict, p.in, p.index = nil, nil, nil
	s.account(p)
}

// account counts the memory of p's dictionary. p is locked.
func (s *Store) account(p *partition) {
	n := int64(0)
	if p.dict != nil {
		n += p.dict.Memory()
	}
	if p.in != nil {
		n += p.in.Memory()
	}
	s.dictBytes.Add(n - p.memory)
	p.memory = n
	p.size.Store(max(n, p.size.Load()))
}

// trim forgets dictionaries that were not used for the longest time, until the
// rest fits in what they may take.
func (s *Store) trim() {
	if most := s.o.CacheBytes / 2; s.dictBytes.Load() > most {
		s.forgetOldest(s.uses(), most)
	}
}

// trimGrown does that between two rounds of the background job, when many services have
// sent something: there is room for more then, and what was used last stays, as it is
// likely to be used next.
func (s *Store) trimGrown() {
	most := 4 * s.o.CacheBytes
	if s.dictBytes.Load() <= most {
		return
	}
	if uses := s.uses(); len(uses) > 1 {
		s.forgetOldest(uses[:len(uses)-1], most/2)
	}
}

// A use is when a dictionary was used last.
type use struct {
	p    *partition
	last time.Time
}

// uses returns the dictionaries that nobody uses now, the one that was used first
// first.
func (s *Store) uses() []use {
	var uses []use
	for _, p := range s.partitions() {
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
func (s *Store) forgetOldest(uses []use, most int64) {
	for _, u := range uses {
		if s.dictBytes.Load() <= most {
			return
		}
		if u.p.mu.TryLock() {
			if u.p.dict != nil && u.p.lastUsed == u.last {
				index := u.p.dict.Index()
				s.unload(u.p)
				u.p.index = index
			}
			u.p.mu.Unlock()
		}
	}
}
