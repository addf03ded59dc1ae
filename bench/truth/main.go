// Truth asks hone and benchstat about changes that are known, on a real machine.
//
// Usage:
//
//	go run ./bench/truth [-null N] [-injected N] [-for DURATION] [-o FILE] …
//
// It writes a module of a few benchmarks into a temporary repository and compares
// it with itself, changed in one of two ways:
//
//	null      what nothing measured uses: what is found is a false alarm
//	injected  one benchmark, or -every one, does -shift percent more of what it does
//
// Of the first kind there are four, by -unused: a string of the same length, so that
// nothing moves; a comment, so that the code is the same; a function that a test
// calls, before all others, so that all others lie elsewhere; and benchmarks that do
// everything twice, which is no change of what they measure. hone sees without a clock
// that the benchmarks run the same code; -flags -gcflags= has it measure nevertheless.
// With -beside half of the cores are busy meanwhile, or all of them now and then.
//
// Each comparison is made twice on the same benchmarks: by hone bench -against,
// interleaved, with its default settings but for the flags given here; and the
// way it is mostly done, go test -count 10 of one side and then of the other, and
// benchstat. Every comparison becomes a line of JSON in -o at once. Started again
// with the same file, the program goes on where it ended; -for bounds the time of
// one start. The two kinds take turns, so that the figures of a part are those of
// a shorter whole.
//
// With -timing N it compares a module of N benchmarks with itself instead, once, with
// hone's default settings but for flags like -benchtime, and prints how long hone said
// that this would take and how long it took.
//
// With -lengths it runs the benchmarks as they are, in processes of 25 ms to 500 ms in
// turns until -for is over, and prints how exact a mean each length gives for the same
// time.
//
// hone has kept its word if it says that something changed of at most 1 % of the times
// that did not (3 % with something beside), finds at least 85 % of +3 %, or 80 % of
// +10 % with something beside, or says that it could not have (that is, inconclusive
// with a detectable change above -shift), and is never wrong about the sign; and if it
// ends within 20 % of the time that it said.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if what := os.Getenv(disturbVariable); what != "" {
		disturb(what)
	}
	t := &trial{}
	flag.IntVar(&t.null, "null", 200, "comparisons without a change")
	flag.IntVar(&t.injected, "injected", 50, "comparisons with a change")
	flag.DurationVar(&t.limit, "for", 25*time.Minute, "begin no comparison after `duration`")
	flag.IntVar(&t.shift, "shift", 3, "size of injected changes, in `percent`")
	flag.IntVar(&t.benchmarks, "benchmarks", 2, "benchmarks of a family, up to 5")
	flag.StringVar(&t.benchtime, "benchtime", "", "of a sample; hone's default if empty")
	flag.IntVar(&t.count, "count", 0, "samples a side; hone's default if 0")
	flag.IntVar(&t.precheck, "precheck", -1, "A/A pairs; hone's default if below 0")
	flag.StringVar(&t.hone, "hone", "", "`program`; built from this repository if empty")
	flag.StringVar(&t.flags, "flags", "", "more `flags` for hone bench, as in '-layouts none'")
	flag.StringVar(&t.unused, "unused", "string", "`what` a comparison without a change changes: "+strings.Join(unusedKinds, ", "))
	flag.BoolVar(&t.every, "every", false, "inject the change into all benchmarks, not into one after the other")
	beside := flag.String("beside", "none", "`what` runs beside: "+strings.Join(besides, ", "))
	withStat := flag.Bool("benchstat", true, "ask benchstat too")
	file := flag.String("o", "out/truth.jsonl", "`file` of results, which are added to")
	timing := flag.Int("timing", 0, "tell only how long hone says that `N` benchmarks take, and how long they do")
	spreads := flag.Bool("lengths", false, "tell only how exact processes of several lengths are")
	only := flag.Bool("summary", false, "only sum up what is in -o")
	flag.Parse()
	if t.benchmarks < 1 || t.benchmarks > len(benchmarkNames) || t.shift < 1 || t.null < 0 || t.injected < 0 || flag.NArg() > 0 ||
		!slices.Contains(unusedKinds, t.unused) || !slices.Contains(besides, *beside) {
		return errors.New("see go doc ./bench/truth")
	}
	if *timing > 0 {
		return t.tellTiming(ctx, os.Stdout, *timing)
	}
	if *spreads {
		return t.tellLengths(ctx, os.Stdout)
	}
	done, err := readResults(*file)
	if err != nil {
		return err
	}
	if !*only {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		if err := startBeside(ctx, *beside); err != nil {
			return err
		}
		if done, err = t.measure(ctx, *file, done, *withStat); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return summarize(os.Stdout, done)
}

