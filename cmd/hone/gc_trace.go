package main

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A gcTrace is one collection, as GODEBUG=gctrace=1 reports it.
type gcTrace struct {
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
func (t *gcTrace) CPU() time.Duration {
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
func parseTrace(text []byte) (t gcTrace, length int, more bool) {
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

func newTrace(numbers []string, scanned, forced bool) gcTrace {
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
	t := gcTrace{Forced: forced}
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

// A traceFilter takes traces out of what a program writes to standard error and
// passes everything else on, at once: only what could be the beginning of a
// trace waits for its end.
//
// The runtime writes a trace in pieces while the program runs, so that a line
// of the program's may get in between; such a trace is passed on as it is, and
// counted as torn if it can be told. A trace may also follow a line that
// the program has not ended.
type traceFilter struct {
	out    io.Writer
	found  func(gcTrace)
	torn   int // beginnings of traces that had something in between
	held   []byte
	failed error // of out; Close tells
}

func (f *traceFilter) Write(p []byte) (int, error) {
	f.held = append(f.held, p...)
	at := 0 // what of held is passed on
	for i := 0; i < len(f.held); {
		g := bytes.IndexByte(f.held[i:], 'g')
		if g < 0 {
			i = len(f.held)
			at = f.pass(at, i)
			break
		}
		i += g
		t, n, more := parseTrace(f.held[i:])
		switch {
		case n > 0:
			f.pass(at, i)
			f.found(t)
			i += n
			at = i
		case more:
			at = f.pass(at, i)
			f.held = append(f.held[:0], f.held[at:]...)
			return len(p), nil
		default:
			if tornTrace.Match(f.held[i:]) {
				f.torn++
			}
			i++
		}
	}
	f.pass(at, len(f.held))
	f.held = f.held[:0]
	return len(p), nil
}

var tornTrace = regexp.MustCompile(`^gc \d+ @\d`)

// pass writes held[from:to] and returns to. After a failure of the output the
// program goes on being read: it is measured all the same.
func (f *traceFilter) pass(from, to int) int {
	if from < to && f.failed == nil {
		_, f.failed = f.out.Write(f.held[from:to])
	}
	return to
}

// Close passes on what waits.
func (f *traceFilter) Close() error {
	f.pass(0, len(f.held))
	f.held = nil
	return f.failed
}
