package clickhouse

import (
	"context"
	"fmt"
	"slices"
)

// A span of weeks and services is where a question looks for what numbers mean.
type span struct {
	first, last int32 // weeks
	services    []string
}

// condition returns what rows of the dictionary have to fulfil.
func (sp *span) condition(what uint8) string {
	return fmt.Sprintf("what = %d AND week >= %d AND week <= %d", what, sp.first, sp.last)
}

func (sp *span) table() tempTable {
	rows := newBlock("service", "String")
	for _, s := range sp.services {
		rows.col("service").string(s)
	}
	return tempTable{"services", rows}
}

// A content is what the dictionary has of a number.
type content struct {
	number uint64
	bytes  []byte
}

// missing returns the numbers that known, a map of lx, doesn't have, once each.
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

// maxLookup bounds the numbers that one statement looks up.
const maxLookup = 100_000

// lookUp returns the contents of numbers, which stand once each, or an error if
// the store doesn't know one of them.
func (s *Store) lookUp(ctx context.Context, sp *span, what uint8, numbers []uint64) ([]content, error) {
	out, err := s.contents(ctx, sp, what, numbers)
	if err != nil || len(out) == len(numbers) {
		return out, err
	}
	there := make(map[uint64]bool, len(out))
	for _, c := range out {
		there[c.number] = true
	}
	for _, n := range numbers {
		if !there[n] {
			err = fmt.Errorf("the dictionary has no content of number %d (what: %d), which profiles refer to: rows were removed from it", n, what)
		}
	}
	return nil, err
}

// contents returns the contents of those numbers that the store knows, once each.
func (s *Store) contents(ctx context.Context, sp *span, what uint8, numbers []uint64) ([]content, error) {
	var out []content
	for chunk := range slices.Chunk(numbers, maxLookup) {
		rows := newBlock("number", "UInt64")
		for _, n := range chunk {
			rows.col("number").uint64(n)
		}
		a, err := s.exec(ctx, &statement{
			out: outputs("number", "sum", "content"),
			sql: "FROM dictionary WHERE " + sp.condition(what) +
				" AND service IN (SELECT service FROM services) AND number IN (SELECT number FROM numbers)",
			tables: []tempTable{sp.table(), {"numbers", rows}},
		})
		if err != nil {
			return nil, err
		}
		sums := make(map[uint64]uint64, len(chunk))
		for i := range a.rows {
			number, sum := a.col("number").words[i], a.col("sum").words[i]
			// A number is in the store once a week and service, and more often until
			// the engine has merged what came twice.
			if before, ok := sums[number]; !ok {
				sums[number] = sum
				out = append(out, content{number, []byte(a.col("content").texts[i])})
			} else if before != sum {
				return nil, fmt.Errorf("the dictionary has two contents of number %d (what: %d): its key is known to somebody, or it is the one in 10^7 stores where that happens", number, what)
			}
		}
	}
	return out, nil
}

// learn looks up the numbers that known, a map of lx, doesn't have. It calls add,
// with lx locked, for each of them that has not been added meanwhile.
func learn[T any](ctx context.Context, s *Store, lx *lexicon, sp *span, what uint8, known map[uint64]T, numbers []uint64, add func(n uint64, r *reader)) error {
	contents, err := s.lookUp(ctx, sp, what, missing(lx, known, numbers))
	if err != nil {
		return err
	}
	return lx.add(what, contents, func(n uint64, r *reader) {
		if _, ok := known[n]; !ok {
			add(n, r)
		}
	})
}

// learnSeries looks up series that were found in the dictionary. What one replica tells
// another may not have yet; then no Put with it has been acknowledged, and it is left out.
func (s *Store) learnSeries(ctx context.Context, lx *lexicon, sp *span, numbers []uint64) error {
	contents, err := s.contents(ctx, sp, ofSeries, missing(lx, lx.series, numbers))
	if err != nil {
		return err
	}
	return lx.add(ofSeries, contents, func(n uint64, r *reader) { lx.series[n] = readSeries(r) })
}

func (s *Store) learnHeaders(ctx context.Context, lx *lexicon, sp *span, numbers []uint64) error {
	err := learn(ctx, s, lx, sp, ofHeader, lx.headers, numbers, func(n uint64, r *reader) {
		lx.headers[n] = readHeader(r)
		lx.headers[n].number = n
	})
	if err != nil {
		return err
	}
	lx.mu.Lock()
	var mappings []uint64
	for _, n := range numbers {
		if m := lx.headers[n].mainMapping; m != 0 {
			mappings = append(mappings, m)
		}
	}
	lx.mu.Unlock()
	return s.learnMappings(ctx, lx, sp, mappings)
}

func (s *Store) learnMappings(ctx context.Context, lx *lexicon, sp *span, numbers []uint64) error {
	return learn(ctx, s, lx, sp, ofMapping, lx.mappings, numbers, func(n uint64, r *reader) {
		lx.all.Mappings = append(lx.all.Mappings, readMapping(r))
		lx.mappings[n] = uint32(len(lx.all.Mappings))
	})
}

// learnSites looks up sites and what they refer to: from the top down, and added
// from the bottom up.
func (s *Store) learnSites(ctx context.Context, lx *lexicon, sp *span, numbers []uint64) error {
	sites, err := s.lookUp(ctx, sp, ofSite, missing(lx, lx.sites, numbers))
	if err != nil || len(sites) == 0 {
		return err
	}
	var sets, places []uint64
	for i := range sites {
		r := reader{b: sites[i].bytes}
		if set := r.number(); set != 0 {
			sets = append(sets, set)
		}
		for len(r.b) > 0 {
			places = append(places, r.number())
		}
	}
	err = learn(ctx, s, lx, sp, ofLabels, lx.sets, sets, lx.addSet)
	if err != nil {
		return err
	}
	locations, err := s.lookUp(ctx, sp, ofLocation, missing(lx, lx.locations, places))
	if err != nil {
		return err
	}
	var mappings []uint64
	for i := range locations {
		r := reader{b: locations[i].bytes}
		if m := r.number(); m != 0 {
			mappings = append(mappings, m)
		}
	}
	if err := s.learnMappings(ctx, lx, sp, mappings); err != nil {
		return err
	}
	if err := lx.add(ofLocation, locations, lx.addLocation); err != nil {
		return err
	}
	return lx.add(ofSite, sites, lx.addSite)
}
