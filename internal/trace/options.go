package trace

import "time"

// Options select goroutines, and bound memory.
type Options struct {
	// System keeps goroutines of the runtime, and those that record the trace.
	System bool
	// Agent keeps those of hone's agent, and those that serve its pages.
	Agent bool
	// Idle keeps goroutines that wait all the time: they have no wait that began
	// or ended, only one that covers the trace.
	Idle bool
	// Skip, if set, leaves out goroutines by the function they started with.
	Skip func(entry string) bool
	// MaxStacks bounds the number of different stacks; 0 is DefaultMaxStacks.
	MaxStacks int
	// MaxGeneration bounds a generation of the trace, in bytes, which the reader holds
	// as a whole; 0 is DefaultMaxGeneration. A program begins one each second.
	MaxGeneration int64
	// MaxGoroutines bounds the goroutines alive at once; 0 is DefaultMaxGoroutines.
	MaxGoroutines int
}

// DefaultMaxStacks is far more than programs have, and some 200 MB.
const DefaultMaxStacks = 1 << 20

// The largest programs write some 100 MB of trace a second, and have a million goroutines.
const (
	DefaultMaxGeneration = 512 << 20
	DefaultMaxGoroutines = 4 << 20
)

// maxSamples bounds the CPU samples that are kept of a goroutine until it stops running.
const maxSamples = 16 << 20

// Stats are what a profile made of a trace does not say.
type Stats struct {
	Duration   time.Duration // of the trace
	Goroutines int           // in the profile
	System     int           // left out: of the runtime
	Agent      int           // left out, all of it or in part: of hone's agent
	Idle       int           // left out: waited all the time
	Skipped    int           // left out: asked for
	CPUSamples int           // by which running time was divided
}
