package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
)

// assembly spends its time in functions written in assembly: one of its own
// and those of the standard library.
func assembly(ctx context.Context) error {
	vector := make([]float64, 4096)
	for i := range vector {
		vector[i] = float64(i%7) / 7
	}
	text := bytes.Repeat([]byte("the quick brown fox "), 512)
	block, err := aes.NewCipher(text[:16])
	if err != nil {
		return err
	}
	stream := cipher.NewCTR(block, text[:16])
	var total float64
	for ctx.Err() == nil {
		for range 40 {
			total += dot(vector, vector)
		}
		digest(text)
		stream.XORKeyStream(text, text)
		total += float64(bigPower(3, 4000).BitLen())
	}
	keep = total
	return nil
}

func digest(text []byte) uint32 {
	sum := sha256.Sum256(text)
	return crc32.ChecksumIEEE(sum[:]) ^ crc32.ChecksumIEEE(text)
}

func bigPower(x, n int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(x), big.NewInt(n), nil)
}
