package trace

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

// stacks holds each stack once, as frames, and each frame once. A trace has tables
// of its own, but anew for each generation.
type stacks struct {
	frames [][]uint32        // by number of the stack; the root first. Number 0 is the stack that is not known
	byKey  map[string]uint32 // number by frames
	// recorder tells stacks of a handler that records the very trace, or another
	// profile, and whose it is: it waits until that ends, which says nothing of the
	// program.
	recorder map[uint32]kind

	places  []place // by number of the frame
	byPlace map[place]uint32

	present map[trace.Stack]uint32 // of the generation that is read
	shared  map[[2]uint32]uint32   // common, as far as it was asked
	key     []byte
}

type place struct {
	function, file string
	line           int64
}

// maxShared bounds the memory of common, which is of use while a program does
// the same again and again.
const maxShared = 1 << 16

func (s *stacks) init() {
	s.byKey, s.recorder, s.byPlace = make(map[string]uint32), make(map[uint32]kind), make(map[place]uint32)
	s.shared = make(map[[2]uint32]uint32)
	unknown := s.frame(place{function: "[unknown]"})
	s.intern(nil)
	s.frames[0] = []uint32{unknown}
	s.forget()
}

// forget drops what refers to the reader's tables.
func (s *stacks) forget() { s.present = make(map[trace.Stack]uint32) }

func (s *stacks) frame(at place) uint32 {
	n, ok := s.byPlace[at]
	if !ok {
		n = uint32(len(s.places))
		at.function, at.file = strings.Clone(at.function), strings.Clone(at.file)
		s.places = append(s.places, at)
		s.byPlace[at] = n
	}
	return n
}

// intern returns the number of a stack; it copies frames.
func (s *stacks) intern(frames []uint32) uint32 {
	s.key = s.key[:0]
	for _, f := range frames {
		s.key = binary.LittleEndian.AppendUint32(s.key, f)
	}
	n, ok := s.byKey[string(s.key)]
	if !ok {
		n = uint32(len(s.frames))
		s.frames = append(s.frames, append([]uint32(nil), frames...))
		s.byKey[string(s.key)] = n
		for _, f := range frames {
			switch name := s.places[f].function; {
			case name == "net/http/pprof.Trace":
				s.recorder[n] = system
			case strings.HasPrefix(name, agentPages):
				s.recorder[n] = agent
			}
		}
	}
	return n
}

// parking are what the runtime does to put a goroutine to sleep. Stacks of waits
// that began before the trace have them, others don't.
var parking = map[string]bool{
	"runtime.gopark": true, "runtime.goparkunlock": true, "runtime.chanrecv": true, "runtime.chansend": true,
	"runtime.semacquire1": true, "runtime.netpollblock": true,
}

// of returns the number of a stack of the trace, 0 for none.
func (s *stacks) of(t trace.Stack) uint32 {
	if t == trace.NoStack {
		return 0
	}
	n, ok := s.present[t]
	if !ok {
		var frames []uint32
		for f := range t.Frames() {
			if len(frames) == 0 && parking[f.Func] {
				continue
			}
			frames = append(frames, s.frame(place{f.Func, f.File, int64(f.Line)}))
		}
		slices.Reverse(frames)
		if frames = s.started(frames); len(frames) > 0 {
			n = s.intern(frames)
		}
		s.present[t] = n
	}
	return n
}

// started returns frames, the root first, from the function that the goroutine
// started with: stacks of CPU samples have the runtime's around it, others don't.
func (s *stacks) started(frames []uint32) []uint32 {
	is := func(i int, name string) bool { return i < len(frames) && s.places[frames[i]].function == name }
	if is(0, "runtime.goexit") {
		frames = frames[1:]
	}
	if is(0, "runtime.main") && is(1, "main.main") {
		frames = frames[1:]
	}
	return frames
}

// entry returns the name of the function that a goroutine with this stack
// started with.
func (s *stacks) entry(stack uint32) string { return s.places[s.frames[stack][0]].function }

// root returns the stack of that function alone.
func (s *stacks) root(stack uint32) uint32 {
	if stack == 0 {
		return 0
	}
	return s.intern(s.frames[stack][:1])
}

// caller returns a stack without its innermost frame, if it has others.
func (s *stacks) caller(stack uint32) uint32 {
	frames := s.frames[stack]
	return s.intern(frames[:max(1, len(frames)-1)])
}

// common returns the stack of the frames that two stacks share, the last of them
// in the same function, if not on the same line; it is on a's.
func (s *stacks) common(a, b uint32) uint32 {
	if a == b {
		return a
	}
	if n, ok := s.shared[[2]uint32{a, b}]; ok {
		return n
	}
	af, bf := s.frames[a], s.frames[b]
	n := 0
	for n < min(len(af), len(bf)) {
		same := af[n] == bf[n]
		if !same && (s.places[af[n]].function != s.places[bf[n]].function || s.places[af[n]].file != s.places[bf[n]].file) {
			break
		}
		n++
		if !same {
			break // the rest was called from another line
		}
	}
	if n == 0 {
		n = 1 // cut off at the runtime's limit of frames
	}
	if len(s.shared) >= maxShared {
		clear(s.shared)
	}
	both := s.intern(af[:n])
	s.shared[[2]uint32{a, b}] = both
	return both
}

// reason tells by its innermost function what a goroutine waits for: a trace does
// not say it of waits that began before.
func (s *stacks) reason(stack uint32) string {
	frames := s.frames[stack]
	name := s.places[frames[len(frames)-1]].function
	switch {
	case strings.HasPrefix(name, "runtime.chanrecv"):
		return "chan receive"
	case strings.HasPrefix(name, "runtime.chansend"):
		return "chan send"
	case name == "runtime.selectgo":
		return "select"
	case name == "runtime.block":
		return "forever"
	case name == "time.Sleep":
		return "sleep"
	case strings.HasPrefix(name, "internal/poll."):
		return "network"
	case name == "sync.(*Cond).Wait":
		return "sync.(*Cond).Wait"
	case strings.HasPrefix(name, "sync."), strings.HasPrefix(name, "internal/sync."):
		return "sync"
	}
	return Waiting
}
