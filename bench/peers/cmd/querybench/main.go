// Command querybench measures queries on the data directory that pushbench
// left behind: cold (page cache dropped, server just started) and warm.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
	"github.com/hone-go/hone/bench/peers/internal/proc"
	"github.com/hone-go/hone/bench/peers/internal/stat"
	"github.com/hone-go/hone/bench/peers/internal/target"
)

type query struct {
	name string
	what string
	want int64 // -1: not known
	run  func(ctx context.Context) (target.Answer, time.Duration, error)
}

type result struct {
	Test   string `json:"test"`
	Target string `json:"target"`
	Query  string `json:"query"`
	What   string `json:"what"`

	Cold     []float64 `json:"cold_ms"`
	ColdRSS  float64   `json:"cold_peak_rss_mb"`
	Runs     int       `json:"warm_runs"`
	P50      float64   `json:"warm_p50_ms"`
	P95      float64   `json:"warm_p95_ms"`
	Min      float64   `json:"warm_min_ms"`
	Max      float64   `json:"warm_max_ms"`
	CPU      float64   `json:"warm_cpu_s_per_query"`
	RSSStart float64   `json:"rss_before_mb"`
	Peak     float64   `json:"warm_peak_rss_mb"`
	AnswerKB float64   `json:"answer_kb"`
	Info     string    `json:"info"`
	Check    string    `json:"check"`
	Error    string    `json:"error,omitempty"`
}

// bench is one target and how it is asked.
type bench struct {
	name, out    string
	t            target.Target
	env          target.Env
	colds        int
	warmup, runs int
	budget       time.Duration

	readies []time.Duration // of every start
	dropped bool            // the page cache was, each time
}

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server")
	out := flag.String("out", "", "result file to append to")
	service := flag.String("service", "api", "the one service")
	heapService := flag.String("heap-service", "typecheck", "the service for the heap query")
	runs := flag.Int("n", 12, "warm runs of each query")
	warmup := flag.Int("warmup", 2, "runs of each query before the timed ones")
	colds := flag.Int("cold", 2, "cold runs of each query, each on a freshly started server")
	budget := flag.Duration("budget", 60*time.Second, "stop the warm runs of a query after this long (but not before 10 runs, or twice this)")
	only := flag.String("only", "", "comma-separated names of queries to run")
	steps := flag.Int("steps", 0, "only the first steps of the corpus were pushed")
	flag.Parse()
	c, err := corpus.Load(*dir, false)
	if err != nil {
		log.Fatal(err)
	}
	c.Limit(*steps)
	t, bin, err := target.New(*name)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	*data, _ = filepath.Abs(*data)
	qs := queries(t, c, *service, *heapService)
	if *only != "" {
		qs = named(qs, strings.Split(*only, ","))
	}
	b := &bench{name: *name, out: *out, t: t, env: target.Env{Bin: bin, Data: *data},
		colds: *colds, warmup: *warmup, runs: *runs, budget: *budget, dropped: true}
	res := b.cold(qs)
	srv := b.start()
	b.warm(srv, qs, res)
	lines, wrong := target.Check(t, c)
	if _, err := srv.Stop(time.Minute); err != nil {
		log.Print(err)
	}
	stat.Emit(*out, map[string]any{"test": "start", "checks": lines, "checks_wrong": wrong, "target": *name,
		"starts": len(b.readies), "page_cache_dropped": b.dropped,
		"ready_p50_ms": stat.Ms(stat.Quantile(b.readies, .5)), "ready_max_ms": stat.Ms(stat.Quantile(b.readies, 1))})
}

// named keeps the queries of these names, in the order of the queries.
func named(qs []query, names []string) (keep []query) {
	for _, q := range qs {
		for _, n := range names {
			if q.name == n {
				keep = append(keep, q)
			}
		}
	}
	return keep
}

