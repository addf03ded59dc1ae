package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/hone-go/hone/bench/history"
)

// rounds is how often each state is measured, in turns. The fastest one counts: other programs only make one slower.
const rounds = 3

var resultLine = regexp.MustCompile(`(?m)^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(?:.*?\s([\d.]+) allocs/op)?`)

// A result is the best of a benchmark.
type result struct{ ns, allocs float64 }

// gain measures what the author's change brings, with nothing of hone: go test builds both states, and their benchmarks run in
// turns. It is the geometric mean of the ratios of benchmarks.
func (r *repository) gain(ctx context.Context, f *fact) (time, allocs float64, err error) {
	binaries := make(map[string]string)
	for _, tag := range []string{parentTag, authorTag} {
		if err := r.checkOut(ctx, tag); err != nil {
			return 0, 0, err
		}
		binaries[tag] = filepath.Join(r.dir, ".git", tag+".test")
		if out, err := history.Run(ctx, r.module, "go", "test", "-c", "-o", binaries[tag], r.pkg); err != nil {
			return 0, 0, fmt.Errorf("%s doesn't build: %s", tag, history.FirstLine(out))
		}
	}
	best := map[string]map[string]result{parentTag: {}, authorTag: {}}
	for range rounds {
		for _, tag := range []string{parentTag, authorTag} {
			out, err := history.Run(ctx, filepath.Join(r.module, r.pkg), binaries[tag], "-test.run=^$", "-test.bench="+f.Bench, "-test.benchtime=50ms", "-test.benchmem", "-test.short")
			if err != nil {
				return 0, 0, fmt.Errorf("the benchmark fails at %s: %s", tag, history.FirstLine(out))
			}
			for _, m := range resultLine.FindAllStringSubmatch(string(out), -1) {
				ns, _ := strconv.ParseFloat(m[2], 64)
				count, _ := strconv.ParseFloat(m[3], 64)
				if b, ok := best[tag][m[1]]; !ok || ns < b.ns {
					best[tag][m[1]] = result{ns, count}
				}
			}
		}
	}
	n, logs, before, after := 0, 0.0, 0.0, 0.0
	for name, p := range best[parentTag] {
		if a, ok := best[authorTag][name]; ok && a.ns > 0 && p.ns > 0 {
			n++
			logs += math.Log(a.ns / p.ns)
			before, after = before+p.allocs, after+a.allocs
		}
	}
	if n == 0 {
		return 0, 0, errors.New("no benchmark that both states have")
	}
	return rounded(math.Exp(logs / float64(n))), rounded(after / max(before, 1)), nil
}

func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }

// printGain prints a commit with its gain.
func (o *options) printGain(ctx context.Context, r *repository, f *fact) (err error) {
	if f.Time, f.Allocs, err = r.gain(ctx, f); err != nil {
		return err
	}
	line, err := json.Marshal(f)
	fmt.Println(string(line))
	return err
}
