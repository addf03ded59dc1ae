package login

import (
	"crypto/pbkdf2"
	"crypto/sha256"
)

func check(password string, salt []byte) ([]byte, error) {
	// want C: slow on purpose
	return pbkdf2.Key(sha256.New, password, salt, 600_000, 32) // hot: crypto/pbkdf2.Key
}
