package main

import (
	"fmt"

	"github.com/hone-go/hone/internal/bench"
)

// gateError returns how verbs end that can block a change: hone bench, check, load and pgo.
// A missed objective or a regression is exit code 3. Something that could not be measured
// counts as not met, with exit code 1.
func gateError(missed bool, unmeasured int) error {
	switch {
	case missed:
		return errMissed
	case unmeasured == 1:
		return fmt.Errorf("1 benchmark, package or objective could not be measured")
	case unmeasured > 0:
		return fmt.Errorf("%d benchmarks, packages or objectives could not be measured", unmeasured)
	}
	return nil
}

// benchGate returns the error that a measurement of benchmarks ends with.
func benchGate(r *bench.Report) error {
	return gateError(r.Family != nil && len(r.Family.Regressions()) > 0, len(r.Unmeasured()))
}
