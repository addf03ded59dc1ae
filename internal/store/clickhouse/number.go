package clickhouse

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// What profiles have in common is known by its number, which is a hash of what it
// is: every node gives the same one without asking anybody. Numbers have 64 bits and
// depend on a key in the tables, so nobody outside can aim at a collision, and by
// chance a million stacks have one in 4*10^7 times. A collision is noticed when the
// number is looked up; see lexicon.

// What a row of the dictionary is of.
const (
	ofSeries   = 1 + iota // labels of profiles
	ofHeader              // what a profile has beside samples
	ofMapping             // a binary
	ofLocation            // a place in a binary, with its lines
	ofLabels              // labels of samples
	ofSite                // a stack with labels of samples
)

// keySize is the size of a key in bytes.
const keySize = 4 * 8

// A key makes numbers that nobody foresees who doesn't know it.
type key [4]uint64

// text returns a number of a text. What it is based on is cryptographic: texts are
// what comes from outside in any number.
func (k *key) text(s string) uint64 {
	var buf [512]byte
	b := binary.LittleEndian.AppendUint64(buf[:0], k[0])
	b = binary.LittleEndian.AppendUint64(b, k[1])
	sum := sha256.Sum256(append(b, s...))
	return binary.LittleEndian.Uint64(sum[:])
}

// begin begins a number of something that consists of numbers.
func (k *key) begin(what uint64) uint64 { return hashing.Mix(k[2], what^k[3]) }

// add adds the next number.
func (k *key) add(h, v uint64) uint64 { return hashing.Mix(h^k[2], v^k[3]) }

// end ends a number. It is never 0.
func (k *key) end(h uint64) uint64 { return max(hashing.Mix(h, k[0]), 1) }

// A word is a row of the dictionary that may be missing in the store.
type word struct {
	week    int32
	what    uint8
	service string
	number  uint64
	content []byte
}

// known is what a word is remembered by.
func (k *key) known(week int32, what uint8, service, number uint64) uint64 {
	return k.add(k.add(k.add(number, service), uint64(uint32(week))), uint64(what))
}

// A numberer numbers what a profile consists of.
type numberer struct {
	key     *key
	known   func(uint64) bool // whether a word needn't be sent
	week    int32
	service string
	at      uint64 // number of the service
	words   []word
	noted   map[uint64]bool // words that are in words

	p         *profile.Profile
	strings   []uint64 // numbers of the profile's strings and so on; 0 is not known yet
	functions []uint64
	mappings  []uint64
	locations []uint64
	sets      []uint64
}

func (n *numberer) begin(p *profile.Profile, week int32, service string) {
	n.p, n.week, n.service, n.at = p, week, service, n.key.text(service)
	n.strings = zeroed(n.strings, len(p.Strings))
	n.functions = zeroed(n.functions, len(p.Functions))
	n.mappings = zeroed(n.mappings, len(p.Mappings))
	n.locations = zeroed(n.locations, len(p.Locations))
	n.sets = zeroed(n.sets, len(p.LabelSets))
}

