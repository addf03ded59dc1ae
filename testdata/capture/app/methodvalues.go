package main

import (
	"context"
	"math"
)

type shape interface{ area() float64 }

type (
	circle struct{ r float64 }
	square struct{ side float64 }
	scaled struct {
		shape // promoted, so that calls go through a wrapper
		by    float64
	}
	named struct {
		*scaled
		name string
	}
)

func (c circle) area() float64  { return math.Pi * math.Pow(c.r, 2) }
func (s *square) area() float64 { return math.Sqrt(s.side*s.side) * s.side }
func (s *scaled) times() float64 {
	return s.area() * math.Log1p(s.by)
}

type accumulator struct {
	sum    float64
	shapes []shape
}

func (a *accumulator) add(s shape) { a.sum += s.area() }

// methodValues calls through interfaces, embedded types, method values and
// method expressions.
func methodValues(ctx context.Context) error {
	shapes := []shape{circle{1}, &square{2}, &scaled{circle{3}, 2}, named{&scaled{&square{4}, 3}, "n"}}
	acc := &accumulator{}
	add := acc.add           // method value
	times := (*scaled).times // method expression
	area := named.area       // promoted method expression
	tag := named{&scaled{shapes[0], 5}, "tag"}
	for ctx.Err() == nil {
		for range 20000 {
			forEach(shapes, add)
			acc.sum += times(tag.scaled) + area(tag)
		}
		acc.shapes = append(acc.shapes, &square{acc.sum})
	}
	keep = acc
	return nil
}

//go:noinline
func forEach(shapes []shape, visit func(shape)) {
	for _, s := range shapes {
		visit(s)
	}
}
