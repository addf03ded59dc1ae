package main

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// unknownMemory is assumed for a machine that doesn't report its memory, in bytes.
const unknownMemory = 8 << 30

// machineMemory returns how many bytes of memory this process can use: the machine's
// memory, or the limit of its control group if that is lower.
func machineMemory() int64 {
	memory := int64(unknownMemory)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if fields := bytes.Fields(text); len(fields) > 1 && string(fields[0]) == "MemTotal:" {
			if kib, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil && kib < math.MaxInt64>>10 {
				memory = kib << 10
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil {
			memory = min(memory, n)
		}
	}
	return memory
}

// profileLimits returns the limits on profiles that a command line sets. An explicit limit on
// memory replaces the limit on how much a profile may expand.
func profileLimits(inv *shell.Invocation) profile.Limits {
	lim := profile.Limits{Bytes: inv.MaxBytes, TextBytes: inv.MaxBytes, Memory: inv.MaxMemory}
	if inv.MaxMemory > 0 {
		lim.Expansion = -1
	} else {
		lim.Memory = machineMemory() / 2
	}
	return lim
}
