package look

import "net/http"

type ordered struct {
	at        int64
	set, seen bool
}

type same struct { // 48 bytes, 40 without gaps: both take 48
	a       bool
	b       int64
	c       bool
	d, e, f int64
}

type padded struct { // apart for the CPUs
	set bool
	_   [63]byte
	at  int64
	end bool
}

type large struct { // not in the map's table
	set  bool
	at   int64
	seen bool
	rest [16]int64
}

type point struct {
	set  bool
	at   int64
	seen bool
}

type generic[T any] struct {
	set  bool
	v    T
	seen bool
}

type store struct {
	all     []any
	ordered []ordered
	pairs   []*point
	larges  map[int64]large
	points  map[int64]point
}

func (s *store) add(p *point) {
	s.all = append(s.all, &ordered{})         // live: only 16
	s.all = append(s.all, &same{})            // live: only 48
	s.all = append(s.all, &padded{})          // live: only 80
	s.all = append(s.all, &http.Server{})     // live: only 320
	s.ordered = append(s.ordered, ordered{})  // live: only 4096
	s.pairs = append(s.pairs, p)              // live: only 4096
	s.larges[1] = large{}                     // live: only 4096
	s.all = append(s.all, &point{})           // alloc: only 24
	s.all = append(s.all, s.points[1])        // live: only 24
	s.all = append(s.all, struct{ a bool }{}) // live: only 24
}

func of[T any](s *store, v T) {
	s.all = append(s.all, &generic[T]{v: v}) // live: only 48
}
