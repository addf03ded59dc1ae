package format

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Block is the samples of some profiles of a series by site: row by row, and
// in a row by profile.
type Block struct {
	Profiles int
	sites    []uint32 // rising, one per row
	ends     []uint32 // of the rows in what follows
	places   []uint32 // profile of each entry, rising in a row
	values   [][]int64
}

// A Packer makes a block from profiles. To add a profile, fill the samples that Next returns.
type Packer struct {
	Profiles []Samples
	count    []uint32 // by site: number of entries, then place of the next one
}

// Reset removes the profiles. Their memory is used again.
func (p *Packer) Reset() { p.Profiles = p.Profiles[:0] }

// Next adds a profile and returns its samples, to be filled in. The memory may have been used
// before.
func (p *Packer) Next() *Samples {
	if len(p.Profiles) < cap(p.Profiles) {
		p.Profiles = p.Profiles[:len(p.Profiles)+1]
	} else {
		p.Profiles = append(p.Profiles, Samples{})
	}
	return &p.Profiles[len(p.Profiles)-1]
}

// Block returns a block with the profiles. types is the number of sample types. All sites must
// be below nSites.
func (p *Packer) Block(types, nSites int) *Block {
	p.count = zeroed(p.count, nSites)
	n := 0
	for i := range p.Profiles {
		n += len(p.Profiles[i].Sites)
		for _, site := range p.Profiles[i].Sites {
			p.count[site]++
		}
	}
	m := &Block{Profiles: len(p.Profiles)}
	at := uint32(0)
	for site, c := range p.count {
		if c != 0 {
			m.sites = append(m.sites, uint32(site))
			p.count[site] = at
			at += c
			m.ends = append(m.ends, at)
		}
	}
	m.places = make([]uint32, n)
	m.values = make([][]int64, types)
	for t := range m.values {
		m.values[t] = make([]int64, n)
	}
	twice := false
	for i := range p.Profiles {
		s := &p.Profiles[i]
		for k, site := range s.Sites {
			at := p.count[site]
			p.count[site]++
			m.places[at] = uint32(i)
			twice = twice || at > 0 && m.places[at-1] == uint32(i)
			for t, col := range s.Values {
				m.values[t][at] = col[k]
			}
		}
	}
	if twice {
		m.addUp()
	}
	return m
}

// Split adds the profiles of m to p. m must have all columns.
func (m *Block) Split(p *Packer) {
	first := len(p.Profiles)
	for range m.Profiles {
		p.Next().Reset(len(m.values))
	}
	start := uint32(0)
	for row, end := range m.ends {
		for i := start; i < end; i++ {
			s := &p.Profiles[first+int(m.places[i])]
			s.Sites = append(s.Sites, m.sites[row])
			for t, col := range m.values {
				s.Values[t] = append(s.Values[t], col[i])
			}
		}
		start = end
	}
}

// An Unpacked has the samples of a block, profile by profile.
type Unpacked struct {
	ends   []uint32 // of the profiles in what follows
	sites  []uint32
	values [][]int64 // nil for columns that the block was read without
}

// Unpack returns the samples of m, profile by profile.
func (m *Block) Unpack() *Unpacked {
	p := &Unpacked{ends: make([]uint32, m.Profiles), sites: make([]uint32, len(m.places)), values: make([][]int64, len(m.values))}
	for t, col := range m.values {
		if col != nil {
			p.values[t] = make([]int64, len(col))
		}
	}
	for _, i := range m.places {
		p.ends[i]++
	}
	at := uint32(0)
	for i, n := range p.ends { // where each begins, which moves on to its end
		p.ends[i] = at
		at += n
	}
	start := uint32(0)
	for row, end := range m.ends {
		for i := start; i < end; i++ {
			to := &p.ends[m.places[i]]
			p.sites[*to] = m.sites[row]
			for t, col := range p.values {
				if col != nil {
					col[*to] = m.values[t][i]
				}
			}
			*to++
		}
		start = end
	}
	return p
}

// Profiles returns the number of profiles.
func (p *Unpacked) Profiles() int { return len(p.ends) }

// Samples returns the samples of a profile. They share memory with p and must not be changed.
func (p *Unpacked) Samples(profile int) Samples {
	start := uint32(0)
	if profile > 0 {
		start = p.ends[profile-1]
	}
	end := p.ends[profile]
	s := Samples{Sites: p.sites[start:end], Values: make([][]int64, len(p.values))}
	for t, col := range p.values {
		if col != nil {
			s.Values[t] = col[start:end]
		}
	}
	return s
}

// Memory returns the approximate size in bytes.
func (p *Unpacked) Memory() int64 {
	n := int64(4 * (cap(p.ends) + cap(p.sites)))
	for _, col := range p.values {
		n += 8 * int64(cap(col))
	}
	return n
}

