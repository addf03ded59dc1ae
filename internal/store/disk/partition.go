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
