// Package gctrace tells what the garbage collector of a Go program did, from the
// lines that GODEBUG=gctrace=1 makes its runtime write to standard error.
//
//	Filter   takes these lines out of what the program writes
//	Summary  the figures: how often, stops, CPU time, heap, allocations
package gctrace

import (
	"strconv"
	"strings"
	"time"
)

// A collection is one, as a line of the trace reports it.
type collection struct {
	Number  int
	At      time.Duration // since the program's start, when the collection began
	Percent int           // of the CPU time available since the start, in GC
	// Wall-clock time of the phases: sweep termination and mark termination stop
	// the program, marking goes on beside it.
	SweepTermination, Mark, MarkTermination time.Duration
	// CPU time: of the stops, for which all processors count, of allocating
	// goroutines that had to help, of the background workers, and of those on
	// processors that had nothing else to do.
	SweepTerminationCPU, Assist, Background, Idle, MarkTerminationCPU time.Duration
	// Sizes in bytes, whole mebibytes: the heap at the start, at the end, what of
	// it is live, the goal; stacks and globals are 0 before Go 1.18.
	HeapStart, HeapEnd, HeapLive, Goal, Stacks, Globals int64
	Procs                                               int
	Forced                                              bool // by runtime.GC
}

// CPU is the time that the collection took from the program: all but that of
// idle processors.
func (t *collection) CPU() time.Duration {
	return t.SweepTerminationCPU + t.Assist + t.Background + t.MarkTerminationCPU
}

// traceForms are the lines that package runtime documents: # stands for a whole
// number, ~ for one with or without a fraction. Go 1.18 added stacks and
// globals, Go 1.26 the note of the search for leaked goroutines.
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
