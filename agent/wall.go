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
	w := newProfileEncoder([2]string{"samples", "count"}, [2]string{"wall", "nanoseconds"})
	w.valueType(encoded.FieldPeriodType, "wall", "nanoseconds")
	w.out = encoded.AppendNumber(w.out, encoded.FieldPeriod, uint64(each))
	for stack, n := range stacks {
		addStack(w, stack, n, each)
	}
	return w.finish()
}

// addStack adds a stack that was seen n times.
func addStack(w *profileEncoder, stack [maxFrames]uintptr, n int, each time.Duration) {
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
	w.add(locations, "state", stateOf(leaf), uint64(n), uint64(n)*uint64(each))
}

// ownFunctions begins the names of functions that the agent's goroutines start
// with.
const ownFunctions = "github.com/hone-go/hone/agent.(*Agent)."
