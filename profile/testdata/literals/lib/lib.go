// Package lib has function literals of all forms. Each says where it is.
package lib

import (
	"iter"
	"runtime/pprof"
)

// Places has a stack for each literal that ran.
var Places = pprof.NewProfile("places")

// Place adds the stack of its caller.
//
//go:noinline
func Place() { Places.Add(new(int), 1) }

//go:noinline
func call(f func()) { f() }

// T has methods with literals.
type T struct{ n int }

var table = map[string]func(){
	"a": func() { Place(); call(func() { Place() }) },
}

func init() {
	call(func() { Place(); call(func() { Place() }) })
}

func init() {
	call(func() { Place() })
}

func (t *T) pointer() { call(func() { Place() }) }

func (t T) value() { call(func() { Place() }) }

func (t *T) deep() {
	call(func() {
		Place()
		call(func() {
			Place()
			call(func() { Place() })
		})
		call(func() { Place() })
	})
}

func (t *T) plain() { Place() }

// Returned is inlined.
func Returned() func() {
	return func() { Place() }
}

// Deep is inlined.
func Deep() {
	call(func() {
		Place()
		call(func() { Place() })
	})
}

// Two has two literals on one line.
func Two() { both(func() { Place() }, func() { Place() }) }

//go:noinline
func both(f, g func()) { f(); g() }

// Generic has literals in a generic function.
func Generic[X any](x X) {
	call(func() {
		Place()
		call(func() { Place() })
	})
}

// G has generic methods.
type G[X any] struct{ x X }

// Method has a literal.
func (g *G[X]) Method() {
	Place()
	call(func() { Place() })
}

// Returned is inlined.
func (g *G[X]) Returned() func() {
	return func() { Place() }
}

func seq(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		Place()
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func ranges() {
	for range seq(1) {
		Place()
		for range seq(1) {
			Place()
			call(func() { Place() })
			defer func() { Place() }()
		}
	}
}

func statements() {
	done := make(chan bool)
	go func() { Place(); done <- true }()
	<-done
	go work(done)
	<-done
	defer report("x")
	defer func() {
		Place()
		call(func() { Place() })
	}()
}

//go:noinline
func work(done chan bool) { Place(); done <- true }

//go:noinline
func report(string) { Place() }

func recursive() {
	var f func(int)
	f = func(n int) {
		Place()
		if n > 0 {
			f(n - 1)
		}
	}
	f(1)
}

// All calls all of them.
func All() {
	table["a"]()
	t := &T{}
	t.pointer()
	t.value()
	t.deep()
	call(t.plain)
	call(Returned())
	Deep()
	Two()
	Generic(1)
	Generic("a")
	Generic(t)
	(&G[int]{}).Method()
	call((&G[int]{}).Returned())
	call((&G[T]{}).Method)
	ranges()
	statements()
	func() { Place(); call(func() { Place() }) }()
	func() { func() { call(func() { Place() }) }() }()
	type local struct{}
	Generic(local{})
	recursive()
}
