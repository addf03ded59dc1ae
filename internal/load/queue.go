package load

// A Queue hands out first what was put in first. The zero value is empty.
type Queue[T any] struct {
	items []T
	head  int
}

// Len returns how many are in it.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// Push puts one in.
func (q *Queue[T]) Push(v T) {
	if q.head > len(q.items)/2 && q.head > 64 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

// Pop takes one out, of which there has to be one.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.items[q.head]
	q.items[q.head] = none
	q.head++
	return v
}

// Remove takes out those that which picks, in their order.
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
