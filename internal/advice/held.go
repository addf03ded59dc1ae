package advice

import (
	"cmp"
	"go/ast"
	"maps"
	"slices"
)

// leastHeld is the least memory that a finding about the heap in use can save, in bytes. At the runtime's
// default rate of one sample per 512 KiB, that is four samples: with fewer, the memory may well be held
// elsewhere.
const leastHeld = 4 * 512 << 10

// Held is memory in use that a line allocated.
type Held struct {
	Bytes, Objects int64
	Share          float64 // of the bytes of the heap in use
}

// HeldBy returns what the line holds of what a match is about, in the subject where that is the largest share
// of the heap.
func (c *Costs) HeldBy(m *Match) Held { return c.seen.held(c.hot.held(m)) }

// HeldIn returns what the lines of a node themselves hold, in the subject where that is the largest share of the
// heap.
func (s *Site) HeldIn(n ast.Node) Held {
	own := make(matched)
	for h := range s.linesOf(n) {
		for subject, v := range h.held(&Match{Blocks: func(int64) bool { return true }}) {
			own.of(subject).add(v)
		}
	}
	return s.seen.held(own)
}

// held is the heap in use that a line allocated, of what a match is about, by subject.
func (h *hot) held(of *Match) matched {
	m := make(matched)
	if of.Blocks != nil {
		for subject, sizes := range h.live {
			v := m.of(subject)
			for size, n := range sizes {
				if of.Blocks(size) {
					v[liveBytes] += size * n
					v[liveBlocks] += n
				}
			}
		}
		return m
	}
	for subject, all := range h.match(about{frames: of.Frames, folded: true}) {
		v := m.of(subject)
		v[liveBytes], v[liveBlocks] = all[liveBytes], all[liveBlocks]
	}
	return m
}

// held is the part in the subject where its share of the heap is largest.
func (e *evidence) held(m matched) (most Held) {
	if subject, ok := e.holdsMost(m); ok {
		v := m[subject]
		most = Held{v[liveBytes], v[liveBlocks], e.share(v[liveBytes], subject, liveBytes)}
	}
	return most
}

// holdsMost returns the subject where a part is the largest share of the heap.
func (e *evidence) holdsMost(m matched) (best int, ok bool) {
	most := 0.0
	for _, subject := range slices.Sorted(maps.Keys(m)) {
		if share := e.share(m[subject][liveBytes], subject, liveBytes); share > most {
			best, most, ok = subject, share, true
		}
	}
	return best, ok
}

// holdsEnough reports whether a change that saves a share of what a line holds is worth a word: it saves
// a share of the heap, and enough samples say so.
func (e *evidence) holdsEnough(m matched, saves, least float64) bool {
	held := e.held(m)
	return saves*held.Share >= least && saves*float64(held.Bytes) >= leastHeld
}

// describeHeld is describe for a part of the heap in use, of which a change saves a share.
func (e *evidence) describeHeld(h *hot, m matched, saves float64) (out Evidence, b Bound) {
	best, ok := e.holdsMost(m)
	if !ok {
		return out, b
	}
	v := m[best]
	share := e.share(v[liveBytes], best, liveBytes)
	out.Subject = e.subjects[best]
	out.Live = &Share{Value: v[liveBytes], Unit: "bytes", Share: share}
	out.LiveObjects = &Share{Value: v[liveBlocks], Unit: "count", Share: e.share(v[liveBlocks], best, liveBlocks)}
	for subject := range e.subjects {
		if name := e.subjects[subject]; name != "" && m[subject] != nil && m[subject][liveBytes] > 0 {
			out.Subjects = append(out.Subjects, name)
		}
	}
	slices.SortStableFunc(out.Subjects, func(a, b string) int {
		return cmp.Compare(m[e.subject(b)][liveBytes], m[e.subject(a)][liveBytes])
	})
	out.Callers = e.calledByAs(h, best, liveBytes, 0)
	b.Live, b.LiveBytes = saves*share, int64(saves*float64(v[liveBytes]))
	// Memory and time have no common measure. As for what is only known to be allocated, it counts a third.
	b.Expected = b.Live / 3
	b.Worth = b.Expected
	return out, b
}
