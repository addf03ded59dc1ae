package disk

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A matrix is the samples of some profiles of a series by site: row by row, and
// in a row by profile.
type matrix struct {
	profiles int
	sites    []uint32 // rising, one per row
	ends     []uint32 // of the rows in what follows
	columns  []uint32 // profile of each entry, rising in a row
	values   [][]int64
}

// A packer makes matrices of profiles.
type packer struct {
	profiles []samples
	entries  int
	count    []uint32 // by site: number of entries, then place of the next one
}

func (p *packer) reset() { p.profiles, p.entries = p.profiles[:0], 0 }

// next returns the memory for the samples of the next profile.
func (p *packer) next() *samples {
	if len(p.profiles) < cap(p.profiles) {
		p.profiles = p.profiles[:len(p.profiles)+1]
	} else {
		p.profiles = append(p.profiles, samples{})
	}
	return &p.profiles[len(p.profiles)-1]
}

// matrix returns the profiles' matrix, for sites below nSites.
func (p *packer) matrix(types, nSites int) *matrix {
	p.count = zeroed(p.count, nSites)
	n := 0
	for i := range p.profiles {
		n += len(p.profiles[i].sites)
		for _, site := range p.profiles[i].sites {
			p.count[site]++
		}
	}
	m := &matrix{profiles: len(p.profiles)}
	at := uint32(0)
	for site, c := range p.count {
		if c != 0 {
			m.sites = append(m.sites, uint32(site))
			p.count[site] = at
			at += c
			m.ends = append(m.ends, at)
		}
	}
	m.columns = make([]uint32, n)
	m.values = make([][]int64, types)
	for t := range m.values {
		m.values[t] = make([]int64, n)
	}
	twice := false
	for i := range p.profiles {
		s := &p.profiles[i]
		for k, site := range s.sites {
			at := p.count[site]
			p.count[site]++
			m.columns[at] = uint32(i)
			twice = twice || at > 0 && m.columns[at-1] == uint32(i)
			for t, col := range s.values {
				m.values[t][at] = col[k]
			}
		}
	}
	if twice {
		m.addUp()
	}
	return m
}

// split adds the profiles of m, with all their columns, to those of a packer.
func (m *matrix) split(p *packer) {
	first := len(p.profiles)
	for range m.profiles {
		s := p.next()
		s.sites = s.sites[:0]
		for len(s.values) < len(m.values) {
			s.values = append(s.values, nil)
		}
		s.values = s.values[:len(m.values)]
		for t := range s.values {
			s.values[t] = s.values[t][:0]
		}
	}
	start := uint32(0)
	for row, end := range m.ends {
		for i := start; i < end; i++ {
			s := &p.profiles[first+int(m.columns[i])]
			s.sites = append(s.sites, m.sites[row])
			for t, col := range m.values {
				s.values[t] = append(s.values[t], col[i])
			}
		}
		start = end
	}
}

// addUp makes one entry of several of a site and profile.
func (m *matrix) addUp() {
	to, start := 0, 0
	for row, end := range m.ends {
		first := to
		for i := start; i < int(end); i++ {
			if to > first && m.columns[to-1] == m.columns[i] {
				for _, col := range m.values {
					col[to-1] += col[i]
				}
				continue
			}
			m.columns[to] = m.columns[i]
			for _, col := range m.values {
				col[to] = col[i]
			}
			to++
		}
		m.ends[row], start = uint32(to), int(end)
	}
	m.columns = m.columns[:to]
	for t := range m.values {
		m.values[t] = m.values[t][:to]
	}
}

// sparse returns the sums of the rows.
func (m *matrix) sparse() *sparse {
	s := &sparse{sites: m.sites, values: make([][]int64, len(m.values))}
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
		s.values[t] = out
	}
	return s
}

// A block is a matrix on disk:
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
//	for each value column:
//	  mode        how it is stored: 0 all zeros; 1 column:varint factor:zigzag,
//	              an earlier column times a factor; 2 by rows:
//	  size bytes* rows, compressed: the mode of each row, then what its mode needs
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

