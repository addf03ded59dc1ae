package clickhouse

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// The parts that profiles share, such as stacks, are identified by a number. It is a hash of
// the content, so all nodes compute the same one. Numbers have 64 bits and depend on a key in
// the tables, so senders of profiles can't cause collisions. The chance that any two of a
// million stacks collide is 1 in 4*10^7. A collision is noticed when the number is looked up;
// see lexicon.

// keySize is the size of a key in bytes.
const keySize = 4 * 8

// A key makes numbers that can't be predicted without knowing it.
type key [4]uint64

// text returns the number of a string. It uses a cryptographic hash, because senders of
// profiles choose the strings.
func (k *key) text(s string) uint64 {
	var buf [512]byte
	b := binary.LittleEndian.AppendUint64(buf[:0], k[0])
	b = binary.LittleEndian.AppendUint64(b, k[1])
	sum := sha256.Sum256(append(b, s...))
	return binary.LittleEndian.Uint64(sum[:])
}

// begin starts the number of something that consists of numbers; add and end follow.
func (k *key) begin(what uint64) uint64 { return hashing.Mix(k[2], what^k[3]) }

// add adds a number.
func (k *key) add(h, v uint64) uint64 { return hashing.Mix(h^k[2], v^k[3]) }

// end returns the finished number, which is never 0.
func (k *key) end(h uint64) uint64 { return max(hashing.Mix(h, k[0]), 1) }

// A word is a dictionary entry that the store may not have yet.
type word struct {
	week    int32
	what    uint8
	service string
	number  uint64
	content []byte
}

// known returns the number under which sentWords remembers a word.
func (k *key) known(week int32, what uint8, service, number uint64) uint64 {
	return k.add(k.add(k.add(number, service), uint64(uint32(week))), uint64(what))
}

// A numberer assigns numbers to the parts of a profile, and collects the dictionary entries
// that the store may not have.
type numberer struct {
	key     *key
	known   func(uint64) bool // reports whether the store has a word
	week    int32
	service string
	at      uint64 // number of the service
	words   []word
	noted   map[uint64]bool // words that are in words

	p         *profile.Profile
	strings   []uint64 // numbers of the profile's strings, and so on; 0 if not known yet
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

// note adds a word, unless the store has it.
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

// mapping returns the number of a mapping, which is given by its index plus 1. Mappings with
// the same [profile.Mapping.Key] have the same number.
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

// labels returns the number of a label set, 0 for the empty one.
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

// header returns the number of the profile's header: everything except samples.
func (n *numberer) header() uint64 {
	main := uint64(0)
	if len(n.p.Mappings) > 0 {
		main = n.mapping(1) // the main program's
	}
	content := appendHeader(nil, n.p, main)
	return n.contentNumber(ofHeader, content)
}

// series returns the number of a profile's labels.
func (n *numberer) series(labels store.Labels) uint64 {
	var b []byte
	for _, l := range labels {
		b = appendString(appendString(b, l.Name), l.Value)
	}
	return n.contentNumber(ofSeries, b)
}

// contentNumber returns a number for content.
func (n *numberer) contentNumber(what uint8, content []byte) uint64 {
	number := n.key.end(n.key.add(n.key.begin(uint64(what)), n.key.text(string(content))))
	n.note(what, number, func() []byte { return content })
	return number
}

// fleetNumber returns the number of the fleet that a series belongs to.
func (k *key) fleetNumber(labels store.Labels) uint64 {
	var b []byte
	for _, l := range labels {
		if l.Name != store.LabelInstance {
			b = appendString(appendString(b, l.Name), l.Value)
		}
	}
	return k.end(k.add(k.begin(101), k.text(string(b))))
}
