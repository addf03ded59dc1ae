package hotline

import (
	"strconv"
	"strings"
)

type bucket [4]byte

func (b *bucket) has(f byte) bool { return b[0] == f || b[1] == f }

type table struct {
	buckets []bucket
	names   []string
}

func (t *table) lookup(i, j uint, f byte) bool {
	// want look: t.buckets[j] is only used if the condition on line 20 is false. (end)
	a, b := t.buckets[i], t.buckets[j] // hot
	return a.has(f) || b.has(f)
}

func lower(s string) (string, bool) {
	// want look: strings.TrimLeft(s, "x") is called with the same arguments again on line 27, and nothing that it depends on changes. (end)
	t := strings.TrimLeft(s, "x") // hot: strings.TrimLeft
	if t != "" {
		return strings.TrimLeft(s, "x"), true
	}
	return t, false
}

func read(n int) int {
	text := strconv.Itoa(n)
	// want look: strconv.Atoi reads back the text that strconv.Itoa(n) makes on line 33. (end)
	m, _ := strconv.Atoi(text) // hot: strconv.Atoi
	return m
}

func (t *table) find(name string) int {
	for i, n := range t.names {
		// want look: It searches t.names from the start for each iteration of the loop on line 50 in merge. (end)
		if n == name { // hot: runtime.memequal
			return i
		}
	}
	return -1
}

func (t *table) merge(names []string) (found int) {
	for _, n := range names {
		if t.find(n) >= 0 {
			found++
		}
	}
	return found
}
