package calls

import (
	"image"
	"math/big"
)

func inverse(k, n *big.Int) *big.Int {
	// want C: new(big.Int).ModInverse allocates each time, blocks of 64 bytes on average.
	return new(big.Int).ModInverse(k, n) // alloc: math/big.(*Int).ModInverse math/big.(*Int).lehmerGCD math/big.nat.make
}

func canvas(w, h int) *image.RGBA {
	// want C: image.NewRGBA allocates each time, blocks of 4 KiB
	return image.NewRGBA(image.Rect(0, 0, w, h)) // alloc: image.NewRGBA only 4096
}
