// Command floor measures what plain files cost: go tool pprof and
// google/pprof over the same selections, and the sizes of the files.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/zstd"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
	"github.com/hone-go/hone/bench/peers/internal/proc"
	"github.com/hone-go/hone/bench/peers/internal/stat"
)

func main() {
	dir := flag.String("corpus", "corpus", "corpus")
	out := flag.String("out", "", "result file to append to")
	service := flag.String("service", "api", "the one service")
	heapService := flag.String("heap-service", "typecheck", "the service for the heap query")
	reps := flag.Int("n", 3, "runs of each command")
	inproc := flag.String("inproc", "", "internal: run one in-process measurement")
	workers := flag.Int("workers", 1, "internal")
	sizes := flag.Bool("sizes", true, "measure the sizes of the files")
	flag.Parse()
	c, err := corpus.Load(*dir, false)
	if err != nil {
		log.Fatal(err)
	}
	sels := map[string]corpus.Select{
		"a-service":      {Type: "cpu", Value: "cpu", Service: *service, From: c.Start(), To: c.End()},
		"a-heap-service": {Type: "heap", Value: "inuse_space", Service: *heapService, From: c.Start(), To: c.End()},
		"b-all":          {Type: "cpu", Value: "cpu", From: c.Start(), To: c.End()},
		"c-instance":     {Type: "cpu", Value: "cpu", Service: *service, Instance: last(c.Instances(*service)), From: c.Start(), To: c.End()},
	}
	if *inproc != "" {
		merge(c, sels[*inproc], *inproc, *workers)
		return
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		log.Print("no go command: go tool pprof is left out")
	}
	for _, name := range []string{"a-service", "a-heap-service", "b-all", "c-instance"} {
		s := sels[name]
		var files []string
		var gz int64
		for _, p := range c.Profiles {
			if s.Matches(p) {
				f := filepath.Join(c.Dir, p.File)
				files = append(files, f)
				if i, err := os.Stat(f); err == nil {
					gz += i.Size()
				}
			}
		}
		if goTool != "" {
			for _, mode := range []string{"-top", "-proto"} {
				r := map[string]any{"test": "floor-tool", "what": "go tool pprof " + mode, "selection": name, "files": len(files), "gz_mb": stat.MB(gz)}
				var walls []time.Duration
				var cpu float64
				var rss int64
				for k := 0; k < *reps; k++ {
					args := []string{"tool", "pprof", mode, "-sample_index=" + s.Value}
					if mode == "-proto" {
						args = append(args, "-output="+os.DevNull)
					}
					cmd := exec.Command(goTool, append(args, files...)...)
					var errb bytes.Buffer
					cmd.Stderr = &errb
					b := time.Now()
					if err := cmd.Run(); err != nil {
						log.Fatalf("%v: %s", err, errb.String())
					}
					walls = append(walls, time.Since(b))
					cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
					rss = max(rss, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss<<10)
				}
				r["wall_p50_ms"], r["wall_min_ms"], r["wall_max_ms"] = stat.Ms(stat.Quantile(walls, .5)), stat.Ms(stat.Quantile(walls, 0)), stat.Ms(stat.Quantile(walls, 1))
				r["cpu_s"], r["max_rss_mb"] = cpu, stat.MB(rss)
				stat.Emit(*out, r)
			}
		}
		exe, err := os.Executable()
		if err != nil {
			log.Fatal(err)
		}
		for _, w := range []string{"1", "2"} {
			b, err := exec.Command(exe, "-corpus", *dir, "-service", *service, "-heap-service", *heapService, "-inproc", name, "-workers", w).Output()
			if err != nil {
				log.Fatal(err)
			}
			var v map[string]any
			if err := json.Unmarshal(b, &v); err != nil {
				log.Fatal(err)
			}
			stat.Emit(*out, v)
		}
	}
	if *sizes {
		measure(c, *out)
	}
}

func last(s []string) string { return s[len(s)-1] }