func zeroed(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// note adds a word unless the store has it.
func (n *numberer) note(what uint8, number uint64, content func() []byte) {
	k := n.key.known(n.week, what, n.at, number)
	if n.known(k) || n.noted[k] {
		return
	}
	n.noted[k] = true
	n.words = append(n.words, word{n.week, what, n.service, number, content()})
}

func (n *numberer) str(id profile.StringID) uint64 {
	if n.strings[id] == 0 {
		n.strings[id] = n.key.text(n.p.Strings[id])
	}
	return n.strings[id]
}

func (n *numberer) function(i uint32) uint64 {
	if n.functions[i] == 0 {
		f := &n.p.Functions[i]
		k := n.key
		n.functions[i] = k.end(k.add(k.add(k.add(k.add(k.begin(100), n.str(f.Name)), n.str(f.SystemName)), n.str(f.File)), uint64(f.StartLine)))
	}
	return n.functions[i]
}

// mapping returns the number of a mapping, given by its index plus 1. What tells
// mappings apart is what [profile.Mapping.Key] says.
func (n *numberer) mapping(i uint32) uint64 {
	if i == 0 {
		return 0
	}
	if n.mappings[i-1] == 0 {
		m := &n.p.Mappings[i-1]
		k := n.key
		size := m.Limit - m.Start + 0xfff
		h := k.add(k.add(k.add(k.begin(ofMapping), size-size%0x1000), m.Offset), k.text(cmp.Or(m.BuildID, m.File)))
		n.mappings[i-1] = k.end(h)
		n.note(ofMapping, n.mappings[i-1], func() []byte { return appendMapping(nil, m) })
	}
	return n.mappings[i-1]
}

func (n *numberer) location(i uint32) uint64 {
	if n.locations[i] == 0 {
		p, k := n.p, n.key
		l := &p.Locations[i]
		mapping, address := n.mapping(l.Mapping), l.Address
		if l.Mapping != 0 {
			address -= p.Mappings[l.Mapping-1].Start
		}
		folded := uint64(0)
		if l.Folded {
			folded = 1
		}
		h := k.add(k.add(k.add(k.begin(ofLocation), mapping), address), folded)
		lines := p.LocationLines(i)
		for _, ln := range lines {
			h = k.add(k.add(k.add(h, n.function(ln.Function)), uint64(ln.Line)), uint64(ln.Column))
		}
		n.locations[i] = k.end(h)
		n.note(ofLocation, n.locations[i], func() []byte { return appendLocation(nil, p, mapping, address, l.Folded, lines) })
	}
	return n.locations[i]
}

// labels returns the number of a set of labels, 0 for none.
func (n *numberer) labels(set uint32) uint64 {
	p := n.p
	s := p.LabelSets[set]
	if s.Len == 0 {
		return 0
	}
	if n.sets[set] == 0 {
		k := n.key
		labels := p.Labels[s.Start : s.Start+s.Len]
		h := k.begin(ofLabels)
		for i := range labels {
			l := &labels[i]
			h = k.add(k.add(k.add(k.add(k.add(h, n.str(l.Key)), n.str(l.Str)), n.str(l.Unit)), uint64(l.Num)), uint64(labelFlags(l)))
		}
		n.sets[set] = k.end(h)
		n.note(ofLabels, n.sets[set], func() []byte { return appendLabels(nil, p.Strings, labels) })
	}
	return n.sets[set]
}

// site returns the number of a sample's stack and labels.
func (n *numberer) site(s int) uint64 {
	p, k := n.p, n.key
	labels := uint64(0)
	if p.SampleLabels != nil {
		labels = n.labels(p.SampleLabels[s])
	}
	h := k.add(k.begin(ofSite), labels)
	stack := p.Stack(s)
	for _, l := range stack {
		at := n.locations[l]
		if at == 0 {
			at = n.location(l)
		}
		h = k.add(h, at)
	}
	number := k.end(h)
	n.note(ofSite, number, func() []byte {
		b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+8*len(stack)), labels)
		for _, l := range stack {
			b = binary.LittleEndian.AppendUint64(b, n.locations[l])
		}
		return b
	})
	return number
}

// header returns the number of what the profile has beside samples.
func (n *numberer) header() uint64 {
	main := uint64(0)
	if len(n.p.Mappings) > 0 {
		main = n.mapping(1) // the main program's
	}
	content := appendHeader(nil, n.p, main)
	return n.whole(ofHeader, content)
}

// series returns the number of labels of a profile.
func (n *numberer) series(labels store.Labels) uint64 {
	var b []byte
	for _, l := range labels {
		b = appendString(appendString(b, l.Name), l.Value)
	}
	return n.whole(ofSeries, b)
}

// whole returns the number of something by its content.
func (n *numberer) whole(what uint8, content []byte) uint64 {
	number := n.key.end(n.key.add(n.key.begin(uint64(what)), n.key.text(string(content))))
	n.note(what, number, func() []byte { return content })
	return number
}

// contentSum tells contents of one number apart. Mappings are known by less than
// they have: where a program is loaded is of one process.
func contentSum(what uint8, content []byte) uint64 {
	if what == ofMapping {
		return 0
	}
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:])
}

// Contents. Numbers of things are 8 bytes, little-endian; other numbers are varints,
// those of int64 zigzag; a string is its length and its bytes.
//
//	series    (name string, value string)...
//	header    types uvarint, (type string, unit string)..., period type string, its unit string, default type string,
//	          url string, drop string, keep string, period int64, comments uvarint, string..., main mapping number or 0
//	mapping   flags uint8, start, limit, offset uvarint, file string, build id string
//	location  mapping number or 0, address in it uvarint, folded uint8, lines uvarint,
//	          (name string, system name string, file string, start line, line, column int64)...
//	labels    count uvarint, (flags uint8, key string, value string, unit string, number int64)...
//	site      labels number or 0, location number..., leaf first

