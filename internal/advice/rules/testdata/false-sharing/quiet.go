package quiet

import (
	"sync"
	"sync/atomic"
)

type padded struct {
	a atomic.Int64
	_ [64]byte
	b atomic.Int64
}

func (p *padded) first() {
	p.a.Add(1) // hot: sync/atomic.(*Int64).Add
}

func (p *padded) second() {
	p.b.Add(1) // hot: sync/atomic.(*Int64).Add
}

type stats struct{ hits, bytes, cold atomic.Int64 }

// One goroutine updates both.
func (s *stats) hit(n int64) {
	s.hits.Add(1)  // hot: sync/atomic.(*Int64).Add
	s.bytes.Add(n) // hot: sync/atomic.(*Int64).Add
}

// The neighbour is hardly ever written.
func (s *stats) seldom() { s.cold.Add(1) }

type box[T any] struct {
	a atomic.Int64
	v T
	b atomic.Int64
}

func (x *box[T]) first() {
	x.a.Add(1) // hot: sync/atomic.(*Int64).Add
}

func (x *box[T]) second() {
	x.b.Add(1) // hot: sync/atomic.(*Int64).Add
}

type wide struct {
	n int
	_ [56]byte
}

func count(rows []int, workers int) int {
	own := make([]wide, workers)
	shared := make([]int, len(rows))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			mine := make([]int, workers)
			for i, r := range rows {
				own[w].n += r  // hot
				shared[i] += r // hot
				mine[w] += r   // hot
			}
		})
	}
	all.Wait()
	return own[0].n
}

// No goroutine of its own.
func alone(rows []int, w int, counts []int) {
	for range rows {
		counts[w]++ // hot
	}
}
