package ingest

import (
	"bytes"
	"container/list"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Heap profiles' alloc_* values, and mutex and block profiles, count from the
// start of the process. What is kept of them is what was added since the profile
// before, so that any profiles can be added up.
//
// Samples are told apart by a hash of stack and labels. The difference of two
// profiles is exact even when hashes collide: values of equal hashes are
// one counter, and the first of its samples gets all of the difference.

// deltas holds the last profile of each series that counts.
type deltas struct {
	most int64 // bytes

	mu      sync.Mutex
	series  map[store.ID]*list.Element // of *counter
	recent  list.List                  // the last used first
	bytes   int64
	dropped int64
}

func newDeltas(most int64) deltas {
	return deltas{most: most, series: map[store.ID]*list.Element{}}
}

// A counter is the state of one series. Whoever works with a series holds the
// counter from before the difference is taken until it is in the store: were it
// lost in between, the next difference would have to contain it.
type counter struct {
	key   store.ID
	users int // guarded by deltas.mu
	size  int64

	mu   sync.Mutex // guards what is below
	last totals
	next totals // last, once the store has what is on its way
	told bool   // the log names the series as shared
}

// totals are what a series counted so far.
type totals struct {
	types []profile.ValueType
	// The processes that sent of late, in the order of their last profiles. Labels
	// should tell processes apart. Where they don't, each is known by its
	// counters: they never fall.
	processes []counted
	switches  int  // profiles that did not continue the latest process, but one before it
	shared    bool // several processes send at the same time
	// Identities of the last records, so that one that is sent again is not
	// taken for a new one that is late.
	known   [8]store.ID
	records int // so far
}

// counted are the values of the cumulative sample types of one process.
type counted struct {
	end    int64 // of its last profile, in ns since 1970 UTC
	table  table
	record int // the number of its last record
}

const (
	// A series remembers so many processes, and one without a profile for as long
	// as twice that many arrive. It bounds what senders with equal labels take.
	mostProcesses = 8
	// A process that restarted can send one profile late, which is two switches.
	sharedAfter = 3
)

// lock returns the counter of each key, nil for the zero key, and locks each of them once,
// always in the same order. Those held are for unlock.
func (d *deltas) lock(keys []store.ID) (counters, held []*counter) {
	counters = make([]*counter, len(keys))
	d.mu.Lock()
	for i, key := range keys {
		if key == (store.ID{}) {
			continue
		}
		e := d.series[key]
		if e == nil {
			e = d.recent.PushFront(&counter{key: key})
			d.series[key] = e
		}
		d.recent.MoveToFront(e)
		c := e.Value.(*counter)
		counters[i] = c
		if !slices.Contains(held, c) {
			held = append(held, c)
			c.users++
		}
	}
	d.mu.Unlock()
	slices.SortFunc(held, func(a, b *counter) int { return bytes.Compare(a.key[:], b.key[:]) })
	for _, c := range held {
		c.mu.Lock()
		c.next = c.last
	}
	return counters, held
}

// unlock gives counters back and forgets what there is no room for.
func (d *deltas) unlock(held []*counter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range held {
		size := int64(256)
		for i := range c.last.processes {
			size += c.last.processes[i].table.bytes()
		}
		c.mu.Unlock()
		c.users--
		d.bytes += size - c.size
		c.size = size
	}
	for e := d.recent.Back(); e != nil && d.bytes > d.most; {
		c, before := e.Value.(*counter), e.Prev()
		if c.users == 0 {
			d.recent.Remove(e)
			delete(d.series, c.key)
			d.bytes -= c.size
			d.dropped++
		}
		e = before
	}
}

// stats returns the number of series, their bytes, and how many were forgotten.
func (d *deltas) stats() (series int, bytes, forgotten int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.series), d.bytes, d.dropped
}

