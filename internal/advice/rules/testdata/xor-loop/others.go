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

var table [256]byte

// A table, each byte by the one before, some bytes alone, with much else, and a set.
func tables(dst, a, b []byte, set map[int]byte, of func(byte)) {
	for i, c := range a {
		dst[i] ^= table[c] // hot
	}
	for i := range b {
		dst[i] ^= table[a[i]] // hot
	}
	for i := 1; i < len(b); i++ {
		b[i] ^= b[i-1] // hot
	}
	for i := range a {
		if a[i] != 0 {
			dst[i] ^= a[i] // hot
		}
	}
	for i := range a {
		of(a[i])
		of(b[i])
		dst[i] ^= a[i] // hot
	}
	for i := range set {
		dst[i] ^= a[i] // hot
	}
}

// Few bytes, backwards, every eighth, and an array.
func few(dst, a, b []byte, word [4]byte, n int) {
	for i := 0; i < 4; i++ {
		dst[i] ^= a[i] // hot
	}
	for i := range dst {
		dst[i] = a[len(a)-1-i] ^ b[i] // hot
	}
	for i := 0; i < n; {
		dst[i] ^= a[i] // hot
		i += 8
	}
	for i := range word {
		dst[i] ^= word[i] // hot
	}
}
