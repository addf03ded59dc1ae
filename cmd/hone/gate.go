package main

import (
	"fmt"

	"github.com/hone-go/hone/internal/bench"
)

// gateError is how every verb ends that can stop a change: hone bench, check, load and
// pgo. A miss or a regression is exit code 3. What was to be measured and was not is not
// met: exit code 1.
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

// benchGate is how a measurement of benchmarks ends.
func benchGate(r *bench.Report) error {
	return gateError(r.Family != nil && len(r.Family.Regressions()) > 0, len(r.Unmeasured()))
}
