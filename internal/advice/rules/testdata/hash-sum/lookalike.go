package lookalike

import (
	"hash"
	"hash/fnv"
)

type tree struct{ root []byte }

// What is returned or kept has to be somewhere.
func (t *tree) close(h hash.Hash) {
	t.root = h.Sum(nil) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func sum(h hash.Hash) []byte {
	return h.Sum(nil) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func all(h hash.Hash, sums [][]byte) [][]byte {
	return append(sums, h.Sum(nil)) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

type named []byte

func joined(h hash.Hash, b named) named {
	return append(b, h.Sum(nil)...) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func part(h hash.Hash) []byte {
	return h.Sum(nil)[:8] // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func into(h hash.Hash, buf *[32]byte) string {
	return string(h.Sum(buf[:0])) // hot: crypto/internal/fips140/sha256.(*Digest).Sum
}

func number(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name)) // hot: hash/fnv.(*sum64a).Write
	return h.Sum64()
}

// Another Sum.
type counter struct{ n byte }

func (c *counter) Sum(b []byte) []byte { return append(b, c.n) }

func counted(c *counter) byte {
	return c.Sum(nil)[0] // hot: crypto/sha1.(*digest).Sum
}
