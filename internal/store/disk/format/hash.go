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

func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

// A fingerprint is a hash of 96 bits with random keys. Entries with the same fingerprint are
// taken for equal, which saves comparing them. The chance that any two of a million stacks have
// the same one is 1 in 10^16.
type fingerprint struct {
	check uint64
	hash  uint32
}

// fingerprintOf is the fingerprint of two hashes with different keys.
func fingerprintOf(a uint64, b uint32) fingerprint {
	return fingerprint{a>>32<<32 | uint64(b), uint32(a)}
}

func functionHash(f *profile.Function) uint32 {
	return fold(hashing.Mix(hashing.Mix(uint64(f.Name)<<32|uint64(f.SystemName), uint64(f.File)), uint64(f.StartLine)))
}

func nodeHash(parent, loc uint32) uint32 { return fold(hashing.Mix(uint64(parent), uint64(loc))) }

func setHash(set []profile.Label) uint32 {
	h := uint64(len(set))
	for i := range set {
		l := &set[i]
		kind := uint64(l.Unit) << 2
		if l.Numeric {
			kind |= 2
		}
		if l.HasUnit {
			kind |= 1
		}
		h = hashing.Mix(h^uint64(l.Key)<<32^uint64(l.Str), uint64(l.Num)^kind)
	}
	return fold(h)
}

// A hasher hashes dictionary entries with random keys, so that senders of profiles can't cause
// collisions.
type hasher struct {
	seed, check maphash.Seed
	keys        hashPair
}

func (x *Interner) stringHash(s string) uint32 { return uint32(maphash.String(x.seed, s)) }

// siteFingerprint returns the fingerprint of a stack and a label set.
func (x *Interner) siteFingerprint(frames []uint32, set uint32) fingerprint {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), 4*len(frames))
	return fingerprintOf(hashing.Mix(maphash.Bytes(x.seed, b), uint64(set)), uint32(maphash.Bytes(x.check, b))^set)
}

// A hashPair is two hashes with different keys.
type hashPair struct{ a, b uint64 }

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

// locationFingerprint returns the fingerprint of a location whose mapping and address are
// the dictionary's and whose lines are the profile's.
func (x *Interner) locationFingerprint(l *profile.Location, lines []profile.Line) fingerprint {
	kind := uint64(l.Mapping)<<1 | uint64(len(lines))<<40
	if l.Folded {
		kind |= 1
	}
	a := hashing.Mix(l.Address, kind)
	b := a
	for i := range lines {
		f := x.hashFunction(lines[i].Function)
		at := uint64(lines[i].Line) ^ bits.RotateLeft64(uint64(lines[i].Column), 32)
		a = hashing.Mix(a^f.a, at)
		b = hashing.Mix(b^f.b, at)
	}
	return fingerprintOf(hashing.Mix(a, x.keys.a), fold(hashing.Mix(b, x.keys.b)))
}

// hashFunction returns the hashes of a function of the profile.
func (x *Interner) hashFunction(id uint32) hashPair {
	h := x.ofFunction[id]
	if h == (hashPair{}) {
		f := &x.p.Functions[id]
		name, system, file := x.hashString(f.Name), x.hashString(f.SystemName), x.hashString(f.File)
		h = hashPair{
			hashing.Mix(hashing.Mix(name.a, system.a), hashing.Mix(file.a, uint64(f.StartLine))),
			hashing.Mix(hashing.Mix(name.b, system.b), hashing.Mix(file.b, uint64(f.StartLine))),
		}
		x.ofFunction[id] = h
	}
	return h
}

// hashString returns the hashes of a string of the profile.
func (x *Interner) hashString(id profile.StringID) hashPair {
	h := x.ofString[id]
	if h == (hashPair{}) {
		s := x.p.Strings[id]
		h = hashPair{maphash.String(x.seed, s), maphash.String(x.check, s)}
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
