//go:build !linux

package agent

import "time"

// threadCPU reports that the standard library has no way to ask.
func threadCPU() (time.Duration, bool) { return 0, false }
