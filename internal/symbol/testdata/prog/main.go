// Prog reports its own stack, for symbol's tests to find the same in its file.
// With the tag cross it does not, and imports little: it can't run, and for most
// of the standard library to be compiled for another platform takes long. Tests
// know the lines of functions.
package main

import (
	"runtime"
	"strings"
)

type report struct {
	Maps   string // /proc/self/maps
	Main   uint64 // address of main.main
	Stacks [][]frame
}

type frame struct {
	PC             uint64
	Function, File string
	Line           int
}

type shape interface{ area(depth int) int }

type square[T any] struct{ side int }

//go:noinline
func (s *square[T]) area(depth int) int { return walk(depth) * s.side }

func walk(depth int) int { return step(depth) + 1 }

func step(depth int) int { return record() + depth }

var out report

//go:noinline
func record() int {
	pcs := make([]uintptr, 50)
	pcs = pcs[:runtime.Callers(1, pcs)]
	frames := runtime.CallersFrames(pcs)
	var stack []frame
	for {
		f, more := frames.Next()
		if f.PC != 0 {
			stack = append(stack, frame{uint64(f.PC), f.Function, f.File, f.Line})
		}
		if !more {
			break
		}
	}
	out.Stacks = append(out.Stacks, stack)
	return len(pcs)
}

// float has instructions that want constants and wide registers.
//
//go:noinline
func float(x []float64) (sum float64) {
	for i, v := range x {
		sum += v * 3.25
		if i%7 == 0 {
			sum /= 1.5
		}
	}
	return sum
}

func main() {
	for _, s := range []shape{&square[int]{2}, &square[string]{3}} {
		s.area(4)
	}
	strings.Map(func(r rune) rune { walk(1); return r }, "x")
	if float([]float64{1, 2}) < 0 {
		panic("negative")
	}
	tell(main)
}
