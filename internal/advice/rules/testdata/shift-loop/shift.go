package shift

func removeAt(s []int, k int) []int {
	if k >= 0 && k < len(s) {
		// want A: moves one element of s per step
		for i := k; i < len(s)-1; i++ {
			s[i] = s[i+1] // hot
		}
		s = s[:len(s)-1]
	}
	return s
}

func insertAt(s []string, k uint8, x string) []string {
	s = append(s, "")
	at := int(k)
	// want B: at is never negative
	for i := len(s) - 1; i > at; i-- {
		s[i] = s[i-1] // hot
	}
	s[at] = x
	return s
}

func first(s []*int) []*int {
	// want A: copy moves many bytes
	for i := 0; i < len(s)-1; i++ {
		s[i] = s[i+1] // hot
	}
	return s[:len(s)-1]
}

func front(s []byte, b byte) {
	// want A: copy
	for j := len(s) - 1; j >= 1; j-- {
		s[j] = s[j-1] // hot
	}
	s[0] = b
}

type queue struct {
	items []*int
	n     int
}

func (q *queue) remove(k int) {
	// want B: k is never negative
	for i := k + 1; i < len(q.items); i++ {
		q.items[i-1] = q.items[i] // hot
	}
	q.items = q.items[:len(q.items)-1]
}

// The numbers that a channel has may be negative.
func received(s []int, at chan int) {
	for k := range at {
		// want B: k is never negative
		for i := k; i < len(s)-1; i++ {
			s[i] = s[i+1] // hot
		}
	}
}

func counted(s []int, k, n int) {
	// want B: n isn't past the end of s
	for i := k; i+1 < n; i++ {
		s[i] = s[i+1] // hot
	}
}

func without(s []int, x int) []int {
	for k, v := range s {
		if v == x {
			// want A: per step
			for i := k; i <= len(s)-2; i++ {
				s[i] = s[i+1] // hot
			}
			return s[:len(s)-1]
		}
	}
	return s
}
