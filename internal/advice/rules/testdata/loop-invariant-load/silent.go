package silent

import "sync/atomic"

type list struct {
	items   []int
	weights []int
	done    bool
	n       int
	seen    atomic.Int64
}

// The loop changes what it loads.
func (l *list) grows(n int) {
	for i := 0; i < n; i++ {
		l.items = append(l.items, l.weights[i]) // hot
		l.weights = l.weights[1:]
	}
}

// A call may change it.
func (l *list) calls(n int, f func(int)) {
	for i := 0; i < n; i++ {
		f(l.items[i] + l.weights[i]) // hot
	}
}

// Another goroutine may have changed it when the counter changes.
func (l *list) waits(n int64) (sum int) {
	for l.seen.Load() < n {
		sum += l.items[0] + l.weights[0] // hot
	}
	return sum
}

// A flag may be what the loop waits for.
func (l *list) flag(other *list) (n int) {
	for !l.done && !other.done {
		n++ // hot
	}
	return n
}

// The index is the loop's own.
func own(all []list) (n int) {
	for i := 0; i < len(all); i++ {
		n += all[i].n + len(all[i].items) // hot
	}
	return n
}

// A pointer to a variable of the function may be changed.
func private(l *list, n int) (sum int) {
	p := &l
	for i := 0; i < n; i++ {
		*p = &list{}
		sum += l.items[i] + l.weights[i] // hot
	}
	return sum
}

// The compiler has it in a register.
func (l *list) before(n int) (sum int) {
	items, weights := l.items, l.weights
	for i := 0; i < n; i++ {
		sum += l.items[i] + l.weights[i] + len(items) + len(weights) // hot
	}
	return sum
}