// merge parses and merges like a tool that holds the files in memory: each
// worker merges its share in batches of 64, then the parts are merged.
func merge(c *corpus.Corpus, s corpus.Select, name string, workers int) {
	var data [][]byte
	var gz, raw, samples int64
	for _, p := range c.Profiles {
		if s.Matches(p) {
			b, err := os.ReadFile(filepath.Join(c.Dir, p.File))
			if err != nil {
				log.Fatal(err)
			}
			data = append(data, b)
			gz += int64(len(b))
			raw += int64(p.Raw)
			samples += int64(p.Samples)
		}
	}
	// Parsing alone first.
	b := time.Now()
	for _, d := range data {
		if _, err := profile.Parse(bytes.NewReader(d)); err != nil {
			log.Fatal(err)
		}
	}
	parse := time.Since(b)
	b = time.Now()
	parts := make([]*profile.Profile, workers)
	var wg sync.WaitGroup
	for w := 0; w < workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var acc *profile.Profile
			var batch []*profile.Profile
			flush := func() {
				if acc != nil {
					batch = append(batch, acc)
				}
				var err error
				if acc, err = profile.Merge(batch); err != nil {
					log.Fatal(err)
				}
				batch = batch[:0]
			}
			for i := w; i < len(data); i += workers {
				p, err := profile.Parse(bytes.NewReader(data[i]))
				if err != nil {
					log.Fatal(err)
				}
				if batch = append(batch, p); len(batch) == 64 {
					flush()
				}
			}
			if len(batch) > 0 {
				flush()
			}
			parts[w] = acc
		}()
	}
	wg.Wait()
	m := parts[0]
	if workers > 1 {
		var err error
		if m, err = profile.Merge(parts); err != nil {
			log.Fatal(err)
		}
	}
	both := time.Since(b)
	var sum int64
	k := s.ValueIndex()
	for _, x := range m.Sample {
		sum += x.Value[k]
	}
	want, n := c.Expect(s)
	u := proc.UsageOf(os.Getpid())
	json.NewEncoder(os.Stdout).Encode(map[string]any{"test": "floor-inprocess", "selection": name, "files": n, "workers": workers, "gz_mb": stat.MB(gz), "raw_mb": stat.MB(raw), "samples": samples,
		"parse_ms": stat.Ms(parse), "parse_merge_ms": stat.Ms(both), "merged_samples": len(m.Sample), "check_ok": sum == want,
		"parse_gz_mb_s": stat.MB(gz) / parse.Seconds(), "parse_samples_s": float64(samples) / parse.Seconds(),
		"gz_mb_s": stat.MB(gz) / both.Seconds(), "raw_mb_s": stat.MB(raw) / both.Seconds(), "samples_s": float64(samples) / both.Seconds(), "peak_rss_mb": stat.MB(u.Peak)})
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) { c.n += int64(len(b)); return len(b), nil }

// measure compresses the corpus in other ways: each file by itself, each
// series as one stream, everything as one stream, with zstd of Go.
func measure(c *corpus.Corpus, out string) {
	type acc struct{ gz, raw, file, series int64 }
	per := map[string]*acc{}
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	series := map[string][]*corpus.Profile{}
	var order []string
	for _, p := range c.Profiles {
		k := p.Type + " " + p.Instance
		if series[k] == nil {
			order = append(order, k)
		}
		series[k] = append(series[k], p)
	}
	var solid counter
	sw, _ := zstd.NewWriter(&solid, zstd.WithWindowSize(128<<20), zstd.WithEncoderConcurrency(1))
	b := time.Now()
	for _, k := range order {
		typ, _, _ := strings.Cut(k, " ")
		a := per[typ]
		if a == nil {
			a = &acc{}
			per[typ] = a
		}
		var sc counter
		w, _ := zstd.NewWriter(&sc, zstd.WithWindowSize(128<<20), zstd.WithEncoderConcurrency(1))
		for _, p := range series[k] {
			g, err := os.ReadFile(filepath.Join(c.Dir, p.File))
			if err != nil {
				log.Fatal(err)
			}
			zr, err := gzip.NewReader(bytes.NewReader(g))
			if err != nil {
				log.Fatal(err)
			}
			raw, err := io.ReadAll(zr)
			if err != nil {
				log.Fatal(err)
			}
			a.gz += int64(len(g))
			a.raw += int64(len(raw))
			a.file += int64(len(enc.EncodeAll(raw, nil)))
			w.Write(raw)
			sw.Write(raw)
		}
		w.Close()
		a.series += sc.n
	}
	sw.Close()
	var t acc
	row := func(name string, a *acc) map[string]any {
		return map[string]any{"test": "floor-size", "type": name, "raw_mb": stat.MB(a.raw), "gz_as_is_mb": stat.MB(a.gz), "zstd_per_file_mb": stat.MB(a.file), "zstd_per_series_stream_mb": stat.MB(a.series)}
	}
	for _, typ := range c.Meta.Types {
		if a := per[typ]; a != nil {
			stat.Emit(out, row(typ, a))
			t.gz, t.raw, t.file, t.series = t.gz+a.gz, t.raw+a.raw, t.file+a.file, t.series+a.series
		}
	}
	r := row("all", &t)
	r["zstd_one_stream_mb"] = stat.MB(solid.n)
	r["measured_in_s"] = fmt.Sprintf("%.0f", time.Since(b).Seconds())
	stat.Emit(out, r)
}
