package workspace

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// PowerWarnings tells of a battery: laptops are slower and less steady on it.
// dir is Linux's /sys/class/power_supply.
func PowerWarnings(dir string) []string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		kind, _ := os.ReadFile(filepath.Join(dir, e.Name(), "type"))
		status, _ := os.ReadFile(filepath.Join(dir, e.Name(), "status"))
		if strings.TrimSpace(string(kind)) == "Battery" && strings.TrimSpace(string(status)) == "Discharging" {
			return []string{"the machine runs on battery: the CPU may be throttled"}
		}
	}
	return nil
}

// A machine is what Linux counts of the time of all cores, in ticks of 10 ms; zero
// elsewhere.
type machine struct {
	busy, idle, stolen int64
}

const (
	tick     = time.Second / 100
	fewTicks = 10 // with fewer, what is counted says nothing
)

func readMachine() machine {
	stat, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	var m machine
	// cpu user nice system idle iowait irq softirq steal guest guest_nice
	for i, f := range strings.Fields(line) {
		n, _ := strconv.ParseInt(f, 10, 64)
		switch {
		case i == 4, i == 5:
			m.idle += n
		case i == 8:
			m.stolen = n
		case i <= 7:
			m.busy += n
		}
	}
	return m
}

func (m machine) all() int64 { return m.busy + m.idle + m.stolen }

// beside says what went on beside a process of so much CPU time, up to a later reading.
func (m machine) beside(now machine, wall, cpu time.Duration) experiment.Beside {
	if now.all() == m.all() || wall < fewTicks*tick {
		return experiment.Beside{} // not known, or of too few ticks
	}
	cores := func(t time.Duration) float64 { return math.Round(100*t.Seconds()/wall.Seconds()) / 100 }
	return experiment.Beside{
		Others: max(0, cores(time.Duration(now.busy+now.stolen-m.busy-m.stolen)*tick-cpu)),
		Idle:   cores(time.Duration(now.idle-m.idle) * tick),
	}
}

// A Disturbance is what counters of the machine say of times when benchmarks
// were held up. Zero where there are none.
type Disturbance struct {
	throttled int64 // times that a core was too hot
	machine
	own time.Duration // CPU time of hone and of the programs that it started and that have ended
}

func ReadDisturbance() Disturbance {
	var d Disturbance
	files, _ := filepath.Glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		d.throttled += n
	}
	d.machine, d.own = readMachine(), ownTime()
	return d
}

// Warnings says what happened up to a later reading.
func (d Disturbance) Warnings(now Disturbance) []string {
	var w []string
	if n := now.throttled - d.throttled; n > 0 {
		w = append(w, fmt.Sprintf("the CPU was too hot and slowed down %d times while measuring", n))
	}
	if all := now.all() - d.all(); all > 0 {
		// Two percent: what a resolution of 3 % would not survive in one side.
		if share := float64(now.stolen-d.stolen) / float64(all); share > 0.02 {
			w = append(w, fmt.Sprintf("the hypervisor stole %.0f %% of the CPU time while measuring, because the host is busy: expect more noise", 100*share))
		}
		// A quarter: with less, there is a core for the benchmark on most machines.
		others := max(0, float64(now.busy-d.busy)-float64(now.own-d.own)/float64(tick)) / float64(all)
		if n := runtime.NumCPU(); all >= int64(n)*fewTicks && others > 0.25 {
			w = append(w, fmt.Sprintf("other programs used %.1f of %d cores while measuring", others*float64(n), n))
		}
	}
	return w
}

// lookTime is how long the machine is looked at: 25 ticks of each core.
const lookTime = 250 * time.Millisecond

// CoresInUse measures, for a moment in which hone does nothing, how many cores other programs use,
// and how many there are. Both are 0 if the system doesn't tell.
func CoresInUse(ctx context.Context) (used, cores float64, err error) {
	before, begin := readMachine(), time.Now()
	select {
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	case <-time.After(lookTime):
	}
	took := time.Since(begin)
	beside := before.beside(readMachine(), took, 0)
	return beside.Others, beside.Others + beside.Idle, nil
}
