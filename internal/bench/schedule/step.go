// Package schedule decides what a measurement does next: given what was measured so far,
// and the clock, it gives the next step, or ends. It starts no process, reads no file and
// asks no clock but the one that it is given.
package schedule

import (
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// A Step is what to do next: one of the types below.
type Step interface{ step() }

// Steps. N is the place of a benchmark in the plan.
type (
	// Calibrate has both sides run for a short time, one process each, and tells what the
	// rest of a process takes. Its outcome has Costs, or Failed.
	Calibrate struct {
		N      int
		Length Length
	}
	// Link links the binaries of a benchmark's package in a layout of their own. Those of
	// layouts below Keep are not needed any more. Its outcome may have Failed and Why.
	Link struct{ N, Layout, Keep int }
	// Samples takes samples of a benchmark and appends them to the run. Its outcome has
	// Took, Crowded and Costs, or Failed.
	Samples struct {
		N     int
		Phase experiment.Phase
		// Slots are the places of the samples, each of one side; none: it is a single
		// one of the head, in a run that compares nothing.
		Slots   []experiment.Slot
		Layouts []int    // by slot
		Lengths []Length // of the processes of a sample, which take turns with those of the others
		Costs   Costs    // so far
	}
	// Judge asks what the samples say. Its outcome has the Judgement.
	Judge struct{ Phase experiment.Phase }
	// Profile takes a profile of one side of a benchmark.
	Profile struct {
		N      int
		Side   experiment.Side
		Kind   string
		Length time.Duration
		Costs  Costs
	}
	// CheckMachine measures how many cores other programs use. Its outcome has Used and Cores.
	CheckMachine struct{}
	// Waiting tells that there is no core to measure on, and what is waited for.
	Waiting struct{ Text string }
	// Announce tells how long all that follows will take, and how long if all that is
	// compared has changed.
	Announce struct{ Expected, IfChanged time.Duration }
	// Note and Warn put a text into the run.
	Note struct{ Text string }
	Warn struct{ Text string }
)

func (Calibrate) step()    {}
func (Link) step()         {}
func (Samples) step()      {}
func (Judge) step()        {}
func (Profile) step()      {}
func (CheckMachine) step() {}
func (Waiting) step()      {}
func (Announce) step()     {}
func (Note) step()         {}
func (Warn) step()         {}

// An Outcome is what came of a step, as far as others depend on it.
type Outcome struct {
	Failed  bool            // of the benchmark nothing more is measured; or there is no such link
	Why     string          // a link failed
	Costs   Costs           // of the benchmark, from here on
	Took    []time.Duration // by sample
	Crowded bool            // others left no core to the last sample

	Used, Cores float64 // of the machine, by others; no cores: that isn't known

	Judgement Judgement
}

// A Judgement is what the samples of a run say so far, by benchmark.
type Judgement struct {
	Changed     map[ID]bool // some metric did
	Worse       map[ID]bool // some metric is
	Unconfirmed map[ID]bool // a second measurement has to show the change again
	// Open are those that more samples of the phase may decide.
	Open  map[ID]bool
	Noise map[ID]experiment.Floor // after a pre-check
}
