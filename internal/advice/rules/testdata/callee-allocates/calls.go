package calls

import (
	"image"
	"math/big"
)

func inverse(k, n *big.Int) *big.Int {
	// want C: on every call (64 bytes per allocation on average)
	return new(big.Int).ModInverse(k, n) // alloc: math/big.(*Int).ModInverse math/big.(*Int).lehmerGCD math/big.nat.make
}

func canvas(w, h int) *image.RGBA {
	// want C: allocates on every call (4 KiB per allocation on average)
	return image.NewRGBA(image.Rect(0, 0, w, h)) // alloc: image.NewRGBA only 4096
}
