package format

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A roll-up is the sum of all packed profiles of an owner that begin in a
// window. The owner is a series, or a fleet: the series of all instances. It is
// written in the batch that packs the profiles, so that at any time a roll-up has
// the packed profiles of its window, all of them, and the others are fresh.

// Levels of roll-ups. Windows begin at multiples of their length since 1970.
const (
	LevelFleetHour = 0
	LevelFleetDay  = 1
	LevelSeriesDay = 2 // of a series
	NumLevels      = 3
)

const dayLength = 24 * hourLength

// levelLength returns the length of a level's windows in ns.
func levelLength(level uint8) int64 {
	if level == LevelFleetHour {
		return hourLength
	}
	return dayLength
}

// WindowOf returns the number of the level's window that contains t, in ns since 1970.
func WindowOf(level uint8, t int64) int32 {
	return int32(windowOf(t, levelLength(level)))
}

// A Rollup is a roll-up without its sums by site; see Sums. Times are in ns since 1970.
type Rollup struct {
	Profiles int64
	Duration int64 // sum, ns
	First    int64 // earliest time
	Latest   int64 // latest time of a profile's start
	Last     int64 // latest time of a profile's end
	Version  uint64
	Totals   []int64
	Schemas  []SchemaUse // by schema
}

// A SchemaUse says that some of the profiles have a schema.
type SchemaUse struct {
	Schema uint32
	First  int64 // earliest time of such a profile
}

// AddHead adds a profile.
func (r *Rollup) AddHead(h *Head, totals []int64) {
	one := Rollup{Profiles: 1, Duration: h.Duration, First: h.Time, Latest: h.Time, Last: h.Time + h.Duration, Version: h.Version(),
		Totals: totals, Schemas: []SchemaUse{{h.Schema, h.Time}}}
	r.Add(&one)
}