// maxListed is the number of different values that are listed at most.
const maxListed = 64

func (m *matrix) append(b []byte) []byte {
	b = append(b, blockVersion)
	b = binary.AppendUvarint(b, uint64(m.profiles))
	b = binary.AppendUvarint(b, uint64(len(m.values)))
	b = binary.AppendUvarint(b, uint64(len(m.columns)))
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
		if int(end-start) < m.profiles {
			next := uint32(0)
			for _, col := range m.columns[start:end] {
				c = binary.AppendUvarint(c, uint64(col-next))
				next = col + 1
			}
		}
		start = end
	}
	b = appendString(b, string(compress(nil, c)))
	var e rowEncoder
	for t := range m.values {
		b = m.appendColumn(b, t, &e)
	}
	return b
}

func (m *matrix) appendColumn(b []byte, t int, e *rowEncoder) []byte {
	col := m.values[t]
	if !slices.ContainsFunc(col, func(v int64) bool { return v != 0 }) {
		return append(b, 0)
	}
	for u := range t {
		if k, ok := factor(m.values[u], col); ok {
			return appendVarint(binary.AppendUvarint(append(b, 1), uint64(u)), k)
		}
	}
	e.modes, e.params, e.symbols, e.bits = e.modes[:0], e.params[:0], e.symbols[:0], bitWriter{b: e.bits.b[:0]}
	start := uint32(0)
	for _, end := range m.ends {
		e.row(m, t, start, end)
		start = end
	}
	b = append(b, 2)
	b = appendString(b, string(compress(nil, append(e.modes, e.params...))))
	b = appendString(b, string(compress(nil, e.symbols)))
	e.bits.b = e.bits.end()
	return appendString(b, string(e.bits.b))
}

// A rowEncoder encodes a value column row by row.
type rowEncoder struct {
	modes, params, symbols []byte
	bits                   bitWriter
	deltas                 []int64
	plain, differ          lister
}

