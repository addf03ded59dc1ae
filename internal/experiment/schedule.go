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

// A Slot is one execution of the schedule: Order counts from 0 over the whole
// run, Block from 0 over blocks.
type Slot struct {
	Block, Order int
	Side         Side
}

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
			slots = append(slots, Slot{firstBlock, firstOrder + len(slots), s})
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
