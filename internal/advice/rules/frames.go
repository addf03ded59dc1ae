package rules

import "time"

// Of lines below these parts of all bytes or objects nothing is said: less, where it
// is plain what to do.
const (
	muchAllocated = 0.05
	someAllocated = 0.01
)

const (
	muchWaiting = 0.1
	longWaiting = 10 * time.Millisecond
)
