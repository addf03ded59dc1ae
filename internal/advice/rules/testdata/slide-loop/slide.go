package p

func drop(buf []byte, offset int) []byte {
	n := len(buf) - offset
	// want B: also within a slice
	for i := 0; i < n; i++ {
		buf[i] = buf[offset+i] // hot
	}
	return buf[:n]
}
