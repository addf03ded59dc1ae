package profile

import (
	"bufio"
	"encoding/binary"
	"fmt"
)

// legacyCPU decodes binary CPU profiles: a sequence of words, all of 4 or all of 8
// bytes, in the byte order of the machine it was taken on:
//
//	0  3  0|1 (Java)  period in µs  0          header
//	count  n  address × n                      per sample, leaf first
//	0  1  0                                    end
//
// The memory map follows as text, or the functions if it is Java.
func legacyCPU(l *legacy) error {
	w, java, ok := findWords(l.in)
	if !ok {
		return errNotLegacy
	}
	l.types(ValueType{"samples", "count"}, ValueType{"cpu", "nanoseconds"})
	var head [5]uint64
	for i := range head {
		head[i], _ = w.next()
	}
	l.p.PeriodType, l.p.Period = ValueType{"cpu", "nanoseconds"}, int64(head[3])*1000
	if err := readCPUSamples(l, &w, java); err != nil {
		return err
	}
	l.end = w.read
	if java {
		return readJavaLocations(l, nil)
	}
	l.dropSignalFrames()
	if err := l.compactLocations(); err != nil {
		return err
	}
	if err := l.memoryMap([]byte(memoryMapMarks[0])); err != nil {
		return err
	}
	l.dropDoubledLeaves()
	return nil
}

// words reads words of a fixed size.
type words struct {
	in    *bufio.Reader
	size  int
	order binary.ByteOrder
	read  int64 // bytes
}

// findWords finds the size and byte order of the words of a CPU profile, from the header
// at the start of in.
func findWords(in *bufio.Reader) (w words, java, ok bool) {
	for _, size := range [...]int{4, 8} {
		for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			w = words{in: in, size: size, order: order}
			head, err := in.Peek(5 * size)
			if err != nil {
				return w, false, false
			}
			if w.at(head, 0) == 0 && w.at(head, 1) == 3 && w.at(head, 2) <= 1 && w.at(head, 3) > 0 && w.at(head, 4) == 0 {
				return w, w.at(head, 2) == 1, true
			}
		}
	}
	return w, false, false
}

// at returns word i of b.
func (w *words) at(b []byte, i int) uint64 {
	if w.size == 4 {
		return uint64(w.order.Uint32(b[4*i:]))
	}
	return w.order.Uint64(b[8*i:])
}

// next returns the next word. After the end it returns 0 and the number of bytes that
// were left.
func (w *words) next() (v uint64, n int) {
	b, err := w.in.Peek(w.size)
	n = len(b)
	if err == nil {
		v = w.at(b, 0)
	}
	w.in.Discard(n)
	w.read += int64(n)
	return v, n
}

// readCPUSamples reads the samples. A profile may end without an end mark, and in the
// second half of a stack of 8-byte words. The missing addresses become 0.
func readCPUSamples(l *legacy, w *words, java bool) error {
	for {
		l.start = w.read
		count, left := w.next()
		if left == 0 {
			return nil
		}
		depth, n := w.next()
		if n < w.size {
			return &misfit{&SyntaxError{l.start, "the CPU profile is cut off"}}
		}
		rest := int64(0) // bytes left for the stack
		leaf := uint64(0)
		for i := uint64(0); i < depth; i++ {
			address, n := w.next()
			if rest += int64(n); n < w.size && depth > uint64(rest/4) {
				return &misfit{&SyntaxError{l.start, fmt.Sprintf("the CPU profile is cut off in a stack of %d", depth)}}
			}
			if i == 0 {
				leaf = address
			} else if !java {
				address-- // from the return address to the call; the leaf isn't a return address
			}
			if err := l.frame(address); err != nil {
				return err
			}
			if err := l.check(); err != nil {
				return err
			}
		}
		if count == 0 && depth == 1 && leaf == 0 {
			l.p.Frames = l.p.Frames[:l.stackStart]
			return nil
		}
		if err := l.sample(int64(count), int64(count)*l.p.Period); err != nil {
			return err
		}
	}
}

// dropSignalFrames drops the second frame of stacks if almost all have the same one: a
// signal handler pushed it. The leaf comes from the signal's context and is correct.
// There may be two such frames.
func (l *legacy) dropSignalFrames() {
	p := l.p
	for range 2 {
		callers := map[uint32]int{}
		for s := range p.Stacks {
			if stack := p.Stack(s); len(stack) > 1 {
				callers[stack[1]]++
			}
		}
		for caller, n := range callers {
			if n >= len(p.Stacks)-len(p.Stacks)/32 {
				for s := range p.Stacks {
					if stack := p.Stack(s); len(stack) > 1 && stack[1] == caller {
						l.dropSecond(s)
					}
				}
				break
			}
		}
	}
}
