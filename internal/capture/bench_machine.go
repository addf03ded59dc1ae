package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// powerWarnings tells of a battery: laptops are slower and less steady on it.
// dir is Linux's /sys/class/power_supply.
func powerWarnings(dir string) []string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		kind, _ := os.ReadFile(filepath.Join(dir, e.Name(), "type"))
		status, _ := os.ReadFile(filepath.Join(dir, e.Name(), "status"))
		if strings.TrimSpace(string(kind)) == "Battery" && strings.TrimSpace(string(status)) == "Discharging" {
			return []string{"the machine runs on its battery: the clock of the CPU may be held down"}
		}
	}
	return nil
}

// A disturbance is what counters of the machine say of times when benchmarks
// were held up. Zero where there are none.
type disturbance struct {
	throttled    int64 // times that a core was too hot
	stolen, time int64 // ticks that the hypervisor gave to others; of all cores and states
}

func readDisturbance() disturbance {
	var d disturbance
	files, _ := filepath.Glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		d.throttled += n
	}
	stat, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	// cpu user nice system idle iowait irq softirq steal guest guest_nice
	for i, f := range strings.Fields(line) {
		n, _ := strconv.ParseInt(f, 10, 64)
		if i <= 8 {
			d.time += n
		}
		if i == 8 {
			d.stolen = n
		}
	}
	return d
}

// warnings says what happened since.
func (d disturbance) warnings() []string {
	now := readDisturbance()
	var w []string
	if n := now.throttled - d.throttled; n > 0 {
		w = append(w, fmt.Sprintf("the CPU was too hot and slowed down %d times while measuring", n))
	}
	if all := now.time - d.time; all > 0 {
		// Two percent: what a resolution of 3 % would not survive in one side.
		if share := float64(now.stolen-d.stolen) / float64(all); share > 0.02 {
			w = append(w, fmt.Sprintf("the hypervisor took %.0f %% of the time while measuring: other virtual machines are busy", 100*share))
		}
	}
	return w
}
