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

// The variable counts on.
func rest(buf []byte, offset int) int {
	n, i := len(buf)-offset, 0
	for i = 0; i < n; i++ {
		buf[i] = buf[offset+i] // hot
	}
	return i
}
