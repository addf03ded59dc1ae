package flow

import (
	"fmt"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
)

// TestLoadedAgain: a loop loads the same through several pointers in each iteration, and nothing in it changes any of them.
func TestLoadedAgain(t *testing.T) {
	const text = `package flow

type state struct { next []int; n int }
type machine struct { states []state; limit, count int; out []int }
type builder struct { m *machine }

func (b *builder) fill(from, to int) {
	for by := 0; by <= to; by++ { // again: b.m.states[from].next 3 8
		b.m.states[from].next[by] = to // again: b.m.states[from].next 3 8
	}
}

func (b *builder) grows(from, to int) {
	for by := 0; by <= to; by++ { // again: b.m.states 4 14
		b.m.states[from].next = append(b.m.states[from].next, by) // again: b.m.states 4 14
	}
}

func (b *builder) replaces(from, to int) {
	for by := 0; by <= to; by++ { // again: b.m.states 4 20
		b.m.states[from].next[by] = to // again: b.m.states 4 20
		b.m.states[from] = state{} // again: b.m.states 4 20
	}
}

func (m *machine) bounded(list []int) {
	for i := 0; i < m.limit+m.count; i++ { // again: m.limit 2 27
		list[i] = i // again: m.limit 2 27
	}
}

func (m *machine) counted(list []int) {
	for i := range list {
		m.count += list[i]
	}
}

func (m *machine) called(list []int) {
	for i := 0; i < m.limit+m.count; i++ {
		m.change()
	}
}

func (m *machine) change() { m.limit-- }

func local(list []int, x state) (sum int) {
	for i := range list {
		sum += x.n + list[i]
	}
	return sum
}

func (m *machine) before(list []int) (sum int) {
	a, b := m.limit, m.count
	for i := range list {
		sum += m.limit + m.count + a + b
		_ = i
	}
	return sum
}

func other(p *[]int, m *machine, to int) {
	for by := 0; by <= to; by++ { // again: m.out 2 63
		m.out[m.limit] = by // again: m.out 2 63
	}
	for by := 0; by <= to; by++ {
		*p = nil
		m.out[by] = by
	}
}
`
	ask(t, text, "// again: ", func(f *Function, p *code.Place, line int) string {
		found, ok := f.LoadedAgain(line)
		if !ok {
			return ""
		}
		return fmt.Sprintf("%s %d %d", p.Source(found.Of), found.Loads, p.Line(found.Loop.Pos()))
	})
}

// TestKeptInMemory: a field is loaded and stored again and again, and nothing else may see it meanwhile.
func TestKeptInMemory(t *testing.T) {
	const text = `package flow

type sum struct { n, m uint; table [4]uint; next *sum }

func (s *sum) add(list []byte) {
	for _, b := range list {
		s.n += uint(b) // kept: s.n 1 1 6 alone
	}
}

func (s *sum) pointed(list []byte, out *uint) {
	for _, b := range list {
		s.n += uint(b) // kept: s.n 1 1 12
		*out = 3 // kept: s.n 1 1 12
	}
}

func (s *sum) breaks(list []byte) {
	for _, b := range list {
		if b == 7 { // kept: s.n 1 1 19 alone
			break
		}
		s.n += uint(b) // kept: s.n 1 1 19 alone
	}
}

func (s *sum) returns(list []byte) uint {
	for _, b := range list {
		if b == 7 { // kept: s.n 1 1 28 alone
			return s.n + s.m
		}
		s.n += uint(b) // kept: s.n 1 1 28 alone
	}
	return 0
}

func (s *sum) notes(list []byte) {
	for _, b := range list {
		if b == 7 { // kept: s.n 1 1 38
			note(s)
			break
		}
		s.n += uint(b) // kept: s.n 1 1 38
	}
}

func (s *sum) roll(b uint) { // kept: s.n 3 3 0
	s.n ^= b // kept: s.n 3 3 0
	s.n <<= 8 // kept: s.n 3 3 0
	s.n |= s.m // kept: s.n 3 3 0
} // kept: s.n 3 3 0

func (s *sum) once(b uint) { s.n += b }

func (s *sum) watched(list []byte) {
	for _, b := range list {
		s.n += uint(b)
		note(s)
	}
}

var seen uint

func note(s *sum) { seen += s.n }

func aliased(a, b *sum, list []byte) {
	for _, x := range list {
		a.n += uint(x)
		b.n++
	}
}

func walk(s *sum, list []byte) {
	for s != nil {
		s.n++
		s = s.next
	}
}

func own(list []byte) uint {
	var s sum
	for _, b := range list {
		s.n += uint(b)
	}
	return s.n
}
`
	ask(t, text, "// kept: ", func(f *Function, p *code.Place, line int) string {
		found, ok := f.KeptInMemory(line)
		if !ok {
			return ""
		}
		at := 0
		if found.Loop != nil {
			at = p.Line(found.Loop.Pos())
		}
		alone := ""
		if found.Alone {
			alone = " alone"
		}
		return fmt.Sprintf("%s %d %d %d%s", p.Source(found.Of), found.Loads, found.Stores, at, alone)
	})
}
