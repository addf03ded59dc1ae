package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A span limits a search in the dictionary to weeks and services.
type span struct {
	first, last int32 // weeks
	services    []string
}

// condition returns the condition that selects rows of the dictionary.
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

// sortedSet returns the distinct elements of all, sorted.
func sortedSet[T cmp.Ordered](all []T) []T { return slices.Compact(slices.Sorted(slices.Values(all))) }

// A lookup finds the meaning of the numbers in an answer: in the lexicon, or else in the
// dictionary, from where it adds them to the lexicon.
type lookup struct {
	client  *client
	lexicon *lexicon
	span    span
}

// maxLookup limits the number of entries that one statement looks up.
const maxLookup = 100_000

// contentsStatement returns a statement that reads dictionary entries by number.
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

// contents returns the contents of those numbers that are in the dictionary, each once.
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
				return nil, fmt.Errorf("the dictionary has two entries with number %d (what: %d): somebody knows its key, or this is the one store in 10^7 where it happens by chance", n, what)
			}
		}
	}
	return out, nil
}

// all returns the contents of numbers, which must be distinct. It fails if one of them is not
// in the dictionary.
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
			err = fmt.Errorf("the dictionary has no entry with number %d (what: %d), which profiles refer to: rows were removed from it", n, what)
		}
	}
	return nil, err
}

// learn looks up the numbers that are not in known, a map of the lexicon. It calls add with the
// lexicon locked, for each number that has not been added in the meantime.
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

// series returns labels of series by number. It leaves out a number that isn't in the
// dictionary. That happens if another replica is ahead; then no Put of a profile with that
// series has returned yet.
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

// headers returns headers by number, and adds their main mappings to the lexicon.
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

// mappings adds mappings to the lexicon.
func (l *lookup) mappings(ctx context.Context, numbers []uint64) error {
	return learn(ctx, l, ofMapping, l.lexicon.mappings, numbers, l.lexicon.addMapping)
}

// sites adds sites to the lexicon, with everything they refer to.
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
