package main

import (
	"context"
	"fmt"
	"time"
)

type session struct {
	user    string
	history [][]byte
	buffer  []byte
}

type registry struct{ sessions map[string]*session }

func (r *registry) open(i int) *session {
	s := &session{user: fmt.Sprintf("user-%d", i), buffer: make([]byte, 4<<10)}
	r.sessions[s.user] = s
	return s
}

func (s *session) record(n int) { s.history = append(s.history, make([]byte, n)) }

// leak keeps sessions that nobody closes, and drops most of what it allocates.
func leak(ctx context.Context) error {
	r := &registry{map[string]*session{}}
	for i := 0; ctx.Err() == nil && i < 3000; i++ {
		s := r.open(i)
		for k := range 10 {
			s.record(64 << (k % 5))
			_ = fmt.Sprintf("%s did %d", s.user, k)
		}
		if i%4 != 0 {
			delete(r.sessions, s.user)
		}
	}
	keep = r
	return nil
}

// sizes allocates blocks of many sizes at one line, which a heap profile tells
// apart by its "bytes" label.
func sizes(context.Context) error {
	var blocks [][]byte
	for _, size := range []int{1, 8, 24, 100, 512, 513, 1 << 10, 3000, 1 << 13, 40000, 1 << 17, 1 << 20} {
		for range max(1, 1<<17/size) {
			blocks = append(blocks, block(size))
		}
	}
	matrix := make([][]float64, 64)
	for i := range matrix {
		matrix[i] = make([]float64, 1<<(i%10))
	}
	times := make(map[time.Duration]*[3]string)
	for i := range 5000 {
		times[time.Duration(i)] = new([3]string)
	}
	keep = []any{blocks, matrix, times}
	return nil
}

func block(size int) []byte { return make([]byte, size) }
