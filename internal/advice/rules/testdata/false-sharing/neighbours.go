package neighbours

import (
	"sync"
	"sync/atomic"
)

type queue struct {
	name string
	head atomic.Int64
	tail atomic.Int64
}

type pipe struct {
	in  sync.Mutex
	put int
	out sync.Mutex
	got int
}

func (q *queue) push() {
	// want C: tail is 8 bytes from head, so that they are mostly in one cache line. The code at line 28 updates head, and takes
	q.tail.Add(1) // hot: sync/atomic.(*Int64).Add
}

func (q *queue) pop() {
	// want C: head is 8 bytes from tail
	q.head.Add(1) // hot: sync/atomic.(*Int64).Add
}

func (q *pipe) write() {
	// want C: in is 16 bytes from out
	q.in.Lock() // hot: sync.(*Mutex).Lock
	q.put++
	q.in.Unlock()
}

func (q *pipe) read() {
	// want C: out is 16 bytes from in
	q.out.Lock() // hot: sync.(*Mutex).Lock
	q.got++
	q.out.Unlock()
}

func count(rows [][]int, workers int) []int {
	counts := make([]int, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(rows); i += workers {
				for range rows[i] {
					// want C: Each goroutine updates its own element of counts in a loop, but elements of 8 bytes
					counts[w]++ // hot
				}
			}
		})
	}
	all.Wait()
	return counts
}

type result struct{ sum, n int64 }

func sums(rows []int64, workers int) []result {
	results := make([]result, workers)
	var all sync.WaitGroup
	all.Add(workers)
	for w := 0; w < workers; w++ {
		go func(id int) {
			defer all.Done()
			for _, r := range rows {
				// want C: store it in results[id] at the end
				results[id].sum += r // hot
			}
		}(w)
	}
	all.Wait()
	return results
}

type far struct {
	in    atomic.Int64
	names [5]int64
	out   atomic.Int64
}

func (f *far) put() {
	// want C: in is 48 bytes from out, which may be in the same cache line. The code at
	f.in.Add(1) // hot: sync/atomic.(*Int64).Add
}

func (f *far) get() {
	// want C: out is 48 bytes from in
	f.out.Add(1) // hot: sync/atomic.(*Int64).Add
}
