package hashes

import (
	"crypto/sha256"
	"hash"
	"hash/fnv"
	"io"
)

func sum(parts [][]byte) []byte {
	// want B: that Reset makes h what it is when new
	h := sha256.New() // hot: crypto/sha256.New
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func id(a, b string) uint64 {
	// want B: Package fnv allocates a hash
	h := fnv.New64a() // hot: hash/fnv.New64a
	io.WriteString(h, a)
	io.WriteString(h, b)
	return h.Sum64()
}

func given() hash.Hash {
	// want C: Sum256
	h := sha256.New() // hot: crypto/sha256.New
	return h
}
