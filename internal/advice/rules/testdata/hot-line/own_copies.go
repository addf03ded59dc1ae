package hotline

type pair [4]uint32

var pairs [256]pair

func taken(i byte) uint32 {
	// want look: what is inlined there. t is a copy of 16 bytes. It is in no loop
	t := pairs[i] // hot
	return t[0] + t[1]
}

func pointed(i byte) uint32 {
	// want look: what is inlined there. It is in no loop: it runs at most once per call of pointed. (end)
	t := &pairs[i] // hot
	return t[0] + t[1]
}

func eachCopied(all []pair) (n uint32) {
	// want look: Each iteration copies an element of 16 bytes to t.
	for _, t := range all { // hot
		n += t[0]
	}
	return n
}

func eachOf[T comparable](all []T, v T) bool {
	// want look: Each iteration copies an element to x: its size depends on the type argument.
	for _, x := range all { // hot
		if x == v {
			return true
		}
	}
	return false
}

func mix(t pair, n uint32) uint32 { return t[n] + n }

func passed(t *pair) uint32 {
	// want look: *t is passed by value: that copies 16 bytes.
	return mix(*t, 2) // hot
}
