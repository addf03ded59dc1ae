package disk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
)

// A roll-up is the sum of all packed profiles of an owner that begin in a
// window. The owner is a series, or a crowd: the series of all instances. It is
// written in the batch that packs the profiles, so that at any time a roll-up has
// the packed profiles of its window, all of them, and the others are fresh.

// Levels of roll-ups. Windows begin at multiples of their length since 1970.
const (
	levelCrowdHour = 0
	levelCrowdDay  = 1
	levelDay       = 2 // of a series
	numLevels      = 3
)

const dayLength = 24 * hourLength

// levelLength is the length of a level's windows in ns.
func levelLength(level uint8) int64 {
	if level == levelCrowdHour {
		return hourLength
	}
	return dayLength
}

// windowOf returns the number of the window of a level that t is in.
func windowOf(level uint8, t int64) int32 {
	return int32(store.Window(t, levelLength(level)) / levelLength(level))
}

// A rollup is the head of a roll-up.
type rollup struct {
	profiles int64
	duration int64 // sum, ns
	first    int64 // earliest time
	latest   int64 // latest time of a profile's start
	last     int64 // latest time of a profile's end
	version  uint64
	totals   []int64
	schemas  []schemaUse // by schema
}

// schemaUse tells that profiles have a schema.
type schemaUse struct {
	schema uint32
	first  int64 // earliest time of such a profile
}

func (r *rollup) addHead(h *head, totals []int64) {
	one := rollup{profiles: 1, duration: h.duration, first: h.time, latest: h.time, last: h.time + h.duration, version: h.version(),
		totals: totals, schemas: []schemaUse{{h.schema, h.time}}}
	r.add(&one)
}

// add adds another roll-up of the same measures.
func (r *rollup) add(o *rollup) {
	if r.profiles == 0 {
		*r = *o
		r.totals, r.schemas = slices.Clone(o.totals), slices.Clone(o.schemas)
		return
	}
	r.profiles += o.profiles
	r.duration += o.duration
	r.first, r.latest, r.last = min(r.first, o.first), max(r.latest, o.latest), max(r.last, o.last)
	r.version += o.version
	for t, v := range o.totals {
		r.totals[t] += v
	}
	for _, u := range o.schemas {
		i, ok := slices.BinarySearchFunc(r.schemas, u, func(a, b schemaUse) int { return cmp.Compare(a.schema, b.schema) })
		if ok {
			r.schemas[i].first = min(r.schemas[i].first, u.first)
		} else {
			r.schemas = slices.Insert(r.schemas, i, u)
		}
	}
}

// The head of a roll-up is
//
//	1                                   version
//	profiles                            varint
//	duration first latest last          zigzag varints, ns
//	version                             8 bytes, little-endian
//	types total*                        varint, zigzag varints
//	schemas (schema first)*             varints, zigzag distance to first above
const rollupVersion = 1

func (r *rollup) append(b []byte) []byte {
	b = append(b, rollupVersion)
	b = binary.AppendUvarint(b, uint64(r.profiles))
	for _, v := range [...]int64{r.duration, r.first, r.latest, r.last} {
		b = appendVarint(b, v)
	}
	b = binary.LittleEndian.AppendUint64(b, r.version)
	b = binary.AppendUvarint(b, uint64(len(r.totals)))
	for _, v := range r.totals {
		b = appendVarint(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(r.schemas)))
	for _, u := range r.schemas {
		b = appendVarint(binary.AppendUvarint(b, uint64(u.schema)), u.first-r.first)
	}
	return b
}

func readRollup(value []byte) (*rollup, error) {
	r := reader{b: value}
	r.version(rollupVersion)
	u := &rollup{profiles: int64(r.uvarint()), duration: r.varint(), first: r.varint(), latest: r.varint(), last: r.varint()}
	if b := r.bytes(8); r.err == nil {
		u.version = binary.LittleEndian.Uint64(b)
	}
	u.totals = make([]int64, r.count(1))
	for t := range u.totals {
		u.totals[t] = r.varint()
	}
	u.schemas = make([]schemaUse, r.count(2))
	for i := range u.schemas {
		u.schemas[i] = schemaUse{r.u32(), u.first + r.varint()}
	}
	return u, r.end()
}

// sparse are sums by site.
type sparse struct {
	sites  []uint32 // rising
	values [][]int64
}