// subtract turns the cumulative values of a record into what was added since the
// record before. It returns what had to be done about it, and whether anything
// is left to be stored.
func (c *counter) subtract(r *store.Record, cumulative []string) (Degradation, bool) {
	p := r.Profile
	var columns []int
	var types []profile.ValueType
	for t, st := range p.SampleTypes {
		if slices.Contains(cumulative, st.Type) {
			columns = append(columns, t)
			types = append(types, profile.ValueType{Type: strings.Clone(st.Type), Unit: strings.Clone(st.Unit)}) // a decoder's memory
		}
	}
	if len(columns) == 0 {
		return Unchanged, true
	}
	last := &c.next
	if slices.Contains(last.known[:], r.ID) {
		return Unchanged, false
	}
	last.known[last.records%len(last.known)] = r.ID
	last.records++
	if !slices.Equal(last.types, types) {
		last.types, last.processes = types, nil
	}
	others := len(columns) < len(p.SampleTypes)
	now := newTable(p, columns)
	end := r.Time + r.Duration
	from, rose := last.continues(&now)
	what, base := Unchanged, &table{}
	switch n := len(last.processes); {
	case n == 0:
		what, base = DeltaFirst, &now
	case from < 0 && end <= last.processes[n-1].end, from >= 0 && end <= last.processes[from].end && !rose:
		r.Profile = now.difference(p, columns, &now)
		return DeltaLate, others
	case from < 0 && (last.shared || n == mostProcesses):
		// A process that is new to the series may have counted for long.
		what, base = DeltaShared, &now
		last.shared = true
	case from < 0:
		// The process is another one and began to count after the last profile.
		what = DeltaRestart
		r.Time, r.Duration = last.processes[n-1].end, end-last.processes[n-1].end
	case end <= last.processes[from].end:
		what = Clock // counters rise: it is its clock that was set back
		base = &last.processes[from].table
	default:
		base = &last.processes[from].table
		r.Time, r.Duration = last.processes[from].end, end-last.processes[from].end
	}
	r.Profile = now.difference(p, columns, base)
	last.add(counted{end, now, last.records}, from)
	return what, others || what != DeltaFirst && what != DeltaShared
}

// continues returns the process that a profile continues, -1 for none, and whether
// any of its counters rose: of those where none fell, the one that is nearest.
func (t *totals) continues(now *table) (process int, rose bool) {
	process = -1
	nearest := 0.0
	for i := len(t.processes) - 1; i >= 0; i-- {
		rise, fell := t.processes[i].table.compare(now)
		if !fell && (process < 0 || rise < nearest) {
			process, nearest = i, rise
		}
	}
	return process, nearest > 0
}

// add puts the latest profile of a process at the end, in place of the one that it
// continues, unless that is -1, and forgets processes that send no more.
func (t *totals) add(latest counted, from int) {
	if from >= 0 && from < len(t.processes)-1 {
		t.switches++
	}
	var kept []counted // last has the others still
	for i := range t.processes {
		if i != from && latest.record-t.processes[i].record <= 2*mostProcesses {
			kept = append(kept, t.processes[i])
		}
	}
	if kept = append(kept, latest); len(kept) > mostProcesses {
		kept = kept[1:]
	}
	if t.processes = kept; len(kept) == 1 {
		t.switches, t.shared = 0, false
	}
	t.shared = t.shared || t.switches >= sharedAfter
}

// table maps hashes of samples to their values, by open addressing. A key is its
// own hash and values stand by slot, so there is one look less than in a
// [hashing.Index], and none of a map's; see doc/design/0011-hash-tables.md.
type table struct {
	columns int
	keys    []uint64 // 0 is a free slot
	values  []int64  // columns of them per slot
	first   []uint32 // the first sample of each slot plus 1, nil once the profile is gone
}

// slotsOf returns how many slots a table of so many samples has.
func slotsOf(samples int) int {
	n := 16
	for n < 2*samples {
		n *= 2
	}
	return n
}

// differenceBytes returns about what the difference of a profile takes, with the
// table and the hashes that lead to it.
func differenceBytes(p *profile.Profile, columns int) int64 {
	slots, samples := int64(slotsOf(p.NumSamples())), int64(p.NumSamples())
	// Of what samples refer to there are hashes, and in the copy elements and indexes.
	const referred = 64
	things := int64(len(p.Strings) + len(p.Functions) + len(p.Locations) + len(p.LabelSets) + len(p.Mappings))
	return slots*int64(8+8*columns+4) + samples*int64(8+8*columns) + // the table, hashes, and differences
		samples*int64(32+8*len(p.SampleTypes)) + 4*int64(len(p.Frames)) + referred*things // the copy
}

func newTable(p *profile.Profile, columns []int) table {
	n := slotsOf(p.NumSamples())
	t := table{columns: len(columns), keys: make([]uint64, n), values: make([]int64, n*len(columns)), first: make([]uint32, n)}
	hashes := hashSamples(p)
	for s, h := range hashes {
		i := t.find(h)
		if t.keys[i] == 0 {
			t.keys[i] = h
			t.first[i] = uint32(s) + 1
		}
		for c, column := range columns {
			t.values[i*t.columns+c] += p.Values[column][s]
		}
	}
	return t
}

