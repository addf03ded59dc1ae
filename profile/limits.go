package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"
)

// Limits bound what decoding accepts. A zero field means its default; see
// [DefaultLimits].
type Limits struct {
	Bytes     int64 // decompressed size
	Samples   int
	Frames    int // of all samples together
	Locations int
	Lines     int // of all locations together
	Functions int
	Strings   int
	Labels    int   // distinct, of all samples together
	TextBytes int64 // size of a profile in one of the text formats

	// Memory bounds the memory for decoding one profile: buffered input,
	// decompressed bytes, and the profile, down to the header of an empty string.
	Memory int64
	// Expansion bounds memory and decompressed bytes by the size of the input:
	// each may take ExpandTo bytes, plus Expansion bytes per byte of input. A byte
	// of a profiler's file takes 3 to 20 bytes of memory; a file where it takes a
	// thousand was crafted. A negative Expansion disables this limit.
	Expansion int
	ExpandTo  int64
	// Budget, unless nil, is a further limit on memory, which several decoders can
	// share.
	Budget Budget
}

// A Budget is an amount of memory to share. Its methods may be called concurrently.
type Budget interface {
	// Take takes n bytes. If it fails, decoding ends with its error.
	Take(n int64) error
	// Give gives n bytes back. Decoding keeps those of the profile it returns: the
	// caller gives them back when the profile is no longer used.
	Give(n int64)
}

// DefaultLimits returns the default limits: far above what profilers write, and low
// enough that hostile input can't use up all memory.
func DefaultLimits() Limits {
	return Limits{
		Bytes:     8 << 30,
		Samples:   64 << 20,
		Frames:    1 << 30,
		Locations: 64 << 20,
		Lines:     128 << 20,
		Functions: 64 << 20,
		Strings:   64 << 20,
		Labels:    64 << 20,
		TextBytes: 512 << 20,
		Memory:    4 << 30,
		Expansion: 64,
		ExpandTo:  64 << 20,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Bytes:     cmp.Or(l.Bytes, d.Bytes),
		Samples:   cmp.Or(l.Samples, d.Samples),
		Frames:    cmp.Or(l.Frames, d.Frames),
		Locations: cmp.Or(l.Locations, d.Locations),
		Lines:     cmp.Or(l.Lines, d.Lines),
		Functions: cmp.Or(l.Functions, d.Functions),
		Strings:   cmp.Or(l.Strings, d.Strings),
		Labels:    cmp.Or(l.Labels, d.Labels),
		TextBytes: cmp.Or(l.TextBytes, d.TextBytes),
		Memory:    cmp.Or(l.Memory, d.Memory),
		Expansion: cmp.Or(l.Expansion, d.Expansion),
		ExpandTo:  cmp.Or(l.ExpandTo, d.ExpandTo),
		Budget:    l.Budget,
	}
}

// expanded returns how many bytes Expansion allows for sent bytes of input.
func (l *Limits) expanded(sent int64) int64 {
	if l.Expansion < 0 || sent > (math.MaxInt64-l.ExpandTo)/int64(max(1, l.Expansion)) {
		return math.MaxInt64
	}
	return l.ExpandTo + int64(l.Expansion)*sent
}

// A LimitError says that a profile exceeds one of the [Limits].
type LimitError struct {
	What  string // what exceeds it, such as "samples"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("profile has more than %d %s, the limit", e.Limit, e.What)
}

// tooLarge returns the error of a limit on bytes of some kind. sent is the size of
// the input if the limit follows from it, and otherwise 0.
func tooLarge(kind string, limit, sent int64) error {
	if sent > 0 {
		kind = fmt.Sprintf("%s for the %d sent", kind, sent)
	}
	return &LimitError{kind, limit}
}

const memoryBytes = "bytes in memory"

// A meter counts the memory that decoding takes. Memory that grows with the input
// is counted before it is allocated.
type meter struct {
	budget Budget
	used   int64
	limit  int64
	bytes  int64 // that were sent
	sent   int64 // the same if they set the limit, otherwise 0
}

// newMeter returns the meter for a profile whose input has this many bytes.
func newMeter(lim Limits, sent int64) meter {
	m := meter{budget: lim.Budget, limit: lim.Memory, bytes: max(1, sent)}
	if most := lim.expanded(sent); most < m.limit {
		m.limit, m.sent = most, m.bytes
	}
	return m
}

// take takes n bytes.
func (m *meter) take(n int64) error {
	if n > m.limit-m.used {
		return tooLarge(memoryBytes, m.limit, m.sent)
	}
	if m.budget != nil {
		if err := m.budget.Take(n); err != nil {
			return err
		}
	}
	m.used += n
	return nil
}

// give gives n bytes back.
func (m *meter) give(n int64) {
	m.used -= n
	if m.budget != nil {
		m.budget.Give(n)
	}
}

// hold takes or gives back the difference between held and now: the memory of
// something that is measured from time to time.
func (m *meter) hold(held *int64, now int64) error {
	n := now - *held
	if n < 0 {
		m.give(-n)
	} else if err := m.take(n); err != nil {
		return err
	}
	*held = now
	return nil
}

// readAll is [io.ReadAll].
func (m *meter) readAll(r io.Reader) (data []byte, err error) {
	for {
		if data, err = grown(m, data, 4<<10); err != nil {
			return data, err
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
	}
}

// grown returns s with room for n more elements, as append would grow it, and takes
// the memory from m. Old and new memory are both taken while elements are copied.
func grown[T any](m *meter, s []T, n int) ([]T, error) {
	if n <= cap(s)-len(s) {
		return s, nil
	}
	want := appendCap(len(s)+n, cap(s))
	if err := m.take(bytesOf[T](want)); err != nil {
		return s, err
	}
	old := cap(s)
	s = slices.Grow(s, n)
	m.give(bytesOf[T](old + want - cap(s)))
	return s, nil
}

// appendCap is the capacity that append grows a slice to, before rounding.
func appendCap(need, old int) int {
	grown := 2 * old
	if old >= 256 {
		grown = old + (old+3*256)/4
	}
	return max(need, grown)
}

// bytesOf returns the size of n elements.
func bytesOf[T any](n int) int64 {
	var t T
	return int64(n) * int64(unsafe.Sizeof(t))
}
