package sums

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

type id [16]byte

func named(h hash.Hash, name string) (u id) {
	h.Write([]byte(name))
	// want C: only to be copied h.Sum(nil) allocates a temporary slice
	copy(u[:], h.Sum(nil)) // hot: crypto/sha1.(*digest).Sum runtime.growslice
	return u
}

func text(h hash.Hash) string {
	// want C: so pass memory
	return hex.EncodeToString(h.Sum(nil)) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func short(h hash.Hash) string {
	// want C: Sum appends
	return string(h.Sum(nil)[:8]) // hot: golang.org/x/crypto/blake2b.(*digest).Sum
}

func signed(h hash.Hash, b []byte) []byte {
	// want B: so h.Sum(b) needs no temporary slice and no copy
	return append(b, h.Sum(nil)...) // hot: crypto/internal/fips140/hmac.(*HMAC).Sum
}

type owned struct{ *digest }

type digest struct{ n byte }

func (d *digest) Sum(b []byte) []byte { return append(b, d.n) }
func (d *digest) Size() int           { return 1 }
func (d *digest) BlockSize() int      { return 64 }

func own(o owned) string {
	// want C: so o.Sum(buf[:0]) with a local array avoids it
	return hex.EncodeToString(o.Sum(nil)) // hot: hash/fnv.(*sum128).Sum
}

func one(parts []string) byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
	}
	// want C: h.Sum(buf[:0]) with a reused buffer
	return h.Sum(nil)[0] // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}
