package p

// Upwards each element is copied over those that follow.
func spread(buf []byte, offset int) {
	n := len(buf) - offset
	for i := 0; i < n; i++ {
		buf[offset+i] = buf[i] // hot
	}
}

func sum(buf []byte, offset int) {
	n := len(buf) - offset
	for i := 0; i < n; i++ {
		buf[i] += buf[offset+i] // hot
	}
}
