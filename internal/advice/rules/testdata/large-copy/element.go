package element

type row [4]uint32

type entry struct {
	key, value string
	next       *entry
	count      [8]int
}

type table struct {
	rows    []row
	entries []entry
}

var rows [256]row

func lookup(h uint8) (uint32, uint32, bool) {
	// want A: p is a copy of 16 bytes that is only read. Use a pointer to the element.
	p := rows[h] // hot
	if p[0] == p[1] {
		return p[0], p[1], true
	}
	return p[2], p[len(p)-1], false
}

func (t *table) get(i int, key string) string {
	// want A: e is a copy of 104 bytes that is only read.
	e := t.entries[i] // hot
	if e.key == key {
		return e.value
	}
	return ""
}

func sumOf(all []entry) (n int) {
	for i := range all {
		// want A: a copy of 104 bytes
		e := all[i] // hot
		n += e.count[0] + len(e.key)
	}
	return n
}

var cases [256][2]uint32

// Even a short array is in memory, not in registers.
func short(r rune) (upper, lower rune) {
	// want A: p is a copy of 8 bytes that is only read
	p := cases[byte(r)] // hot
	if p[0] == uint32(r) || p[1] == uint32(r) {
		return rune(p[0]), rune(p[1])
	}
	return r, r
}
