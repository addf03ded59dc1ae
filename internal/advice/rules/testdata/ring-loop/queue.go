package queue

type queue[T any] struct {
	buf         []T
	head, count int
}

func (q *queue[T]) clear() {
	var zero T
	mask := len(q.buf) - 1
	// want C: the elements are at most two contiguous pieces
	for i := 0; i < q.count; i++ {
		q.buf[(q.head+i)&mask] = zero // hot
	}
}

type log struct {
	lines [640]string
	first int
}

func (l *log) all(n int) []string {
	out := make([]string, n)
	// want C: copy or append each in one call
	for i := range out {
		out[i] = l.lines[(i+l.first)%len(l.lines)] // hot
	}
	return out
}

func (l *log) appended(n int) (out []string) {
	// want C: copy or append each in one call
	for i := 0; i < n; i++ {
		out = append(out, l.lines[(l.first+i)%len(l.lines)]) // hot
	}
	return out
}

type last struct {
	at   [64]int
	next int
}

func (l *last) clear(n int) {
	// want C: the elements are at most two contiguous pieces
	for i := range n {
		l.at[(l.next+i)&63] = 0 // hot
	}
}
