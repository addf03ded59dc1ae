package others

import "errors"

type point struct{ x, y int }

type list struct {
	next *list
	n    int
}

func unknown(next func() bool) (all []*point) {
	for next() {
		// says: new(point) escapes to heap
		all = append(all, new(point)) // alloc
	}
	return all
}

func stays(n int) (sum int) {
	for i := range n {
		p := &point{i, i} // alloc
		sum += p.x
	}
	return sum
}

func once(xs []int) *point {
	for _, x := range xs {
		if x > 3 {
			// says: &point{...} escapes to heap
			p := &point{x, x} // alloc
			return p
		}
	}
	return nil
}

func passed(xs []int, f func(*point) int) (sum int) {
	for _, x := range xs {
		// says: &point{...} escapes to heap
		sum += f(&point{x, x}) // alloc
	}
	return sum
}

func local(xs []int, keep func(any)) {
	for _, x := range xs {
		type pair struct{ a, b int }
		// says: &pair{...} escapes to heap
		p := &pair{x, x} // alloc
		keep(p)
	}
}

func numbers(xs []int) (all []*int) {
	for range xs {
		// says: new(int) escapes to heap
		all = append(all, new(int)) // alloc
	}
	return all
}

func later(xs []int) (all []func() *point) {
	for range xs {
		// says: new(point) escapes to heap
		all = append(all, func() *point { return new(point) }) // alloc
	}
	return all
}

func failing(xs []int) (errs []error) {
	for range xs {
		errs = append(errs, errors.New("x")) // alloc
	}
	return errs
}

func named(xs []int, all []*point, where func() int) {
	for range xs {
		// says: new(point) escapes to heap
		all[where()] = new(point) // alloc
	}
}

func hidden(xs []int) (all []*point) {
	for _, x := range xs {
		len := func(any) int { return x }
		// says: &point{...} escapes to heap
		p := &point{x, len(xs)} // alloc
		all = append(all, p)
	}
	return all
}

type reader struct {
	last *point
	all  []*point
}

func (r *reader) replaced(xs []int) {
	for _, x := range xs {
		// says: &point{...} escapes to heap
		r.last = &point{x, x} // alloc
	}
}

func links(text string) (all []*point) {
	for i := 0; i < len(text); i++ {
		if text[i] == '[' {
			// says: &point{...} escapes to heap
			all = append(all, &point{i, i}) // alloc
		}
	}
	return all
}

func (r *reader) kinds(xs []int) {
	for _, x := range xs {
		switch x {
		case 1:
			// says: &point{...} escapes to heap
			r.all = append(r.all, &point{x, x}) // alloc
		}
		if x > 2 {
			r.last = nil
			if x > 3 {
				// says: &point{...} escapes to heap
				r.all = append(r.all, &point{x, 0}) // alloc
			}
		}
	}
}
