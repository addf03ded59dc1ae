// Package traceutil has the name that the reporter of Parca's agent uses.
package traceutil

import (
	"crypto/sha256"
	"fmt"

	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// HashTrace returns what is the same for equal stacks.
func HashTrace(t *libpf.Trace) libpf.TraceHash {
	h := sha256.New()
	for _, f := range t.Frames {
		fmt.Fprintf(h, "%+v\n", f.Value())
	}
	hash, err := libpf.TraceHashFromBytes(h.Sum(nil)[:16])
	if err != nil {
		panic(err) // 16 bytes
	}
	return hash
}