// merge returns a and b added up.
func (a *sparse) merge(b *sparse) *sparse {
	if len(a.sites) == 0 {
		return b
	}
	n := len(a.sites) + len(b.sites)
	out := &sparse{sites: make([]uint32, 0, n), values: make([][]int64, len(b.values))}
	for t := range out.values {
		out.values[t] = make([]int64, 0, n)
	}
	for i, k := 0, 0; i < len(a.sites) || k < len(b.sites); {
		switch {
		case k == len(b.sites) || i < len(a.sites) && a.sites[i] < b.sites[k]:
			out.sites = append(out.sites, a.sites[i])
			for t, col := range a.values {
				out.values[t] = append(out.values[t], col[i])
			}
			i++
		case i == len(a.sites) || b.sites[k] < a.sites[i]:
			out.sites = append(out.sites, b.sites[k])
			for t, col := range b.values {
				out.values[t] = append(out.values[t], col[k])
			}
			k++
		default:
			out.sites = append(out.sites, a.sites[i])
			for t, col := range a.values {
				out.values[t] = append(out.values[t], col[i]+b.values[t][k])
			}
			i++
			k++
		}
	}
	return out
}

// The samples of a roll-up are
//
//	1             version
//	types         number of value columns
//	size bytes*   sites, compressed: the distance to the one before, as varints
//	for each value column:
//	  mode        0 zeros; 1 column:varint factor:zigzag, an earlier column times
//	              a factor; 2 numbers, see ints.go
const sumsVersion = 1

func (a *sparse) append(b []byte) []byte {
	b = append(b, sumsVersion)
	b = binary.AppendUvarint(b, uint64(len(a.values)))
	var c []byte
	last := uint32(0)
	for _, site := range a.sites {
		c = binary.AppendUvarint(c, uint64(site-last))
		last = site
	}
	b = appendString(b, string(compress(nil, c)))
	for t, col := range a.values {
		b = a.appendColumn(b, t, col)
	}
	return b
}

func (a *sparse) appendColumn(b []byte, t int, col []int64) []byte {
	if !slices.ContainsFunc(col, func(v int64) bool { return v != 0 }) {
		return append(b, 0)
	}
	for u := range t {
		if k, ok := factor(a.values[u], col); ok {
			return appendVarint(binary.AppendUvarint(append(b, 1), uint64(u)), k)
		}
	}
	return appendInts(append(b, 2), col)
}

// readSparse decodes the samples of a roll-up: the columns wanted, one, or with
// -1 all.
func readSparse(value []byte, types, wanted, nSites int) (*sparse, error) {
	r := reader{b: value}
	r.version(sumsVersion)
	if n := r.uvarint(); r.err == nil && n != uint64(types) {
		r.fail("it has %d columns, and its profiles have %d", n, types)
	}
	list := reader{b: r.compressed()}
	if r.err != nil {
		return nil, r.err
	}
	a := &sparse{sites: make([]uint32, 0, len(list.b)), values: make([][]int64, types)}
	site := int64(0)
	for list.at < len(list.b) {
		site += int64(list.u32())
		if site >= int64(nSites) {
			list.fail("a sum is of site %d of %d", site, nSites)
			break
		}
		a.sites = append(a.sites, uint32(site))
	}
	if err := list.end(); err != nil {
		return nil, err
	}
	columns, err := r.columns(types, 2)
	if err != nil {
		return nil, err
	}
	for t := range columns {
		if wanted < 0 || t == wanted {
			if err := a.readColumn(columns, t); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

func (a *sparse) readColumn(columns []reader, t int) error {
	if a.values[t] != nil {
		return nil
	}
	r := columns[t]
	col := make([]int64, len(a.sites))
	a.values[t] = col
	switch r.byte() {
	case 1:
		of, k := r.below(max(t, 1)), r.varint()
		if t == 0 {
			r.fail("the first column is a product of another one")
		}
		if r.err != nil {
			return r.err
		}
		if err := a.readColumn(columns, int(of)); err != nil {
			return err
		}
		for i, v := range a.values[of] {
			col[i] = v * k
		}
	case 2:
		readInts(&r, col)
	}
	return r.end()
}

// addTo adds a to sums.
func (a *sparse) addTo(to *sums) {
	for _, site := range a.sites {
		to.seen[site/64] |= 1 << (site % 64)
	}
	for t, col := range to.values {
		if col == nil {
			continue
		}
		from := a.values[t][:len(a.sites)]
		for i, site := range a.sites {
			col[site] += from[i]
		}
	}
}

// get returns the value of a key, decoded by read. A key that isn't there is
// found false.
func get[T any](db pebble.Reader, key []byte, read func(value []byte) (T, error)) (v T, found bool, err error) {
	value, closer, err := db.Get(key)
	if err == pebble.ErrNotFound {
		return v, false, nil
	}
	if err != nil {
		return v, false, fmt.Errorf("%s: %w", keyName(key), err)
	}
	defer closer.Close()
	v, err = read(value)
	return v, true, inKey(key, err)
}
