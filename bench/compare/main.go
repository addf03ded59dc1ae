// Compare runs two command lines in turn and tells how their times and memory
// relate: what hone claims against other tools is measured with it.
//
// Usage:
//
//	go run ./bench/compare [-n 5] COMMAND ARG... -- COMMAND ARG...
//
// Both commands run -n times, one after the other, so that whatever else the
// machine does hits both alike. Printed are the medians and the least of wall
// time, the medians of CPU time and peak resident memory, and the second
// command's figures as multiples of the first's. Output of the commands is
// dropped. Memory is measured on Linux only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// sample is what one run of a command took.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // bytes
}

func main() {
	n := flag.Int("n", 5, "runs of each command")
	flag.Parse()
	if err := compare(*n, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func compare(n int, args []string) error {
	cut := slices.Index(args, "--")
	if cut <= 0 || cut == len(args)-1 || n < 1 {
		return errors.New("want two commands with -- between them; see go doc ./bench/compare")
	}
	commands := [2][]string{args[:cut], args[cut+1:]}
	var runs [2][]sample
	for range n {
		for i, c := range commands {
			s, err := run(c)
			if err != nil {
				return fmt.Errorf("%s: %w", c[0], err)
			}
			runs[i] = append(runs[i], s)
		}
	}
	wall := func(s sample) float64 { return s.wall.Seconds() }
	cpu := func(s sample) float64 { return s.cpu.Seconds() }
	rss := func(s sample) float64 { return float64(s.rss) / (1 << 20) }
	fmt.Printf("%-22s %12s %12s %8s\n", fmt.Sprintf("%d runs each", n), "first", "second", "ratio")
	for _, row := range []struct {
		name string
		pick func([]float64) float64
		of   func(sample) float64
	}{
		{"wall, median (s)", median, wall},
		{"wall, least (s)", slices.Min[[]float64], wall},
		{"CPU, median (s)", median, cpu},
		{"peak memory (MiB)", median, rss},
	} {
		var v [2]float64
		for i := range runs {
			var all []float64
			for _, s := range runs[i] {
				all = append(all, row.of(s))
			}
			v[i] = row.pick(all)
		}
		fmt.Printf("%-22s %12.3f %12.3f %7.1fx\n", row.name, v[0], v[1], v[1]/v[0])
	}
	return nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func run(command []string) (sample, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, err
	}
	return sample{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}, nil
}
