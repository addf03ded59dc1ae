package disk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// A partition is the profiles of a service that begin in the same epoch.
type partition struct {
	id       uint32
	epoch    int64 // start, ns since 1970
	service  string
	instance []string // names of labels that tell instances apart, sorted
	dropped  hour     // hours before it were dropped; guarded by mu

	mu     sync.Mutex
	gone   bool // it was dropped
	stored bool // its key is written
	// The dictionary, nil when it isn't in memory, and what adds to it, nil
	// unless something was added since.
	dict     *dict
	in       *interner
	index    *dict   // of a dictionary that was in memory and isn't; see dict.index
	written  marks   // how much of the dictionary is stored
	pieces   uint32  // number of its next piece
	small    []piece // the last pieces, which are small
	seq      uint64  // of the last profile
	hours    []*hourData
	lastUsed time.Time
	memory   int64 // bytes that dict and in take, as far as Store.memory counts them
}

// piece is a stored piece of a dictionary.
type piece struct {
	number uint32
	from   marks // what the pieces before it have
}

const (
	// smallPieces is how many small pieces there are before they become one.
	smallPieces = 32
	// largePiece is the size in bytes from which a piece stays as it is.
	largePiece = 256 << 10
)

// hourData is an hour of a partition.
type hourData struct {
	hour   hour
	packed summary
	fresh  heads // not packed, by rising seq
	bytes  int64 // size of the samples of those
	last   time.Time
}

// A summary is of the packed profiles of an hour. It is stored as
//
//	1                              version
//	profiles blocks lastSeq bytes  varints
//	first last                     zigzag varints: times, ns
type summary struct {
	profiles    uint64
	blocks      uint64 // number of the next block
	lastSeq     uint64
	bytes       uint64 // size of the blocks
	first, last int64  // times of the first and last profile
}

const summaryVersion = 1

func (s *summary) append(b []byte) []byte {
	b = append(b, summaryVersion)
	for _, v := range [...]uint64{s.profiles, s.blocks, s.lastSeq, s.bytes} {
		b = binary.AppendUvarint(b, v)
	}
	return appendVarint(appendVarint(b, s.first), s.last)
}

func readSummary(value []byte) (s summary, err error) {
	r := reader{b: value}
	r.version(summaryVersion)
	s.profiles, s.blocks, s.lastSeq, s.bytes = r.uvarint(), r.uvarint(), r.uvarint(), r.uvarint()
	s.first, s.last = r.varint(), r.varint()
	return s, r.end()
}

// The value of a partition's key is
//
//	1          version
//	epoch      zigzag varint, ns
//	service    string
//	n          number of labels that tell instances apart
//	name*      strings
//	dropped    zigzag varint: the hour before which profiles were dropped
const partitionVersion = 1

func (p *partition) value() []byte {
	b := []byte{partitionVersion}
	b = appendVarint(b, p.epoch)
	b = appendString(b, p.service)
	b = binary.AppendUvarint(b, uint64(len(p.instance)))
	for _, n := range p.instance {
		b = appendString(b, n)
	}
	return appendVarint(b, int64(p.dropped))
}

func readPartition(id uint32, value []byte) (*partition, error) {
	r := reader{b: value}
	r.version(partitionVersion)
	p := &partition{id: id, stored: true, epoch: r.varint(), service: r.str()}
	p.instance = make([]string, r.count(1))
	for i := range p.instance {
		p.instance[i] = r.str()
	}
	p.dropped = hour(r.varint())
	return p, r.end()
}

// hour returns the data of an hour, which is added where add is set.
func (p *partition) hour(h hour, add bool) *hourData {
	i, ok := slices.BinarySearchFunc(p.hours, h, func(d *hourData, h hour) int { return int(d.hour) - int(h) })
	if !ok {
		if !add {
			return nil
		}
		p.hours = slices.Insert(p.hours, i, &hourData{hour: h})
	}
	return p.hours[i]
}

// load brings the partition's dictionary into memory. p is locked.
func (s *Store) load(p *partition) error {
	if p.dict != nil {
		return nil
	}
	d := newDict()
	prefix := partitionKey(keyDict, p.id)
	p.pieces, p.small = 0, nil
	err := s.scan(s.db, prefix, after(prefix), func(key, value []byte) error {
		if len(key) != len(prefix)+4 {
			return fmt.Errorf("%s has a wrong length", keyName(key))
		}
		number := binary.BigEndian.Uint32(key[len(prefix):])
		p.pieces = number + 1
		if p.small = append(p.small, piece{number, d.marks()}); len(value) >= largePiece {
			p.small = nil
		}
		return d.addPiece(value, p.instance)
	})
	if err != nil {
		return fmt.Errorf("service %s, week of %s: %w", p.service, time.Unix(0, p.epoch).UTC().Format(time.DateOnly), err)
	}
	p.dict, p.index, p.written = d, nil, d.marks()
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
	ids := make(map[string]uint32, len(d.strings))
	for i, str := range d.strings {
		ids[str] = uint32(i)
	}
	value := d.appendPiece(nil, run[0].from, func(s string) uint32 { return ids[s] })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.dict == nil || len(p.small) < len(run) || p.small[0].number != run[0].number {
		return nil // it was loaded again meanwhile
	}
	b := s.db.NewBatch()
	defer b.Close()
	b.Set(dictKey(p.id, run[0].number), value, nil)
	for _, o := range run[1:] {
		b.Delete(dictKey(p.id, o.number), nil)
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
		n += p.dict.bytes()
	}
	if p.in != nil {
		n += p.in.bytes()
	}
	s.dictBytes.Add(n - p.memory)
	p.memory = n
}

// trim forgets dictionaries that were not used for the longest time, until the
// rest fits in what they may take. Their indexes stay: without, questions about
// all services would load all dictionaries each time.
func (s *Store) trim() {
	if s.dictBytes.Load() <= s.o.CacheBytes/2 {
		return
	}
	type use struct {
		p    *partition
		last time.Time
	}
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
	for _, u := range uses {
		if s.dictBytes.Load() <= s.o.CacheBytes/2 {
			return
		}
		if u.p.mu.TryLock() {
			if u.p.dict != nil && u.p.lastUsed == u.last { // a Put that failed forgets it
				index := u.p.dict.index()
				s.unload(u.p)
				u.p.index = index
			}
			u.p.mu.Unlock()
		}
	}
}

// scan calls f with the keys from start to end and their values, which are
// valid during the call. Errors of f about values are told the key.
func (s *Store) scan(db pebble.Reader, start, end []byte, f func(key, value []byte) error) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return err
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = e
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return fmt.Errorf("%s: %w", keyName(it.Key()), err)
		}
		if err := f(it.Key(), value); err != nil {
			return inKey(it.Key(), err)
		}
	}
	return nil
}
