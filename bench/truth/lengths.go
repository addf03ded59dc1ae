package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"text/tabwriter"
	"time"
)

// lengths are the times of a process that are compared, and how many of each there are
// in a round, which takes about as long for all of them.
var lengths = []struct {
	time   time.Duration
	repeat int
}{{25 * time.Millisecond, 20}, {50 * time.Millisecond, 10}, {100 * time.Millisecond, 5}, {200 * time.Millisecond, 2}, {500 * time.Millisecond, 1}}

// A spread is what processes of one length say of one benchmark.
type spread struct {
	n                 int
	sum, sumOfSquares float64       // of ns/op
	took              time.Duration // of all processes
}

func (s *spread) add(nanos float64, took time.Duration) {
	s.n++
	s.sum += nanos
	s.sumOfSquares += nanos * nanos
	s.took += took
}

// deviation is the standard deviation as a share of the mean.
func (s *spread) deviation() float64 {
	n := float64(s.n)
	mean := s.sum / n
	return math.Sqrt(max(0, s.sumOfSquares/n-mean*mean)*n/(n-1)) / mean
}

// errorAfter is the standard error of the mean that as many processes give as one has
// the time for.
func (s *spread) errorAfter(all time.Duration) float64 {
	each := s.took / time.Duration(s.n)
	return s.deviation() / math.Sqrt(float64(all)/float64(each))
}

var nanosPerOp = regexp.MustCompile(`([\d.]+) ns/op`)

// tellLengths runs the benchmarks for processes of several lengths in turns, and prints
// for each how exact a mean they give in ten seconds.
func (t *trial) tellLengths(ctx context.Context, w io.Writer) error {
	scratch, err := os.MkdirTemp("", "hone-truth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	t.dir = filepath.Join(scratch, "module")
	if err := t.makeModule(ctx, func() error { return t.write(source(none, 0, "")) }); err != nil {
		return err
	}
	binary := filepath.Join(scratch, "known.test")
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, ".")
	compile.Dir = t.dir
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	names := benchmarkNames[:t.benchmarks]
	found := make([][]spread, len(names)) // by benchmark and length
	for i := range found {
		found[i] = make([]spread, len(lengths))
	}
	for begin := time.Now(); time.Since(begin) < t.limit; {
		for l, length := range lengths {
			for range length.repeat {
				for i, name := range names {
					started := time.Now()
					out, err := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=^Benchmark"+name+"$", "-test.benchtime="+length.time.String()).CombinedOutput()
					took := time.Since(started)
					if err != nil {
						return fmt.Errorf("%s: %w\n%s", name, err, out)
					}
					m := nanosPerOp.FindSubmatch(out)
					if m == nil {
						return fmt.Errorf("%s tells no time: %s", name, out)
					}
					nanos, err := strconv.ParseFloat(string(m[1]), 64)
					if err != nil {
						return err
					}
					found[i][l].add(nanos, took)
				}
			}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "benchmark\tprocess of\tn\tstandard deviation\ttakes\tstandard error after 10 s\t\n")
	for i, name := range names {
		for l, s := range found[i] {
			fmt.Fprintf(table, "%s\t%v\t%d\t%.1f %%\t%v\t%.2f %%\t\n", name, lengths[l].time, s.n, 100*s.deviation(),
				(s.took / time.Duration(s.n)).Round(time.Millisecond), 100*s.errorAfter(10*time.Second))
		}
	}
	return table.Flush()
}