// find returns the slot of a hash, or the free one where it belongs.
func (t *table) find(h uint64) int {
	mask := len(t.keys) - 1
	i := int(h) & mask
	for t.keys[i] != 0 && t.keys[i] != h {
		i = (i + 1) & mask
	}
	return i
}

// at returns the values of a hash, nil if there are none.
func (t *table) at(h uint64) []int64 {
	if len(t.keys) == 0 {
		return nil
	}
	i := t.find(h)
	if t.keys[i] == 0 {
		return nil
	}
	return t.values[i*t.columns : (i+1)*t.columns]
}

func (t *table) bytes() int64 { return int64(8*len(t.keys) + 8*len(t.values)) }

// compare returns by how much values rose in all from t to now, and whether any
// fell. A sample that is gone has fallen.
func (t *table) compare(now *table) (rise float64, fell bool) {
	for i, h := range now.keys {
		if h == 0 {
			continue
		}
		was := t.at(h)
		for c := range now.columns {
			v := now.values[i*now.columns+c]
			w := int64(0)
			if was != nil {
				w = was[c]
			}
			if v < w {
				return 0, true
			}
			rise += float64(v) - float64(w)
		}
	}
	for i, h := range t.keys {
		if h != 0 && now.at(h) == nil {
			for _, v := range t.values[i*t.columns : (i+1)*t.columns] {
				if v > 0 {
					return 0, true
				}
			}
		}
	}
	return rise, false
}

// difference returns p, of which t is the table, less base in the columns, with
// memory of its own. Samples without any value are left out.
func (t *table) difference(p *profile.Profile, columns []int, base *table) *profile.Profile {
	q := *p
	q.Values = slices.Clone(p.Values)
	for _, column := range columns {
		q.Values[column] = make([]int64, p.NumSamples())
	}
	for i, h := range t.keys {
		if h == 0 {
			continue
		}
		was := base.at(h)
		for c, column := range columns {
			v := t.values[i*t.columns+c]
			if was != nil {
				v -= was[c]
			}
			q.Values[column][t.first[i]-1] = v
		}
	}
	t.first = nil
	return profile.Compact(&q)
}

var hashSeed = maphash.MakeSeed()

// hashSamples returns a hash of each sample's stack and labels, never 0. Equal
// places in a program have equal hashes wherever it is loaded.
func hashSamples(p *profile.Profile) []uint64 {
	texts := make([]uint64, len(p.Strings))
	text := func(id profile.StringID) uint64 {
		if texts[id] == 0 {
			texts[id] = maphash.String(hashSeed, p.Strings[id]) | 1
		}
		return texts[id]
	}
	mappings := make([]uint64, len(p.Mappings)+1)
	for i, m := range p.Mappings {
		mappings[i+1] = hashing.Mix(maphash.String(hashSeed, m.BuildID), maphash.String(hashSeed, m.File)) ^ m.Offset
	}
	functions := make([]uint64, len(p.Functions))
	for i, f := range p.Functions {
		functions[i] = hashing.Mix(hashing.Mix(text(f.Name), text(f.File)), hashing.Mix(text(f.SystemName), uint64(f.StartLine)))
	}
	locations := make([]uint64, len(p.Locations))
	for i := range p.Locations {
		l := &p.Locations[i]
		address := l.Address
		if l.Mapping != 0 {
			address -= p.Mappings[l.Mapping-1].Start
		}
		h := hashing.Mix(address, mappings[l.Mapping])
		for _, ln := range p.LocationLines(uint32(i)) {
			h = hashing.Mix(h, functions[ln.Function]^bits.RotateLeft64(uint64(ln.Line), 32)^uint64(ln.Column))
		}
		locations[i] = h
	}
	sets := make([]uint64, len(p.LabelSets))
	for i, set := range p.LabelSets {
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			sets[i] = hashing.Mix(hashing.Mix(sets[i], text(l.Key)), hashing.Mix(text(l.Str), text(l.Unit)^uint64(l.Num)))
		}
	}
	out := make([]uint64, p.NumSamples())
	for s := range out {
		h := uint64(1)
		for _, l := range p.Stack(s) {
			h = hashing.Mix(h, locations[l])
		}
		if p.SampleLabels != nil {
			h = hashing.Mix(h, sets[p.SampleLabels[s]])
		}
		out[s] = max(h, 1)
	}
	return out
}
