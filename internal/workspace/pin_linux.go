package workspace

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// cpuMask is the kernel's cpu_set_t.
type cpuMask [1024 / 64]uint64

func affinity(call uintptr, mask *cpuMask) error {
	// 0 is this thread.
	if _, _, e := syscall.RawSyscall(call, 0, unsafe.Sizeof(*mask), uintptr(unsafe.Pointer(mask))); e != 0 {
		return e
	}
	return nil
}

func CheckPin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var allowed cpuMask
	if err := affinity(syscall.SYS_SCHED_GETAFFINITY, &allowed); err != nil {
		return fmt.Errorf("pin to CPUs: %w", err)
	}
	for _, c := range cpus {
		if c < 0 || c >= 64*len(allowed) || allowed[c/64]&(1<<(c%64)) == 0 {
			return fmt.Errorf("pin to CPUs: there is no CPU %d for this process; it may use %d", c, runtime.NumCPU())
		}
	}
	return nil
}

// startPinned starts a process on the given CPUs. It inherits them from the thread
// that starts it, to which the caller is locked.
func startPinned(cpus []int, start func() error) error {
	if len(cpus) == 0 {
		return start()
	}
	var before, mask cpuMask
	for _, c := range cpus {
		mask[c/64] |= 1 << (c % 64)
	}
	if err := affinity(syscall.SYS_SCHED_GETAFFINITY, &before); err != nil {
		return err
	}
	if err := affinity(syscall.SYS_SCHED_SETAFFINITY, &mask); err != nil {
		return fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	return errors.Join(start(), affinity(syscall.SYS_SCHED_SETAFFINITY, &before))
}
