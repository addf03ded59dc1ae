//go:build !unix && !windows

package agent

import "time"

func processCPU() time.Duration { return metricsCPU() }