// measure makes the comparisons that are missing.
func (t *trial) measure(ctx context.Context, file string, done []result, withStat bool) ([]result, error) {
	scratch, err := os.MkdirTemp("", "hone-truth-")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(scratch)
	if err := t.findHone(ctx, scratch); err != nil {
		return done, err
	}
	if withStat {
		t.stat = filepath.Join(scratch, "benchstat.exe")
		if err := build(ctx, t.stat, "golang.org/x/perf/cmd/benchstat"); err != nil {
			return done, err
		}
	}
	t.dir = filepath.Join(scratch, "module")
	if err := t.makeModule(ctx, func() error { return t.write(source(none, 0, "")) }); err != nil {
		return done, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return done, err
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return done, err
	}
	defer out.Close()
	begin := time.Now()
	for {
		next, ok := t.next(done)
		if !ok {
			return done, nil
		}
		if time.Since(begin) > t.limit {
			fmt.Fprintf(os.Stderr, "time is up; start again to go on\n")
			return done, nil
		}
		r, err := t.compare(ctx, next)
		if err != nil {
			return done, err
		}
		line, err := json.Marshal(r)
		if err != nil {
			return done, err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return done, err
		}
		done = append(done, *r)
		fmt.Fprintf(os.Stderr, "%d of %d, %v: %s\n", len(done), t.null+t.injected, time.Since(begin).Round(time.Second), r)
	}
}

// next returns what to compare next: the kind that is farther behind.
func (t *trial) next(done []result) (result, bool) {
	var have [2]int
	for _, r := range done {
		if r.Shift != 0 {
			have[1]++
		} else {
			have[0]++
		}
	}
	wantNull, wantInjected := have[0] < t.null, have[1] < t.injected
	switch {
	case !wantNull && !wantInjected:
		return result{}, false
	case wantInjected && (!wantNull || have[1]*t.null < have[0]*t.injected):
		r := result{Shift: t.shift}
		if !t.every {
			r.Target = benchmarkNames[have[1]%t.benchmarks]
		}
		return r, true
	}
	return result{}, true
}

// compare changes the module and asks both.
func (t *trial) compare(ctx context.Context, r result) (*result, error) {
	begin := time.Now()
	base, head := source(none, 0, ""), source(r.changed, r.Shift, t.unused)
	if err := t.write(head); err != nil {
		return nil, err
	}
	if err := t.askHone(ctx, &r); err != nil {
		return nil, err
	}
	if t.stat != "" {
		if err := t.askBenchstat(ctx, &r, base, head); err != nil {
			return nil, err
		}
	}
	r.Seconds = time.Since(begin).Round(time.Second / 10).Seconds()
	r.At = begin.UTC().Round(time.Second)
	return &r, nil
}

// askHone runs hone bench -against.
func (t *trial) askHone(ctx context.Context, r *result) error {
	out, err := t.runHone(ctx, "bench", "-against", "HEAD", "-json", "-profile", "none", "-bench", pattern(t.benchmarks))
	if err != nil {
		return err
	}
	r.Hone, err = honeVerdicts(out)
	return err
}

// askBenchstat measures one side after the other.
func (t *trial) askBenchstat(ctx context.Context, r *result, base, head module) error {
	var files []string
	for i, side := range []module{base, head} {
		if err := t.write(side); err != nil {
			return err
		}
		binary := filepath.Join(t.dir, "side.test.exe")
		compile := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-o", binary)
		compile.Dir = t.dir
		if out, err := compile.CombinedOutput(); err != nil {
			return fmt.Errorf("go test -c: %w\n%s", err, out)
		}
		benchtime := t.benchtime
		if benchtime == "" {
			benchtime = "500ms"
		}
		measure := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench="+pattern(t.benchmarks), "-test.benchmem", "-test.count=10", "-test.benchtime="+benchtime)
		measure.Dir = t.dir
		out, err := measure.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", measure, err)
		}
		file := filepath.Join(filepath.Dir(t.dir), fmt.Sprintf("side%d.txt", i))
		if err := os.WriteFile(file, out, 0o666); err != nil {
			return err
		}
		files = append(files, file)
	}
	out, err := exec.CommandContext(ctx, t.stat, append([]string{"-format", "csv"}, files...)...).Output()
	if err != nil {
		return fmt.Errorf("benchstat: %w", err)
	}
	r.Benchstat, err = statVerdicts(out)
	return err
}

// readResults reads what an earlier start wrote; a last line that was not
// written to its end is dropped from the file as well.
func readResults(file string) ([]result, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var done []result
	whole := 0
	in := bufio.NewReader(bytes.NewReader(text))
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: byte %d: %w", file, whole, err)
		}
		done = append(done, r)
		whole += len(line)
	}
	if whole < len(text) {
		return done, os.Truncate(file, int64(whole))
	}
	return done, nil
}
