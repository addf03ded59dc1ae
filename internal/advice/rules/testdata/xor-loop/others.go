package others

// What is no byte, not combined by ^, of one value for all, or not element by element.
func others(words, more []uint32, dst, a, b []byte, sum byte) byte {
	for i := range words {
		words[i] ^= more[i] // hot
	}
	for i := range dst {
		dst[i] &= a[i] // hot
	}
	for i := range dst {
		dst[i] = a[i] ^ 0x36 // hot
	}
	for _, c := range b {
		sum ^= c // hot
	}
	for i := range a {
		dst[sum] ^= a[i] // hot
	}
	return sum
}
