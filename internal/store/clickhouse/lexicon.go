package clickhouse

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A lexicon caches dictionary entries by number. Numbers are hashes of the content, so entries
// are never out of date, on any node.
//
// Entries are only added. A copy of the slices that was made with the lock held can be read
// without it.
type lexicon struct {
	mu      sync.Mutex
	series  map[uint64]store.Labels
	headers map[uint64]*header

	// all is one profile with everything else; its samples are sites.
	all       profile.Profile
	strings   map[string]uint32
	functions map[profile.Function]uint32
	mappings  map[uint64]uint32 // index in all.Mappings plus 1
	locations map[uint64]uint32
	sets      map[uint64]uint32 // index in all.LabelSets
	sites     map[uint64]uint32 // index in all.Stacks and all.SampleLabels
	bytes     int64             // estimated memory
}

func newLexicon() *lexicon {
	return &lexicon{
		series: map[uint64]store.Labels{}, headers: map[uint64]*header{}, strings: map[string]uint32{"": 0}, functions: map[profile.Function]uint32{},
		mappings: map[uint64]uint32{}, locations: map[uint64]uint32{}, sets: map[uint64]uint32{0: 0}, sites: map[uint64]uint32{},
		all: profile.Profile{Strings: []string{""}, LabelSets: make([]profile.LabelSet, 1)},
	}
}

// lexicons keeps the current lexicon, and starts a new one when it gets too large.
type lexicons struct {
	mu  sync.Mutex
	now *lexicon
}

// maxLexicon limits the size of a lexicon at the start of a query, in bytes.
const maxLexicon = 256 << 20

func (ls *lexicons) get() *lexicon {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.now != nil {
		ls.now.mu.Lock()
		large := ls.now.bytes > maxLexicon
		ls.now.mu.Unlock()
		if !large {
			return ls.now
		}
	}
	ls.now = newLexicon()
	return ls.now
}

// A content is an encoded dictionary entry.
type content struct {
	number uint64
	bytes  []byte
}

// missing returns the numbers that are not in known, a map of lx, each once.
func missing[T any](lx *lexicon, known map[uint64]T, numbers []uint64) []uint64 {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	var out []uint64
	for _, n := range numbers {
		if _, ok := known[n]; !ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// known returns the entries for some numbers in a map of lx.
func known[T any](lx *lexicon, all map[uint64]T, numbers []uint64) map[uint64]T {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	out := make(map[uint64]T, len(numbers))
	for _, n := range numbers {
		if v, ok := all[n]; ok {
			out[n] = v
		}
	}
	return out
}

// siteRows returns the indexes of sites among the samples of lx.all. All of them must be there.
func (lx *lexicon) siteRows(sites []uint64) []uint32 {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	rows := make([]uint32, len(sites))
	for i, n := range sites {
		rows[i] = lx.sites[n]
	}
	return rows
}

// mapping returns a mapping and its index plus 1 in lx.all, 0 if it isn't there.
func (lx *lexicon) mapping(number uint64) (m uint32, _ profile.Mapping) {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	if m = lx.mappings[number]; m == 0 {
		return 0, profile.Mapping{}
	}
	return m, lx.all.Mappings[m-1]
}

// everything returns a snapshot of lx.all, which later additions don't change.
func (lx *lexicon) everything() profile.Profile {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	return lx.all
}

// add calls f for each content, with lx locked.
func (lx *lexicon) add(what uint8, contents []content, f func(n uint64, r *reader)) error {
	lx.mu.Lock()
	defer lx.mu.Unlock()
	for _, c := range contents {
		r := reader{b: c.bytes}
		f(c.number, &r)
		if r.err != nil {
			return fmt.Errorf("the dictionary's content of number %d (what: %d): %w", c.number, what, r.err)
		}
		lx.bytes += int64(len(c.bytes)) + 64
	}
	return nil
}

func (lx *lexicon) str(s string) uint32 {
	id, ok := lx.strings[s]
	if !ok {
		id = uint32(len(lx.all.Strings))
		lx.strings[s] = id
		lx.all.Strings = append(lx.all.Strings, s)
		lx.bytes += int64(len(s)) + 64
	}
	return id
}

func (lx *lexicon) addMapping(n uint64, r *reader) {
	lx.all.Mappings = append(lx.all.Mappings, readMapping(r))
	lx.mappings[n] = uint32(len(lx.all.Mappings))
}

func (lx *lexicon) addSet(n uint64, r *reader) {
	p := &lx.all
	set := profile.LabelSet{Start: uint32(len(p.Labels))}
	for range r.count(5) {
		flags := r.byte()
		l := profile.Label{Numeric: flags&1 != 0, HasUnit: flags&2 != 0}
		l.Key, l.Str, l.Unit = lx.str(r.string()), lx.str(r.string()), lx.str(r.string())
		l.Num = r.varint()
		p.Labels = append(p.Labels, l)
		set.Len++
	}
	lx.sets[n] = uint32(len(p.LabelSets))
	p.LabelSets = append(p.LabelSets, set)
}

func (lx *lexicon) addLocation(n uint64, r *reader) {
	if _, ok := lx.locations[n]; ok {
		return
	}
	p := &lx.all
	l := profile.Location{FirstLine: uint32(len(p.Lines))}
	if m := r.number(); m != 0 {
		l.Mapping = lx.mappings[m]
	}
	l.Address = r.uvarint() // in the mapping
	l.Folded = r.byte() != 0
	for range r.count(6) {
		f := profile.Function{Name: lx.str(r.string()), SystemName: lx.str(r.string()), File: lx.str(r.string()), StartLine: r.varint()}
		id, ok := lx.functions[f]
		if !ok {
			id = uint32(len(p.Functions))
			lx.functions[f] = id
			p.Functions = append(p.Functions, f)
		}
		p.Lines = append(p.Lines, profile.Line{Function: id, Line: r.varint(), Column: r.varint()})
		l.NumLines++
	}
	lx.locations[n] = uint32(len(p.Locations))
	p.Locations = append(p.Locations, l)
}

func (lx *lexicon) addSite(n uint64, r *reader) {
	if _, ok := lx.sites[n]; ok {
		return
	}
	p := &lx.all
	set := lx.sets[r.number()]
	stack := profile.Stack{Start: uint32(len(p.Frames)), Len: uint32(len(r.b) / 8)}
	for len(r.b) > 0 {
		p.Frames = append(p.Frames, lx.locations[r.number()])
	}
	lx.sites[n] = uint32(len(p.Stacks))
	p.Stacks = append(p.Stacks, stack)
	p.SampleLabels = append(p.SampleLabels, set)
}