// addUp merges entries of the same site and profile.
func (m *Block) addUp() {
	to, start := 0, 0
	for row, end := range m.ends {
		first := to
		for i := start; i < int(end); i++ {
			if to > first && m.places[to-1] == m.places[i] {
				for _, col := range m.values {
					col[to-1] += col[i]
				}
				continue
			}
			m.places[to] = m.places[i]
			for _, col := range m.values {
				col[to] = col[i]
			}
			to++
		}
		m.ends[row], start = uint32(to), int(end)
	}
	m.places = m.places[:to]
	for t := range m.values {
		m.values[t] = m.values[t][:to]
	}
}

// Sums returns the sum of each row.
func (m *Block) Sums() *Sums {
	s := &Sums{sites: m.sites, Values: make([][]int64, len(m.values))}
	for t, col := range m.values {
		out := make([]int64, len(m.sites))
		start := uint32(0)
		for row, end := range m.ends {
			sum := int64(0)
			for _, v := range col[start:end] {
				sum += v
			}
			out[row], start = sum, end
		}
		s.Values[t] = out
	}
	return s
}

// A block is stored as
//
//	1             version
//	profiles      number of profiles
//	types         number of value columns
//	entries       number of samples
//	size bytes*   sites, compressed: the distance to the one before, then the
//	              number of entries of each row, as varints
//	size bytes*   places, compressed: of each row that doesn't have an entry of
//	              every profile, the profiles as the number of those left out
//	              before each, as varints
//	column*       one per sample type, see column.go; coded by rows:
//	  size bytes* compressed: the mode of each row, then what its mode needs
//	  size bytes* symbols, compressed: one byte per entry where the mode says so
//	  size bytes* bits
//
// where the mode of a row is
//
//	0             zeros
//	1 value       all entries have this value
//	2 column k    the entries of an earlier column times k
//	3             symbols are classes, see ints.go
//	4 n value*    symbols are indexes in the n values, which rise (at most 64)
//
// and +8 says of modes 1, 3 and 4 that the entries are the differences to the
// entry before: counters grow by little. What compresses is apart from what
// doesn't, so that the compressor's tables fit; see doc/design/0006-store.md
// for what was measured.
const blockVersion = 1

const (
	rowZero    = 0
	rowSame    = 1
	rowProduct = 2
	rowClasses = 3
	rowListed  = 4
	rowDeltas  = 8
)

// maxListed is the maximum number of different values in a list.
const maxListed = 64

// Append appends the encoded block to b.
func (m *Block) Append(b []byte) []byte {
	b = append(b, blockVersion)
	b = binary.AppendUvarint(b, uint64(m.Profiles))
	b = binary.AppendUvarint(b, uint64(len(m.values)))
	b = binary.AppendUvarint(b, uint64(len(m.places)))
	var c []byte
	last := uint32(0)
	for _, site := range m.sites {
		c = binary.AppendUvarint(c, uint64(site-last))
		last = site
	}
	start := uint32(0)
	for _, end := range m.ends {
		c = binary.AppendUvarint(c, uint64(end-start))
		start = end
	}
	b = appendString(b, string(compress(nil, c)))
	c = c[:0]
	start = 0
	for _, end := range m.ends {
		if int(end-start) < m.Profiles {
			next := uint32(0)
			for _, col := range m.places[start:end] {
				c = binary.AppendUvarint(c, uint64(col-next))
				next = col + 1
			}
		}
		start = end
	}
	b = appendString(b, string(compress(nil, c)))
	var e rowEncoder
	return appendColumns(b, m.values, func(b []byte, t int) []byte {
		e.modes, e.params, e.symbols, e.bits = e.modes[:0], e.params[:0], e.symbols[:0], bitWriter{b: e.bits.b[:0]}
		start := uint32(0)
		for _, end := range m.ends {
			e.row(m, t, start, end)
			start = end
		}
		b = appendString(b, string(compress(nil, append(e.modes, e.params...))))
		b = appendString(b, string(compress(nil, e.symbols)))
		e.bits.b = e.bits.end()
		return appendString(b, string(e.bits.b))
	})
}

// A rowEncoder encodes a value column row by row.
type rowEncoder struct {
	modes, params, symbols []byte
	bits                   bitWriter
	deltas                 []int64
	plain, differ          lister
}

