package points

import "sync"

type point struct {
	x, y int
	tags []string
}

type scalars struct{ words [4]uint64 }

type guarded struct {
	mu sync.Mutex
	n  int
}

type boxes struct{ all []*point }

func unpack(keys []string, parse func(string, *point) bool) []*point {
	all := make([]*point, len(keys))
	for i, k := range keys {
		// says: new(point) escapes to heap
		// want B: Check that the objects are dropped together: one that stays in use keeps the memory of all.
		all[i] = new(point) // alloc
		if !parse(k, all[i]) {
			all[i].x = -1
		}
	}
	return all
}

func counted(num int, read func(*scalars) error) (all []*scalars, err error) {
	for i := 0; i < num; i++ {
		// says: &scalars{} escapes to heap
		// want B: isn't inflated
		s := &scalars{} // alloc
		if err := read(s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (b *boxes) add(xs map[int]int) {
	for x, y := range xs {
		if y < 0 {
			continue
		}
		// says: &point{...} escapes to heap
		// want B: Each iteration that gets here allocates one point; a slice of len(xs) of them is one allocation. Check that the objects are dropped together: one that stays in use keeps the memory of all. Also check that most iterations get here. (end)
		b.all = append(b.all, &point{x: x, y: y}) // alloc
	}
}

func grid(n int) (g [][3]*guarded) {
	g = make([][3]*guarded, n)
	for i := range n {
		for j := range 3 {
			// says: new(guarded) escapes to heap
			// want B: one guarded
			g[i][j] = new(guarded) // alloc
		}
	}
	return g
}

func byName(ps []point, points map[string]*point) {
	for _, p := range ps {
		// says: &point{...} escapes to heap
		// want B: one point
		points[p.tags[0]] = &point{ // alloc
			x:    p.x,
			tags: []string{"a"}, // and no others
		}
	}
}

func (b *boxes) fill(more func()) {
	for i := 0; i < len(b.all); i++ {
		more()
		// says: new(point) escapes to heap
		// want B: one point
		b.all[i] = new(point) // alloc
	}
}

func shadowed(xs []int) []*point {
	all := make([]*point, 2*len(xs))
	for i := range xs {
		i := 2 * i
		// says: new(point) escapes to heap
		// want B: one point
		all[i] = new(point) // alloc
	}
	return all
}

type counter struct {
	n    int64
	kind int32
}

func counters(names []string, counters map[string]*counter) {
	for _, name := range names {
		// says: &counter{...} escapes to heap
		// want B: that code for 32-bit systems doesn't use fields of counter with 64-bit functions of sync/atomic
		counters[name] = &counter{kind: 1} // alloc
	}
}

type aligned struct {
	kind int32
	n    int64
}

func behind(all []*aligned) {
	for i := range all {
		// says: new(aligned) escapes to heap
		// want B: keeps the memory of all. (end)
		all[i] = new(aligned) // alloc
	}
}

type list struct{ next *list }

func (l *list) extend(n int) {
	for range n {
		// says: new(list) escapes to heap
		// want B: one list
		l.next = new(list) // alloc
		l = l.next
	}
}