func (e *rowEncoder) row(m *matrix, t int, start, end uint32) {
	row := m.values[t][start:end]
	for u := range t {
		if k, ok := factor(m.values[u][start:end], row); ok {
			e.modes = append(e.modes, rowProduct)
			e.params = appendVarint(binary.AppendUvarint(e.params, uint64(u)), k)
			return
		}
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

// A lister looks for a short list of a row's values.
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

// look returns about how many bits a row takes the better way.
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

// readBlock decodes the value columns wanted of a block: one, or with -1 all.
// Sites are below nSites.
func readBlock(value []byte, types, wanted, nSites int) (*matrix, error) {
	r := reader{b: value}
	r.version(blockVersion)
	m := &matrix{profiles: int(r.u32())}
	if n := r.uvarint(); r.err == nil && n != uint64(types) {
		r.fail("it has %d columns, and its profiles have %d", n, types)
	}
	n := r.u32()
	head := reader{b: r.compressed()}
	places := reader{b: r.compressed()}
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
		r.fail("it has half a row")
		return nil, r.err
	}
	rows /= 2
	m.sites, m.ends = make([]uint32, rows), make([]uint32, rows)
	for i := range m.sites {
		site += int64(head.u32())
		if site >= int64(nSites) {
			r.fail("row %d is of site %d of %d", i, site, nSites)
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
	if all != uint64(n) || all > uint64(rows)*uint64(m.profiles) {
		r.fail("its rows have %d entries, not %d", all, n)
		return nil, r.err
	}
	m.columns = make([]uint32, n)
	if err := m.readPlaces(&places); err != nil {
		return nil, err
	}
	m.values = make([][]int64, types)
	columns, err := r.columns(types, 3)
	if err != nil {
		return nil, err
	}
	for t := range columns {
		if wanted < 0 || t == wanted {
			if err := m.readColumn(columns, t); err != nil {
				return nil, err
			}
		}
	}
	if wanted >= 0 {
		for t := range m.values {
			if t != wanted {
				m.values[t] = nil
			}
		}
	}
	return m, nil
}

func (m *matrix) readPlaces(r *reader) error {
	start := uint32(0)
	for _, end := range m.ends {
		row := m.columns[start:end]
		switch {
		case len(row) == m.profiles:
			for i := range row {
				row[i] = uint32(i)
			}
		case len(row) > m.profiles:
			r.fail("a row has %d entries of %d profiles", len(row), m.profiles)
			return r.err
		default:
			next := uint64(0)
			for i := range row {
				next += r.uvarint()
				if next >= uint64(m.profiles) {
					r.fail("an entry is of profile %d of %d", next, m.profiles)
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

// readColumn decodes column t, and those it depends on.
func (m *matrix) readColumn(columns []reader, t int) error {
	if m.values[t] != nil {
		return nil
	}
	r := columns[t]
	col := make([]int64, len(m.columns))
	m.values[t] = col
	switch r.byte() {
	case 1:
		of, k := r.below(max(t, 1)), r.varint()
		if t == 0 {
			r.fail("the first column is a product of another one")
		}
		if r.err != nil {
			return r.err
		}
		if err := m.readColumn(columns, int(of)); err != nil {
			return err
		}
		for i, v := range m.values[of] {
			col[i] = v * k
		}
	case 2:
		rows := reader{b: r.compressed()}
		symbols := r.compressed()
		in := bitReader{b: r.bytes(r.count(1))}
		modes := rows.bytes(len(m.ends))
		if err := cmp.Or(r.err, rows.err); err != nil {
			return err
		}
		start := uint32(0)
		var list [maxListed]int64
		for i, end := range m.ends {
			row := col[start:end]
			mode := modes[i]
			switch mode &^ rowDeltas {
			case rowZero:
			case rowSame:
				v := rows.varint()
				for i := range row {
					row[i] = v
				}
			case rowProduct:
				of, k := rows.below(max(t, 1)), rows.varint()
				if t == 0 {
					rows.fail("a row of the first column is a product of another one")
				}
				if rows.err != nil {
					return rows.err
				}
				if err := m.readColumn(columns, int(of)); err != nil {
					return err
				}
				for i, v := range m.values[of][start:end] {
					row[i] = v * k
				}
			case rowClasses:
				if len(symbols) < len(row) {
					rows.fail("symbols are missing")
					break
				}
				for i, c := range symbols[:len(row)] {
					row[i] = in.getInt(c)
				}
				symbols = symbols[len(row):]
			case rowListed:
				n := int(rows.byte())
				if n > maxListed || len(symbols) < len(row) {
					rows.fail("a list of %d values is too long, or symbols are missing", n)
					break
				}
				last := int64(0)
				for i := range n {
					last += rows.varint()
					list[i] = last
				}
				for i, s := range symbols[:len(row)] {
					if int(s) >= n {
						rows.fail("symbol %d is behind a list of %d values", s, n)
						break
					}
					row[i] = list[s]
				}
				symbols = symbols[len(row):]
			default:
				rows.fail("a row is stored in an unknown way, %d", mode)
			}
			if mode&rowDeltas != 0 {
				sum := int64(0)
				for i, v := range row {
					sum += v
					row[i] = sum
				}
			}
			start = end
		}
		if len(symbols) > 0 {
			rows.fail("%d symbols are left over", len(symbols))
		}
		if in.over {
			rows.fail("bits of numbers are missing")
		}
		if err := rows.end(); err != nil {
			return err
		}
	}
	return r.end()
}

// addTo adds the entries of the profiles with their bit set to sums; nil is all.
func (m *matrix) addTo(a *sums, profiles []uint64) {
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
		any := false
		for t, to := range a.values {
			if to == nil {
				continue
			}
			sum := int64(0)
			col := m.values[t][start:end]
			for i, c := range m.columns[start:end] {
				if profiles[c/64]>>(c%64)&1 != 0 {
					sum += col[i]
					any = true
				}
			}
			to[site] += sum
		}
		if any {
			a.seen[site/64] |= 1 << (site % 64)
		}
		start = end
	}
}