func (b *bench) start() *proc.Server {
	srv, ready, err := proc.Start(b.t, b.env, b.env.Data+".log", 5*time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	b.readies = append(b.readies, ready)
	return srv
}

// cold makes the results, by the queries' names, and does all cold runs.
func (b *bench) cold(qs []query) map[string]*result {
	res := map[string]*result{}
	for i, q := range qs {
		r := &result{Test: "query", Target: b.name, Query: q.name, What: q.what}
		res[q.name] = r
		for k := range b.colds {
			d := b.coldRun(q, r)
			log.Printf("%s: cold %d of %d: %s %.0f ms", b.name, i*b.colds+k+1, len(qs)*b.colds, q.name, stat.Ms(d))
		}
	}
	return res
}

// coldRun runs the query once, on a server of its own.
func (b *bench) coldRun(q query, r *result) time.Duration {
	b.dropped = proc.DropCaches() && b.dropped
	srv := b.start()
	srv.ResetPeak()
	_, d, err := q.ask()
	if err != nil {
		r.Error = err.Error()
	}
	r.Cold = append(r.Cold, stat.Ms(d))
	r.ColdRSS = max(r.ColdRSS, stat.MB(srv.Usage().Peak))
	if _, err := srv.Stop(time.Minute); err != nil {
		log.Print(err)
	}
	return d
}

// ask runs the query with a limit of time.
func (q query) ask() (target.Answer, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return q.run(ctx)
}

// warm does the warm runs of every query that did not fail cold, all on one
// server, and emits the results.
func (b *bench) warm(srv *proc.Server, qs []query, res map[string]*result) {
	var err error
	for _, q := range qs {
		r := res[q.name]
		if r.Error == "" {
			err = b.warmRuns(srv, q, r, err)
		}
		stat.Emit(b.out, r)
	}
}

// warmRuns does the warm runs of one query. Its error is the last run's; err is
// that of the query before, which counts where there are no runs before the
// timed ones.
func (b *bench) warmRuns(srv *proc.Server, q query, r *result, err error) error {
	var ds []time.Duration
	var a target.Answer
	for range b.warmup {
		a, _, err = q.ask()
	}
	srv.ResetPeak()
	u := srv.Usage()
	r.RSSStart = stat.MB(u.RSS)
	begin := time.Now()
	for k := 0; k < b.runs && err == nil; k++ {
		if el := time.Since(begin); el > 2*b.budget || el > b.budget && k >= 10 {
			break
		}
		var d time.Duration
		a, d, err = q.ask()
		ds = append(ds, d)
	}
	if err != nil {
		r.Error = err.Error()
		if errors.Is(err, target.ErrUnsupported) {
			err = nil
		}
	}
	v := srv.Usage()
	r.Runs, r.P50, r.P95 = len(ds), stat.Ms(stat.Quantile(ds, .5)), stat.Ms(stat.Quantile(ds, .95))
	r.Min, r.Max = stat.Ms(stat.Quantile(ds, 0)), stat.Ms(stat.Quantile(ds, 1))
	if len(ds) > 0 {
		r.CPU = (v.CPU - u.CPU) / float64(len(ds))
	}
	r.Peak, r.AnswerKB, r.Info = stat.MB(v.Peak), float64(a.Bytes)/1000, a.Info
	r.Check = check(a.Total, q.want)
	return err
}

// check compares an answer's total with the right one.
func check(got, want int64) string {
	switch {
	case want < 0 || got < 0:
		return fmt.Sprintf("not comparable: got %d, want %d", got, want)
	case got == want:
		return "ok"
	default:
		return fmt.Sprintf("WRONG: got %d, want %d", got, want)
	}
}

// queries is the same work for every target.
func queries(t target.Target, c *corpus.Corpus, svc, heapSvc string) []query {
	from, to := c.Start(), c.End()
	mid := from + (to-from)/2
	inst := c.Instances(svc)
	one := corpus.Select{Type: "cpu", Value: "cpu", Service: svc, From: from, To: to}
	all, single, heap, first, second := one, one, one, one, one
	all.Service = ""
	single.Instance = inst[len(inst)-1]
	heap.Type, heap.Value, heap.Service = "heap", "inuse_space", heapSvc
	first.To, second.From = mid, mid+1
	flame := func(name string, s corpus.Select, nodes int) query {
		want, n := c.Expect(s)
		return query{name, fmt.Sprintf("flame graph, %v, %d profiles, nodes=%d", s, n, nodes), want, func(ctx context.Context) (target.Answer, time.Duration, error) {
			b := time.Now()
			a, err := t.Flame(ctx, s, nodes)
			return a, time.Since(b), err
		}}
	}
	a, _ := c.Expect(first)
	b, _ := c.Expect(second)
	w, n := c.Expect(one)
	wAll, nAll := c.Expect(all)
	series := func(name string, s corpus.Select, want int64, n int) query {
		step := time.Duration(c.Meta.StepNanos)
		return query{name, fmt.Sprintf("total per %v, %v, %d profiles", step, s, n), want, func(ctx context.Context) (target.Answer, time.Duration, error) {
			b := time.Now()
			_, a, err := t.Series(ctx, s, step)
			return a, time.Since(b), err
		}}
	}
	// The range moves by a step each time, as that of someone who keeps looking
	// at the present does: no answer is one that was given before.
	moved := 0
	moving := query{"a-flame-service-moving", fmt.Sprintf("flame graph of a range that moves by %v each time, about %v", time.Duration(c.Meta.StepNanos), one), 0, func(ctx context.Context) (target.Answer, time.Duration, error) {
		s := one
		s.From += int64(moved) * c.Meta.StepNanos
		moved++
		want, _ := c.Expect(s)
		b := time.Now()
		a, err := t.Flame(ctx, s, 0)
		d := time.Since(b)
		a.Total -= want
		return a, d, err
	}}
	return []query{
		flame("a-flame-service", one, 0),
		moving,
		flame("a-flame-service-full", one, target.Full),
		flame("a-flame-heap-service", heap, 0),
		flame("b-flame-all", all, 0),
		flame("c-flame-instance", single, 0),
		{"d-diff-halves", fmt.Sprintf("flame graph diff of the two halves of the range, %v", one), a + b, func(ctx context.Context) (target.Answer, time.Duration, error) {
			b := time.Now()
			a, err := t.Diff(ctx, first, second)
			return a, time.Since(b), err
		}},
		{"d-pprof-service", fmt.Sprintf("merged pprof download, %v, %d profiles", one, n), w, func(ctx context.Context) (target.Answer, time.Duration, error) {
			b := time.Now()
			data, err := t.Pprof(ctx, one)
			d := time.Since(b)
			if err != nil {
				return target.Answer{}, d, err
			}
			p, err := profile.Parse(bytes.NewReader(data))
			if err != nil {
				return target.Answer{}, d, err
			}
			var sum int64
			for _, s := range p.Sample {
				sum += s.Value[len(s.Value)-1]
			}
			return target.Answer{Total: sum, Bytes: len(data), Info: fmt.Sprintf("samples=%d", len(p.Sample))}, d, nil
		}},
		series("e-series-service", one, w, n),
		series("e-series-all", all, wAll, nAll),
	}
}
