package gaps

type entry struct { // 48 bytes, 32 without gaps
	slow   bool
	bytes  int64
	failed bool
	user   string
	status int32
	retry  bool
}

type point struct { // 24 bytes, 16 without gaps
	set  bool
	at   int64
	seen bool
}

type list struct {
	entries []*entry
	points  []point
	byID    map[int64]point
}

func (l *list) add(user string) {
	// want C: entry has 48 bytes, 16 of which are gaps between fields, and takes a block of 48. In the order bytes, user, status, slow, failed, retry, it has 32 bytes and takes a block of 32: 16 bytes less for each of 2083333 objects.
	e := &entry{user: user} // live: only 48
	l.entries = append(l.entries, e)
}

func (l *list) addPoint(at int64) {
	// want C: point has 24 bytes, 8 of which are gaps between fields. In the order at, set, seen, it has 16 bytes: 8 bytes less for each of about 8333312 elements
	l.points = append(l.points, point{at: at}) // live: only 1024 4096
}

func (l *list) reserve(n int) {
	// want C: at, set, seen
	l.points = make([]point, 0, n) // live: only 1048576
}

func (l *list) set(id int64) {
	// want C: 8 bytes less for each of about 3124224 elements
	l.byID[id] = point{at: id} // live: only 73728
}