// Add adds another roll-up with the same measures. It doesn't keep o's slices.
func (r *Rollup) Add(o *Rollup) {
	if r.Profiles == 0 {
		*r = *o
		r.Totals, r.Schemas = slices.Clone(o.Totals), slices.Clone(o.Schemas)
		return
	}
	r.Profiles += o.Profiles
	r.Duration += o.Duration
	r.First, r.Latest, r.Last = min(r.First, o.First), max(r.Latest, o.Latest), max(r.Last, o.Last)
	r.Version += o.Version
	for t, v := range o.Totals {
		r.Totals[t] += v
	}
	for _, u := range o.Schemas {
		i, ok := slices.BinarySearchFunc(r.Schemas, u, func(a, b SchemaUse) int { return cmp.Compare(a.Schema, b.Schema) })
		if ok {
			r.Schemas[i].First = min(r.Schemas[i].First, u.First)
		} else {
			r.Schemas = slices.Insert(r.Schemas, i, u)
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

// Append appends the encoded roll-up to b.
func (r *Rollup) Append(b []byte) []byte {
	b = append(b, rollupVersion)
	b = binary.AppendUvarint(b, uint64(r.Profiles))
	for _, v := range [...]int64{r.Duration, r.First, r.Latest, r.Last} {
		b = appendVarint(b, v)
	}
	b = binary.LittleEndian.AppendUint64(b, r.Version)
	b = binary.AppendUvarint(b, uint64(len(r.Totals)))
	for _, v := range r.Totals {
		b = appendVarint(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Schemas)))
	for _, u := range r.Schemas {
		b = appendVarint(binary.AppendUvarint(b, uint64(u.Schema)), u.First-r.First)
	}
	return b
}

// ReadRollup decodes a roll-up.
func ReadRollup(value []byte) (*Rollup, error) {
	r := Reader{b: value}
	r.version(rollupVersion)
	u := &Rollup{Profiles: int64(r.Uvarint()), Duration: r.varint(), First: r.varint(), Latest: r.varint(), Last: r.varint()}
	if b := r.Bytes(8); r.err == nil {
		u.Version = binary.LittleEndian.Uint64(b)
	}
	u.Totals = make([]int64, r.Count(1))
	for t := range u.Totals {
		u.Totals[t] = r.varint()
	}
	u.Schemas = make([]SchemaUse, r.Count(2))
	for i := range u.Schemas {
		u.Schemas[i] = SchemaUse{r.u32(), u.First + r.varint()}
	}
	return u, r.end()
}

// Sums are the values of a roll-up by site. They have only sites that occur.
type Sums struct {
	sites  []uint32 // rising
	Values [][]int64
}

// Merge returns the sum of a and b. If a is empty, it returns b itself. Otherwise, the result
// is new.
func (a *Sums) Merge(b *Sums) *Sums {
	if len(a.sites) == 0 {
		return b
	}
	n := len(a.sites) + len(b.sites)
	out := &Sums{sites: make([]uint32, 0, n), Values: make([][]int64, len(b.Values))}
	for t := range out.Values {
		out.Values[t] = make([]int64, 0, n)
	}
	for i, k := 0, 0; i < len(a.sites) || k < len(b.sites); {
		switch {
		case k == len(b.sites) || i < len(a.sites) && a.sites[i] < b.sites[k]:
			out.sites = append(out.sites, a.sites[i])
			for t, col := range a.Values {
				out.Values[t] = append(out.Values[t], col[i])
			}
			i++
		case i == len(a.sites) || b.sites[k] < a.sites[i]:
			out.sites = append(out.sites, b.sites[k])
			for t, col := range b.Values {
				out.Values[t] = append(out.Values[t], col[k])
			}
			k++
		default:
			out.sites = append(out.sites, a.sites[i])
			for t, col := range a.Values {
				out.Values[t] = append(out.Values[t], col[i]+b.Values[t][k])
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
//	column*       one per sample type, see column.go; coded: numbers, see ints.go
const sumsVersion = 1

// Append appends the encoded sums to b.
func (a *Sums) Append(b []byte) []byte {
	b = append(b, sumsVersion)
	b = binary.AppendUvarint(b, uint64(len(a.Values)))
	var c []byte
	last := uint32(0)
	for _, site := range a.sites {
		c = binary.AppendUvarint(c, uint64(site-last))
		last = site
	}
	b = appendString(b, string(compress(nil, c)))
	return appendColumns(b, a.Values, func(b []byte, t int) []byte { return appendInts(b, a.Values[t]) })
}

// ReadSums decodes sums with the given number of sample types. It decodes the column wanted, or
// all columns for -1. A site that is not below nSites is an error.
func ReadSums(value []byte, types, wanted, nSites int) (*Sums, error) {
	r := Reader{b: value}
	r.version(sumsVersion)
	if n := r.Uvarint(); r.err == nil && n != uint64(types) {
		r.Fail("it has %d columns, and its profiles have %d", n, types)
	}
	list := Reader{b: r.compressed()}
	if r.err != nil {
		return nil, r.err
	}
	a := &Sums{sites: make([]uint32, 0, len(list.b)), Values: make([][]int64, types)}
	site := int64(0)
	for list.at < len(list.b) {
		site += int64(list.u32())
		if site >= int64(nSites) {
			list.Fail("a sum refers to site %d of %d", site, nSites)
			break
		}
		a.sites = append(a.sites, uint32(site))
	}
	if err := list.end(); err != nil {
		return nil, err
	}
	err := readCoded(&r, a.Values, len(a.sites), wanted, 2, func(_ *columns, r *Reader, _ int, col []int64) { readInts(r, col) })
	if err != nil {
		return nil, err
	}
	return a, nil
}

// AddTo adds the sums to an adder.
func (a *Sums) AddTo(to *Adder) {
	for _, site := range a.sites {
		to.seen[site/64] |= 1 << (site % 64)
	}
	for t, col := range to.values {
		if col == nil {
			continue
		}
		from := a.Values[t][:len(a.sites)]
		for i, site := range a.sites {
			col[site] += from[i]
		}
	}
}

// Memory returns the approximate size in bytes.
func (a *Sums) Memory() int64 {
	n := int64(4 * cap(a.sites))
	for _, col := range a.Values {
		n += 8 * int64(cap(col))
	}
	return n
}

// Equal reports whether a and b have the same sites and values.
func (a *Sums) Equal(b *Sums) bool {
	return slices.Equal(a.sites, b.sites) && slices.EqualFunc(a.Values, b.Values, slices.Equal[[]int64])
}
