// Compare runs command lines interleaved and tells how their times and memory
// relate: what hone claims against other tools is measured with it.
//
// Usage:
//
//	go run ./bench/compare [-n 5] COMMAND ARG... -- COMMAND ARG... [-- COMMAND ARG...]
//
// The commands run -n times, one after the other, so that whatever else the
// machine does affects all of them. It prints the median and the minimum of wall
// time, and the medians of CPU time and peak resident memory. The figures of each
// command after the first are followed by their ratio to the first's. The output of
// the commands is discarded. Memory is measured on Linux only.
//
// Start-up of an old and a new hone beside pprof:
//
//	go run ./bench/compare -n 20 old/hone version -- bin/hone version -- go tool pprof -h
//	go run ./bench/compare -n 20 old/hone top testdata/cpu.closures.pb.gz -- bin/hone top testdata/cpu.closures.pb.gz \
//	   -- go tool pprof -top testdata/cpu.closures.pb.gz
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/bench/rusage"
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
	var commands [][]string
	for len(args) > 0 {
		cut := slices.Index(args, "--")
		if cut < 0 {
			cut = len(args)
		}
		commands = append(commands, args[:cut])
		args = args[min(cut+1, len(args)):]
	}
	if len(commands) < 2 || n < 1 || slices.ContainsFunc(commands, func(c []string) bool { return len(c) == 0 }) {
		return errors.New("want two or more commands with -- between them; see go doc ./bench/compare")
	}
	runs := make([][]sample, len(commands))
	for range n {
		for i, c := range commands {
			s, err := run(c)
			if err != nil {
				return fmt.Errorf("%s: %w", c[0], err)
			}
			runs[i] = append(runs[i], s)
		}
	}
	wall := func(s sample) float64 { return s.wall.Seconds() * 1000 }
	cpu := func(s sample) float64 { return s.cpu.Seconds() * 1000 }
	rss := func(s sample) float64 { return float64(s.rss) / (1 << 20) }
	for i, c := range commands {
		fmt.Printf("%d: %s\n", i+1, strings.Join(c, " "))
	}
	fmt.Printf("\n%-20s %10d", fmt.Sprintf("%d runs each", n), 1)
	for i := range commands[1:] {
		fmt.Printf(" %19d", i+2)
	}
	fmt.Println()
	for _, row := range []struct {
		name string
		pick func([]float64) float64
		of   func(sample) float64
	}{
		{"wall, median (ms)", median, wall},
		{"wall, least (ms)", slices.Min[[]float64], wall},
		{"CPU, median (ms)", median, cpu},
		{"peak memory (MiB)", median, rss},
	} {
		fmt.Printf("%-20s", row.name)
		var first float64
		for i := range runs {
			var all []float64
			for _, s := range runs[i] {
				all = append(all, row.of(s))
			}
			v := row.pick(all)
			fmt.Printf(" %10.2f", v)
			if i == 0 {
				first = v
			} else {
				fmt.Printf(" %6.2fx ", v/first)
			}
		}
		fmt.Println()
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
	return sample{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), rusage.PeakMemory(cmd.ProcessState)}, nil
}
