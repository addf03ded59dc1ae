package experiment

import "math/rand/v2"

// A Side is one of the two things compared.
type Side uint8

const (
	Base Side = iota
	Head
)

func (s Side) String() string {
	if s == Head {
		return "head"
	}
	return "base"
}

// A Phase is what samples of a run were measured for.
type Phase uint8

const (
	Measure  Phase = iota // the comparison itself, or the only measurement
	PreCheck              // A/A: both sides are the base
	Repeat                // the confirming run
)

// A Slot is one execution of the schedule: Order counts from 0 over the whole
// run, Block from 0 over blocks.
type Slot struct {
	Block, Order int
	Side         Side
	Layout       int    // order in memory of the binary's functions; 0: as linked
	Beside       Beside // known once it has run
}

// Beside is what went on beside one process, in cores; zero where it isn't known.
type Beside struct {
	Others float64 // used by anything else
	Idle   float64 // left over
}

// Crowded reports whether there was somebody else and hardly a core left: that a
// process may have waited for one.
func (b Beside) Crowded() bool { return b.Others > 0.1 && b.Idle < 0.1 }

// Schedule returns when which side runs, for pairs executions of each: blocks
// of four, ABBA or BAAB by a fair coin, and a block of two at the end when
// pairs is odd. Slots start at the given order and block, so that a run that
// goes on continues its numbering.
//
// ABBA because a linear drift of the machine cancels within each block; the
// coin because anything periodic would otherwise line up with one side.
func Schedule(rng *rand.Rand, pairs, firstBlock, firstOrder int) []Slot {
	var slots []Slot
	add := func(sides ...Side) {
		for _, s := range sides {
			slots = append(slots, Slot{Block: firstBlock, Order: firstOrder + len(slots), Side: s})
		}
		firstBlock++
	}
	for ; pairs > 0; pairs -= 2 {
		first, second := Base, Head
		if rng.IntN(2) == 1 {
			first, second = second, first
		}
		if pairs == 1 {
			add(first, second)
			break
		}
		add(first, second, second, first)
	}
	return slots
}

// Turns numbers what is measured of a run, phase by phase, so that whatever is
// measured later goes on where the earlier ended.
type Turns struct {
	rng          *rand.Rand
	block, order map[Phase]int // next
}

// NewTurns returns the turns of a new run.
func NewTurns(rng *rand.Rand) *Turns {
	return &Turns{rng, make(map[Phase]int), make(map[Phase]int)}
}

// Alone returns the slot of something that only one side has.
func (t *Turns) Alone(phase Phase, side Side) Slot {
	s := Slot{Block: t.block[phase], Order: t.order[phase], Side: side}
	t.block[phase]++
	t.order[phase]++
	return s
}

// Pairs has n pairs of each target measured, block by block, target after target,
// so that each one's samples spread over the whole time.
func Pairs[T any](t *Turns, targets []T, phase Phase, n int, block func(target T, slots []Slot) error) error {
	for left := n; left > 0; left -= 2 {
		for _, target := range targets {
			slots := Schedule(t.rng, min(2, left), t.block[phase], t.order[phase])
			t.block[phase]++
			t.order[phase] += len(slots)
			if err := block(target, slots); err != nil {
				return err
			}
		}
	}
	return nil
}

// Runs returns the side that runs in a slot: the slot's, but the base in a pre-check,
// which is A/A.
func (s Slot) Runs(phase Phase) Side {
	if phase == PreCheck {
		return Base
	}
	return s.Side
}
