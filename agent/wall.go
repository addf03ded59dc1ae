package agent

import (
	"encoding/binary"
	"runtime"
	"strings"
	"time"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// maxFrames is the length of runtime.StackRecord.
const maxFrames = len(runtime.StackRecord{}.Stack0)

// goroutineStacks returns the stacks of all goroutines in records or in a
// larger slice.
func goroutineStacks(records []runtime.StackRecord) []runtime.StackRecord {
	n := runtime.NumGoroutine()
	for range 3 { // while goroutines start faster than there is room made for them
		if room := n + n/8 + 16; cap(records) < room {
			records = make([]runtime.StackRecord, room)
		}
		records = records[:cap(records)]
		var ok bool
		if n, ok = runtime.GoroutineProfile(records); ok {
			return records[:n]
		}
	}
	return nil
}

// What a goroutine was doing, as far as the function at the end of its stack
// tells: the value of the label state.
const (
	stateRunning = "running" // or ready to run
	stateSyscall = "syscall" // in the kernel or in C, running or waiting
	stateWaiting = "waiting" // for a channel, a lock, the network, a timer
)

func stateOf(leaf string) string {
	switch {
	case leaf == "runtime.gopark" || leaf == "runtime.notetsleepg":
		return stateWaiting
	case strings.HasPrefix(leaf, "syscall.") || strings.HasPrefix(leaf, "internal/runtime/syscall") || leaf == "runtime.cgocall":
		return stateSyscall
	}
	return stateRunning
}

// encodeWall returns a profile of stacks, each of which was seen so often, for
// a time of each. Stacks of the agent are left out.
func encodeWall(stacks map[[maxFrames]uintptr]int, each time.Duration) []byte {
	w := wallEncoder{strings: map[string]uint64{"": 0}, table: []string{""}, functions: make(map[[2]uint64]uint64), locations: make(map[location]uint64)}
	valueMessage := func(number int, typ, unit string) {
		w.out = encoded.AppendMessage(w.out, number, encoded.AppendNumber(encoded.AppendNumber(nil, 1, w.string(typ)), 2, w.string(unit)))
	}
	valueMessage(encoded.FieldSampleType, "samples", "count")
	valueMessage(encoded.FieldSampleType, "wall", "nanoseconds")
	valueMessage(encoded.FieldPeriodType, "wall", "nanoseconds")
	w.out = encoded.AppendNumber(w.out, encoded.FieldPeriod, uint64(each))
	for stack, n := range stacks {
		w.sample(stack, n, each)
	}
	for _, s := range w.table {
		w.out = encoded.AppendMessage(w.out, encoded.FieldString, []byte(s))
	}
	return w.out
}

type wallEncoder struct {
	out       []byte
	strings   map[string]uint64
	table     []string
	functions map[[2]uint64]uint64 // by name and file
	locations map[location]uint64
}

// location is a line of a function.
type location struct{ function, line uint64 }

func (w *wallEncoder) string(s string) uint64 {
	i, ok := w.strings[s]
	if !ok {
		i = uint64(len(w.table))
		w.strings[s] = i
		w.table = append(w.table, s)
	}
	return i
}

func (w *wallEncoder) sample(stack [maxFrames]uintptr, n int, each time.Duration) {
	depth := 0
	for depth < maxFrames && stack[depth] != 0 {
		depth++
	}
	if depth == 0 {
		return
	}
	var locations []byte
	var leaf, root string
	frames := runtime.CallersFrames(stack[:depth])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "runtime.goexit" {
			continue // below every goroutine
		}
		if leaf == "" {
			leaf = f.Function
		}
		root = f.Function
		locations = binary.AppendUvarint(locations, w.location(f.Function, f.File, f.Line))
	}
	if strings.HasPrefix(root, ownFunctions) {
		return
	}
	if depth == maxFrames {
		// Otherwise it would look as if goroutines began in the middle.
		locations = binary.AppendUvarint(locations, w.location("(deeper than 32 frames)", "", 0))
	}
	values := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)), uint64(n)*uint64(each))
	m := encoded.AppendMessage(encoded.AppendMessage(nil, encoded.SampleLocation, locations), encoded.SampleValue, values)
	label := encoded.AppendNumber(encoded.AppendNumber(nil, 1, w.string("state")), 2, w.string(stateOf(leaf)))
	w.out = encoded.AppendMessage(w.out, encoded.FieldSample, encoded.AppendMessage(m, encoded.SampleLabel, label))
}

// ownFunctions begins the names of functions that the agent's goroutines start
// with.
const ownFunctions = "github.com/hone-go/hone/agent.(*Agent)."

func (w *wallEncoder) location(function, file string, line int) uint64 {
	key := [2]uint64{w.string(function), w.string(file)}
	f, ok := w.functions[key]
	if !ok {
		f = uint64(len(w.functions)) + 1
		w.functions[key] = f
		m := encoded.AppendNumber(encoded.AppendNumber(nil, encoded.EntryID, f), 2, key[0])
		m = encoded.AppendNumber(encoded.AppendNumber(m, 3, key[0]), 4, key[1])
		w.out = encoded.AppendMessage(w.out, encoded.FieldFunction, m)
	}
	at := location{f, uint64(max(0, line))}
	l, ok := w.locations[at]
	if !ok {
		l = uint64(len(w.locations)) + 1
		w.locations[at] = l
		m := encoded.AppendMessage(encoded.AppendNumber(nil, encoded.EntryID, l), encoded.LocationLine, encoded.AppendNumber(encoded.AppendNumber(nil, encoded.LineFunction, f), 2, at.line))
		w.out = encoded.AppendMessage(w.out, encoded.FieldLocation, m)
	}
	return l
}
