//go:build !unix

package interleave

import "time"

var start = time.Now()

// processTime returns the time since the process began.
func processTime() time.Duration { return time.Since(start) }
