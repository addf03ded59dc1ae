package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/store"
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

func servicesTable(services []string) tempTable {
	rows := newBlock("service", "String")
	for _, s := range services {
		rows.col("service").string(s)
	}
	return tempTable{"services", rows}
}

// sortedSet returns what all has, sorted and once each.
func sortedSet[T cmp.Ordered](all []T) []T { return slices.Compact(slices.Sorted(slices.Values(all))) }

// A lookup finds what the numbers of a question mean: in a lexicon, and what is not there
// yet in the dictionary, from where it comes into the lexicon.
type lookup struct {
	client  *client
	lexicon *lexicon
	span    span
}

// maxLookup bounds the numbers that one statement looks up.
const maxLookup = 100_000

// contentsStatement asks what the dictionary has of numbers.
func contentsStatement(sp *span, what uint8, numbers []uint64) *statement {
	rows := newBlock("number", "UInt64")
	for _, n := range numbers {
		rows.col("number").uint64(n)
	}
	return &statement{
		out: outputs("number", "sum", "content"),
		sql: "FROM dictionary WHERE " + sp.condition(what) +
			" AND service IN (SELECT service FROM services) AND number IN (SELECT number FROM numbers)",
		tables: []tempTable{servicesTable(sp.services), {"numbers", rows}},
	}
}

// contents returns the contents of those numbers that the store knows, once each.
func (l *lookup) contents(ctx context.Context, what uint8, numbers []uint64) ([]content, error) {
	var out []content
	for chunk := range slices.Chunk(numbers, maxLookup) {
		a, err := l.client.exec(ctx, contentsStatement(&l.span, what, chunk))
		if err != nil {
			return nil, err
		}
		sums := make(map[uint64]uint64, len(chunk))
		number, sum, text := a.col("number"), a.col("sum"), a.col("content")
		for i := range a.rows {
			n := number.words[i]
			// A number is in the store once a week and service, and more often until
			// the engine has merged what came twice.
			if before, ok := sums[n]; !ok {
				sums[n] = sum.words[i]
				out = append(out, content{n, []byte(text.texts[i])})
			} else if before != sum.words[i] {
				return nil, fmt.Errorf("the dictionary has two contents of number %d (what: %d): its key is known to somebody, or it is the one in 10^7 stores where that happens", n, what)
			}
		}
	}
	return out, nil
}

// all returns the contents of numbers, which stand once each, or an error if the store
// doesn't know one of them.
func (l *lookup) all(ctx context.Context, what uint8, numbers []uint64) ([]content, error) {
	out, err := l.contents(ctx, what, numbers)
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

// learn looks up the numbers that known, a map of the lexicon, doesn't have. It calls add,
// with the lexicon locked, for each of them that has not been added meanwhile.
func learn[T any](ctx context.Context, l *lookup, what uint8, known map[uint64]T, numbers []uint64, add func(n uint64, r *reader)) error {
	contents, err := l.all(ctx, what, missing(l.lexicon, known, numbers))
	if err != nil {
		return err
	}
	return l.lexicon.add(what, contents, func(n uint64, r *reader) {
		if _, ok := known[n]; !ok {
			add(n, r)
		}
	})
}

// series returns the labels of series that were found in the dictionary. What one replica tells
// another may not have yet; then no Put with it has been acknowledged, and it is left out.
func (l *lookup) series(ctx context.Context, numbers []uint64) (map[uint64]store.Labels, error) {
	lx := l.lexicon
	contents, err := l.contents(ctx, ofSeries, missing(lx, lx.series, numbers))
	if err != nil {
		return nil, err
	}
	if err := lx.add(ofSeries, contents, func(n uint64, r *reader) { lx.series[n] = readSeries(r) }); err != nil {
		return nil, err
	}
	return known(lx, lx.series, numbers), nil
}

// headers returns headers by their numbers. Their main mappings are in the lexicon then.
func (l *lookup) headers(ctx context.Context, numbers []uint64) (map[uint64]*header, error) {
	lx := l.lexicon
	err := learn(ctx, l, ofHeader, lx.headers, numbers, func(n uint64, r *reader) {
		lx.headers[n] = readHeader(r)
		lx.headers[n].number = n
	})
	if err != nil {
		return nil, err
	}
	headers := known(lx, lx.headers, numbers)
	var mappings []uint64
	for _, h := range headers {
		if h.mainMapping != 0 {
			mappings = append(mappings, h.mainMapping)
		}
	}
	return headers, l.mappings(ctx, mappings)
}

// mappings brings mappings into the lexicon.
func (l *lookup) mappings(ctx context.Context, numbers []uint64) error {
	return learn(ctx, l, ofMapping, l.lexicon.mappings, numbers, l.lexicon.addMapping)
}

// sites brings sites into the lexicon, and what they refer to: looked up from the top down,
// and added from the bottom up.
func (l *lookup) sites(ctx context.Context, numbers []uint64) error {
	lx := l.lexicon
	sites, err := l.all(ctx, ofSite, missing(lx, lx.sites, numbers))
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
	if err := learn(ctx, l, ofLabels, lx.sets, sets, lx.addSet); err != nil {
		return err
	}
	locations, err := l.all(ctx, ofLocation, missing(lx, lx.locations, places))
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
	if err := l.mappings(ctx, mappings); err != nil {
		return err
	}
	if err := lx.add(ofLocation, locations, lx.addLocation); err != nil {
		return err
	}
	return lx.add(ofSite, sites, lx.addSite)
}