func appendMapping(b []byte, m *profile.Mapping) []byte {
	flags := byte(0)
	for i, f := range [...]bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	for _, v := range [...]uint64{m.Start, m.Limit, m.Offset} {
		b = binary.AppendUvarint(b, v)
	}
	return appendString(appendString(b, m.File), m.BuildID)
}

func readMapping(r *reader) (m profile.Mapping) {
	flags := r.byte()
	m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	m.Start, m.Limit, m.Offset = r.uvarint(), r.uvarint(), r.uvarint()
	m.File, m.BuildID = r.string(), r.string()
	return m
}

func appendLocation(b []byte, p *profile.Profile, mapping, address uint64, folded bool, lines []profile.Line) []byte {
	b = binary.LittleEndian.AppendUint64(b, mapping)
	b = binary.AppendUvarint(b, address)
	if folded {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(lines)))
	for _, ln := range lines {
		f := &p.Functions[ln.Function]
		b = appendString(appendString(appendString(b, p.Strings[f.Name]), p.Strings[f.SystemName]), p.Strings[f.File])
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, f.StartLine), ln.Line), ln.Column)
	}
	return b
}

func labelFlags(l *profile.Label) (flags uint8) {
	if l.Numeric {
		flags = 1
	}
	if l.HasUnit {
		flags |= 2
	}
	return flags
}

func appendLabels(b []byte, strings []string, labels []profile.Label) []byte {
	b = binary.AppendUvarint(b, uint64(len(labels)))
	for i := range labels {
		l := &labels[i]
		b = append(b, labelFlags(l))
		b = appendString(appendString(appendString(b, strings[l.Key]), strings[l.Str]), strings[l.Unit])
		b = binary.AppendVarint(b, l.Num)
	}
	return b
}

func appendHeader(b []byte, p *profile.Profile, mainMapping uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.SampleTypes)))
	for _, t := range p.SampleTypes {
		b = appendString(appendString(b, t.Type), t.Unit)
	}
	for _, s := range [...]string{p.PeriodType.Type, p.PeriodType.Unit, p.DefaultSampleType, p.DocURL, p.DropFrames, p.KeepFrames} {
		b = appendString(b, s)
	}
	b = binary.AppendVarint(b, p.Period)
	b = binary.AppendUvarint(b, uint64(len(p.Comments)))
	for _, c := range p.Comments {
		b = appendString(b, c)
	}
	return binary.LittleEndian.AppendUint64(b, mainMapping)
}

// A header is what a profile has beside samples.
type header struct {
	profile.Profile // its header alone
	number          uint64
	mainMapping     uint64 // number, 0 for none
}

// measures reports whether profiles with the two headers can be added up.
func (h *header) measures(o *header) bool {
	return h.PeriodType == o.PeriodType && slices.Equal(h.SampleTypes, o.SampleTypes)
}

func readHeader(r *reader) *header {
	h := &header{}
	h.SampleTypes = make([]profile.ValueType, r.count(2))
	for i := range h.SampleTypes {
		h.SampleTypes[i] = profile.ValueType{Type: r.string(), Unit: r.string()}
	}
	h.PeriodType = profile.ValueType{Type: r.string(), Unit: r.string()}
	h.DefaultSampleType, h.DocURL, h.DropFrames, h.KeepFrames = r.string(), r.string(), r.string(), r.string()
	h.Period = r.varint()
	if n := r.count(1); n > 0 {
		h.Comments = make([]string, n)
		for i := range h.Comments {
			h.Comments[i] = r.string()
		}
	}
	h.mainMapping = r.number()
	return h
}

func readSeries(r *reader) (labels store.Labels) {
	for r.err == nil && len(r.b) > 0 {
		labels = append(labels, store.Label{Name: r.string(), Value: r.string()})
	}
	return labels
}

// A reader reads contents. After an error it returns zeros.
type reader struct {
	b   []byte
	err error
}

var errContent = errors.New("it ends too early or says what it can't mean")

func (r *reader) fail() {
	r.b, r.err = nil, errContent
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) number() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads how many things follow, which have least bytes or more each.
func (r *reader) count(least int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/least) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
