package load

// A Queue is a first-in, first-out queue. The zero value is an empty one.
type Queue[T any] struct {
	items []T
	head  int
}

// Len returns the number of elements.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// Push adds an element.
func (q *Queue[T]) Push(v T) {
	if q.head > len(q.items)/2 && q.head > 64 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

// Pop removes and returns the oldest element. The queue must not be empty.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.items[q.head]
	q.items[q.head] = none
	q.head++
	return v
}

// Remove removes and returns the elements for which which returns true, oldest first.
func (q *Queue[T]) Remove(which func(*T) bool) (out []T) {
	var left []T
	for _, v := range q.items[q.head:] {
		if which(&v) {
			out = append(out, v)
		} else {
			left = append(left, v)
		}
	}
	q.items, q.head = left, 0
	return out
}
