// Package gctrace reports what the garbage collector of a Go program did, from the lines
// that the runtime writes to standard error with GODEBUG=gctrace=1.
//
//	Runner   runs programs and benchmarks
//	Filter   removes these lines from the output of a program
//	Summary  has the figures: number, pauses, CPU time, heap, allocations
package gctrace

import (
	"strconv"
	"strings"
	"time"
)

// A collection is one line of the trace.
type collection struct {
	Number  int
	At      time.Duration // since the program's start, when the collection began
	Percent int           // of the CPU time available since the start, in GC
	// Wall-clock time of the phases. Sweep termination and mark termination pause
	// the program; marking is concurrent.
	SweepTermination, Mark, MarkTermination time.Duration
	// CPU time: of the pauses, on all processors; of allocating goroutines that had
	// to help; of background workers; and of workers on idle processors.
	SweepTerminationCPU, Assist, Background, Idle, MarkTerminationCPU time.Duration
	// Sizes in bytes, whole mebibytes: the heap at the start and at the end, its
	// live part, the goal. Stacks and globals are 0 before Go 1.18.
	HeapStart, HeapEnd, HeapLive, Goal, Stacks, Globals int64
	Procs                                               int
	Forced                                              bool // by runtime.GC
}

// cpuTime is the CPU time that the collection took from the program: all of it, except on idle
// processors.
func (t *collection) cpuTime() time.Duration {
	return t.SweepTerminationCPU + t.Assist + t.Background + t.MarkTerminationCPU
}

// traceForms are the lines that package runtime documents: # means a whole number, ~ a number
// with or without a fraction. Go 1.18 added stacks and globals, Go 1.26 the note about the
// search for leaked goroutines.
var traceForms = func() (forms []string) {
	for _, leaks := range []string{"", " (checking for goroutine leaks)"} {
		for _, scanned := range []string{" # MB stacks, # MB globals,", ""} {
			for _, forced := range []string{"", " (forced)"} {
				forms = append(forms, "gc # @~s #%"+leaks+": ~+~+~ ms clock, ~+~/~/~+~ ms cpu, #->#-># MB, # MB goal,"+scanned+" # P"+forced+"\n")
			}
		}
	}
	return forms
}()

// matchTrace matches the beginning of text with a form. It returns the numbers
// and the length of the line if it is one; else whether more text could make it
// one.
func matchTrace(form string, text []byte) (numbers []string, length int, more bool) {
	i := 0
	for f := 0; f < len(form); f++ {
		if i == len(text) {
			return nil, 0, true
		}
		if form[f] != '#' && form[f] != '~' {
			if text[i] != form[f] {
				return nil, 0, false
			}
			i++
			continue
		}
		start, dots := i, 0
		for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.' && form[f] == '~' && dots == 0) {
			if text[i] == '.' {
				dots++
			}
			i++
		}
		if i == len(text) {
			return nil, 0, i-start < maxDigits
		}
		if i == start || i-start > maxDigits || text[start] == '.' || text[i-1] == '.' {
			return nil, 0, false
		}
		numbers = append(numbers, string(text[start:i]))
	}
	return numbers, i, false
}

const maxDigits = 18 // of an int64 there are not more

// parseTrace reads the line that text begins with. more says that the text could
// become one.
func parseTrace(text []byte) (t collection, length int, more bool) {
	if len(text) > 0 && text[0] != 'g' {
		return t, 0, false
	}
	for _, form := range traceForms {
		numbers, n, open := matchTrace(form, text)
		more = more || open
		if n > 0 {
			return newTrace(numbers, strings.Contains(form, "stacks"), strings.HasSuffix(form, "(forced)\n")), n, false
		}
	}
	return t, 0, more
}

func newTrace(numbers []string, scanned, forced bool) collection {
	next := func() string {
		n := numbers[0]
		numbers = numbers[1:]
		return n
	}
	number := func() int64 {
		v, _ := strconv.ParseInt(next(), 10, 64) // digits, and not too many
		return v
	}
	duration := func(unit time.Duration) time.Duration {
		v, _ := strconv.ParseFloat(next(), 64)
		return time.Duration(v*float64(unit) + 0.5)
	}
	t := collection{Forced: forced}
	t.Number = int(number())
	t.At = duration(time.Second)
	t.Percent = int(number())
	for _, d := range []*time.Duration{&t.SweepTermination, &t.Mark, &t.MarkTermination,
		&t.SweepTerminationCPU, &t.Assist, &t.Background, &t.Idle, &t.MarkTerminationCPU} {
		*d = duration(time.Millisecond)
	}
	sizes := []*int64{&t.HeapStart, &t.HeapEnd, &t.HeapLive, &t.Goal}
	if scanned {
		sizes = append(sizes, &t.Stacks, &t.Globals)
	}
	for _, s := range sizes {
		*s = number() << 20
	}
	t.Procs = int(number())
	return t
}