func (e *rowEncoder) row(m *Block, t int, start, end uint32) {
	row := m.values[t][start:end]
	if of, k, ok := productOf(m.values, t, int(start), int(end)); ok {
		e.modes = append(e.modes, rowProduct)
		e.params = appendProduct(e.params, of, k)
		return
	}
	e.deltas = grown(e.deltas, len(row))
	last := int64(0)
	for i, v := range row {
		e.deltas[i] = v - last
		last = v
	}
	cost := e.plain.look(row)
	deltaCost := e.differ.look(e.deltas)
	mode, values, l := byte(0), row, &e.plain
	if deltaCost < cost {
		mode, values, l = rowDeltas, e.deltas, &e.differ
	}
	if l.listed {
		if len(l.values) == 1 {
			if l.values[0] == 0 {
				e.modes = append(e.modes, rowZero)
				return
			}
			e.modes = append(e.modes, rowSame|mode)
			e.params = appendVarint(e.params, l.values[0])
			return
		}
		e.modes = append(e.modes, rowListed|mode)
		e.params = append(e.params, byte(len(l.values)))
		last := int64(0)
		for _, v := range l.values {
			e.params = appendVarint(e.params, v-last)
			last = v
		}
		for _, v := range values {
			e.symbols = append(e.symbols, l.index(v))
		}
		return
	}
	e.modes = append(e.modes, rowClasses|mode)
	for _, v := range values {
		e.symbols = putInt(e.symbols, &e.bits, v)
	}
}

// A lister checks whether the values of a row are better stored as a list.
type lister struct {
	values []int64 // the different values, rising, if there are few
	listed bool    // a list is the better way
	slots  [4 * maxListed]struct {
		value int64
		round uint32
		index uint8
	}
	round uint32
}

func (l *lister) slot(v int64) int {
	i := int(uint64(v)*0x9e3779b97f4a7c15>>56) % len(l.slots)
	for l.slots[i].round == l.round && l.slots[i].value != v {
		i = (i + 1) % len(l.slots)
	}
	return i
}

// look returns the approximate size of the row in bits, with the better of the two encodings.
func (l *lister) look(row []int64) int {
	l.round++
	l.values, l.listed = l.values[:0], false
	plain := 0
	few := true
	for _, v := range row {
		plain += bits.Len64(zigzag(v)) + 2
		if !few {
			continue
		}
		i := l.slot(v)
		if l.slots[i].round != l.round {
			if len(l.values) == maxListed {
				few = false
				continue
			}
			l.slots[i].value, l.slots[i].round = v, l.round
			l.values = append(l.values, v)
		}
	}
	if !few {
		return plain
	}
	slices.Sort(l.values)
	cost := 8
	last := int64(0)
	for i, v := range l.values {
		l.slots[l.slot(v)].index = uint8(i)
		cost += (bits.Len64(zigzag(v-last))/7 + 1) * 7
		last = v
	}
	if len(l.values) > 1 {
		cost += len(row) * (bits.Len(uint(len(l.values))) + 1)
	}
	l.listed = cost < plain || len(l.values) == 1
	if l.listed {
		return cost
	}
	return plain
}

func (l *lister) index(v int64) byte { return l.slots[l.slot(v)].index }

// ReadBlock decodes a block with the given number of sample types. It decodes the value column
// wanted, or all columns for -1; the others stay nil. A site that is not below nSites is an
// error.
func ReadBlock(value []byte, types, wanted, nSites int) (*Block, error) {
	r := Reader{b: value}
	r.version(blockVersion)
	m := &Block{Profiles: int(r.u32())}
	if n := r.Uvarint(); r.err == nil && n != uint64(types) {
		r.Fail("it has %d columns, and its profiles have %d", n, types)
	}
	n := r.u32()
	head := Reader{b: r.compressed()}
	places := Reader{b: r.compressed()}
	if r.err != nil {
		return nil, r.err
	}
	// Half of what is there are distances and half are numbers of entries.
	site := int64(0)
	rows := 0
	for _, c := range head.b {
		if c < 0x80 {
			rows++
		}
	}
	if rows%2 != 0 {
		r.Fail("the last row is incomplete")
		return nil, r.err
	}
	rows /= 2
	m.sites, m.ends = make([]uint32, rows), make([]uint32, rows)
	for i := range m.sites {
		site += int64(head.u32())
		if site >= int64(nSites) {
			r.Fail("row %d refers to site %d of %d", i, site, nSites)
			return nil, r.err
		}
		m.sites[i] = uint32(site)
	}
	all := uint64(0)
	for i := range m.ends {
		all += uint64(head.u32())
		m.ends[i] = uint32(all)
	}
	if err := head.end(); err != nil {
		return nil, err
	}
	if all != uint64(n) || all > uint64(rows)*uint64(m.Profiles) {
		r.Fail("its rows have %d entries, not %d", all, n)
		return nil, r.err
	}
	m.places = make([]uint32, n)
	if err := m.readPlaces(&places); err != nil {
		return nil, err
	}
	m.values = make([][]int64, types)
	if err := readCoded(&r, m.values, int(n), wanted, 3, m.readRows); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Block) readPlaces(r *Reader) error {
	start := uint32(0)
	for _, end := range m.ends {
		row := m.places[start:end]
		switch {
		case len(row) == m.Profiles:
			for i := range row {
				row[i] = uint32(i)
			}
		case len(row) > m.Profiles:
			r.Fail("a row has %d entries for %d profiles", len(row), m.Profiles)
			return r.err
		default:
			next := uint64(0)
			for i := range row {
				next += r.Uvarint()
				if next >= uint64(m.Profiles) {
					r.Fail("an entry refers to profile %d of %d", next, m.Profiles)
					return r.err
				}
				row[i] = uint32(next)
				next++
			}
		}
		start = end
	}
	return r.end()
}

