package format

import (
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/profile"
)

// A hash is a hash of numbers, which are added one by one.
type hash uint64

// with returns h with v added.
func (h hash) with(v uint64) hash { return hash(hashing.Mix(uint64(h), v)) }

// short returns h folded to 32 bits.
func (h hash) short() uint32 { return uint32(h ^ h>>32) }

// A fingerprint is a hash of 96 bits with random keys. Entries with the same fingerprint are
// taken for equal, which saves comparing them. The chance that any two of a million stacks have
// the same one is 1 in 10^16.
type fingerprint struct {
	check uint64
	hash  uint32
}

// fingerprintOf returns the fingerprint from two hashes with different keys.
func fingerprintOf(a hash, b uint32) fingerprint {
	return fingerprint{uint64(a)>>32<<32 | uint64(b), uint32(a)}
}

func functionHash(f *profile.Function) uint32 {
	return (hash(f.Name)<<32 | hash(f.SystemName)).with(uint64(f.File)).with(uint64(f.StartLine)).short()
}

func nodeHash(parent, loc uint32) uint32 { return hash(parent).with(uint64(loc)).short() }

func setHash(set []profile.Label) uint32 {
	h := hash(len(set))
	for i := range set {
		l := &set[i]
		kind := uint64(l.Unit) << 2
		if l.Numeric {
			kind |= 2
		}
		if l.HasUnit {
			kind |= 1
		}
		h = (h ^ hash(l.Key)<<32 ^ hash(l.Str)).with(uint64(l.Num) ^ kind)
	}
	return h.short()
}

// A hasher hashes dictionary entries with random keys, so that senders of profiles can't cause
// collisions.
type hasher struct {
	seed, check maphash.Seed
	keys        hashPair
}

func newHasher() hasher {
	key := func() uint64 { return maphash.Bytes(maphash.MakeSeed(), []byte("key")) }
	return hasher{maphash.MakeSeed(), maphash.MakeSeed(), hashPair{hash(key()), hash(key())}}
}

func (x *hasher) stringHash(s string) uint32 { return uint32(maphash.String(x.seed, s)) }

// siteFingerprint returns the fingerprint of a stack and a label set.
func (x *hasher) siteFingerprint(frames []uint32, set uint32) fingerprint {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), 4*len(frames))
	return fingerprintOf(hash(maphash.Bytes(x.seed, b)).with(uint64(set)), uint32(maphash.Bytes(x.check, b))^set)
}

// A hashPair is two hashes with different keys.
type hashPair struct{ a, b hash }

// A locationHasher hashes the locations of a profile or dictionary by their lines. It hashes
// each string and function once.
type locationHasher struct {
	*hasher
	p          *profile.Profile
	ofString   []hashPair // zero where it isn't known yet
	ofFunction []hashPair
}

// locationsOf returns a hasher for p's locations. It uses the memory of old, which must not be
// used afterwards.
func (x *hasher) locationsOf(p *profile.Profile, old locationHasher) locationHasher {
	return locationHasher{x, p, zeroed(old.ofString, len(p.Strings)), zeroed(old.ofFunction, len(p.Functions))}
}

// locationFingerprint returns the fingerprint of a location. Its mapping and address must be
// those of the dictionary, and the lines those of the profile.
func (x *locationHasher) locationFingerprint(l *profile.Location, lines []profile.Line) fingerprint {
	kind := uint64(l.Mapping)<<1 | uint64(len(lines))<<40
	if l.Folded {
		kind |= 1
	}
	a := hash(l.Address).with(kind)
	b := a
	for i := range lines {
		f := x.function(lines[i].Function)
		at := uint64(lines[i].Line) ^ bits.RotateLeft64(uint64(lines[i].Column), 32)
		a = (a ^ f.a).with(at)
		b = (b ^ f.b).with(at)
	}
	return fingerprintOf(a.with(uint64(x.keys.a)), b.with(uint64(x.keys.b)).short())
}

// function returns the hashes of a function of the profile.
func (x *locationHasher) function(id uint32) hashPair {
	h := x.ofFunction[id]
	if h == (hashPair{}) {
		f := &x.p.Functions[id]
		name, system, file := x.string(f.Name), x.string(f.SystemName), x.string(f.File)
		h = hashPair{
			name.a.with(uint64(system.a)).with(uint64(file.a.with(uint64(f.StartLine)))),
			name.b.with(uint64(system.b)).with(uint64(file.b.with(uint64(f.StartLine)))),
		}
		x.ofFunction[id] = h
	}
	return h
}

// string returns the hashes of a string of the profile.
func (x *locationHasher) string(id profile.StringID) hashPair {
	h := x.ofString[id]
	if h == (hashPair{}) {
		s := x.p.Strings[id]
		h = hashPair{hash(maphash.String(x.seed, s)), hash(maphash.String(x.check, s))}
		x.ofString[id] = h
	}
	return h
}

// zeroed returns a slice of n zeros, if possible in the memory of s.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
