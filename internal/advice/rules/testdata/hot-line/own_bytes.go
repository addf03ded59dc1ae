package hotline

func load3(b []byte) uint32 {
	// want look: It builds a number from bytes of b: package encoding/binary loads 2, 4 or 8 bytes at once.
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 // hot
}

func load4(b []byte) uint32 {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of load4. (end)
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24 // hot
}

func hash(h uint32, b []byte, i int) uint32 {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of hash. (end)
	return h<<5 ^ uint32(b[i]) // hot
}

func store4(p []byte, n int, v uint32) {
	// want look: It stores a number in p byte by byte: package encoding/binary stores 2, 4 or 8 bytes at once.
	p[n] = byte(v) // hot
	p[n+1] = byte(v >> 8)
	p[n+2] = byte(v >> 16)
	p[n+3] = byte(v >> 24)
}
