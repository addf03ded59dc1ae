package mask

func mask(key [4]byte, pos int, b []byte) int {
	// want C: subtle.XORBytes combines 16 or more
	for i := range b {
		b[i] ^= key[pos&3] // hot
		pos++
	}
	return pos & 3
}

func parity(dst, a, b []byte) {
	// want C: subtle.XORBytes combines 16 or more
	for i := 0; i < len(dst); i++ {
		dst[i] = a[i] ^ b[i] // hot
	}
}

func masked(dst, src, key []byte) {
	// want C: subtle.XORBytes combines 16 or more
	for i, c := range src {
		dst[i] = c ^ key[i%len(key)] // hot
	}
}
