package silent

import (
	"crypto/pbkdf2"
	"crypto/sha256"
)

var key []byte

func init() {
	key, _ = pbkdf2.Key(sha256.New, "secret", nil, 600_000, 32) // hot: crypto/pbkdf2.Key
}

func sum(text []byte) [32]byte {
	return sha256.Sum256(text) // hot: crypto/sha256.Sum256
}
