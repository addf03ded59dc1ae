//go:build !linux

package workspace

import (
	"errors"
	"runtime"
)

func CheckPin(cpus []int) error {
	if len(cpus) > 0 {
		return errors.New("benchmarks can't be pinned to CPUs on " + runtime.GOOS)
	}
	return nil
}

func startPinned(_ []int, start func() error) error { return start() }