// readRows decodes column t, row by row.
func (m *Block) readRows(c *columns, r *Reader, t int, col []int64) {
	d := rowDecoder{params: Reader{b: r.compressed()}, symbols: r.compressed()}
	d.bits.b = r.Bytes(r.Count(1))
	modes := d.params.Bytes(len(m.ends))
	if r.err == nil {
		r.err = d.params.err
	}
	start := uint32(0)
	for i := 0; i < len(m.ends) && r.err == nil; i++ {
		row := col[start:m.ends[i]]
		if modes[i] == rowProduct {
			c.product(&d.params, t, row, int(start))
		} else {
			d.row(modes[i], row)
		}
		r.err, start = d.params.err, m.ends[i]
	}
	if r.err == nil {
		r.err = d.end()
	}
}

// A rowDecoder decodes rows of a value column.
type rowDecoder struct {
	params  Reader // what the modes need
	symbols []byte
	bits    bitReader
	list    [maxListed]int64
}

// row decodes a row in any mode except a product.
func (d *rowDecoder) row(mode byte, row []int64) {
	switch mode &^ rowDeltas {
	case rowZero:
	case rowSame:
		v := d.params.varint()
		for i := range row {
			row[i] = v
		}
	case rowClasses:
		for i, class := range d.take(len(row)) {
			row[i] = d.bits.getInt(class)
		}
	case rowListed:
		n := int(d.params.Byte())
		if n > maxListed {
			d.params.Fail("a list of %d values is too long", n)
			return
		}
		last := int64(0)
		for i := range n {
			last += d.params.varint()
			d.list[i] = last
		}
		for i, s := range d.take(len(row)) {
			if int(s) >= n {
				d.params.Fail("symbol %d is outside the list of %d values", s, n)
				return
			}
			row[i] = d.list[s]
		}
	default:
		d.params.Fail("unknown encoding of a row: %d", mode)
	}
	if mode&rowDeltas != 0 {
		sum := int64(0)
		for i, v := range row {
			sum += v
			row[i] = sum
		}
	}
}

// take returns the symbols of a row with n entries.
func (d *rowDecoder) take(n int) []byte {
	if len(d.symbols) < n {
		d.params.Fail("symbols are missing")
		return nil
	}
	symbols := d.symbols[:n]
	d.symbols = d.symbols[n:]
	return symbols
}

// end checks that everything was read.
func (d *rowDecoder) end() error {
	if len(d.symbols) > 0 {
		d.params.Fail("%d symbols are left over", len(d.symbols))
	}
	if d.bits.over {
		d.params.Fail("bits of numbers are missing")
	}
	return d.params.end()
}

// BlockProfiles returns the number of profiles in an encoded block without decoding the rest.
func BlockProfiles(value []byte) (int, error) {
	r := Reader{b: value}
	r.version(blockVersion)
	return r.Count(0), r.err
}

// AddTo adds profiles to a: those whose bit is set in profiles, or all if it is nil.
func (m *Block) AddTo(a *Adder, profiles []uint64) {
	start := uint32(0)
	if profiles == nil {
		for row, end := range m.ends {
			site := m.sites[row]
			a.seen[site/64] |= 1 << (site % 64)
			for t, to := range a.values {
				if to == nil {
					continue
				}
				sum := int64(0)
				for _, v := range m.values[t][start:end] {
					sum += v
				}
				to[site] += sum
			}
			start = end
		}
		return
	}
	for row, end := range m.ends {
		site := m.sites[row]
		chosen := false
		for t, to := range a.values {
			if to == nil {
				continue
			}
			sum := int64(0)
			col := m.values[t][start:end]
			for i, c := range m.places[start:end] {
				if profiles[c/64]>>(c%64)&1 != 0 {
					sum += col[i]
					chosen = true
				}
			}
			to[site] += sum
		}
		if chosen {
			a.seen[site/64] |= 1 << (site % 64)
		}
		start = end
	}
}

// Memory returns the approximate size in bytes.
func (m *Block) Memory() int64 {
	n := int64(4*cap(m.places) + 8*len(m.sites))
	for _, col := range m.values {
		n += 8 * int64(cap(col))
	}
	return n
}
