// Command growth backdates a week of a fleet's CPU profiles into one server and
// tells whether it stays as fast as it was: how fast profiles are taken over
// the week, how much memory that needs, and what a query over the whole week
// costs beside one over an hour.
//
// The profiles are those of one service of the corpus, which have the times and
// instances of the fleet put on them on the way: the target has to take both
// from the request.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
	"github.com/hone-go/hone/bench/peers/internal/proc"
	"github.com/hone-go/hone/bench/peers/internal/stat"
	"github.com/hone-go/hone/bench/peers/internal/target"
)

// part is what a twentieth of the push took.
type part struct {
	Test       string  `json:"test"`
	Target     string  `json:"target"`
	Part       int     `json:"part"`
	Profiles   int     `json:"profiles"`
	ProfilesPS float64 `json:"profiles_per_s"`
	CPUMs      float64 `json:"server_cpu_ms_per_profile"`
	RSS        float64 `json:"server_rss_mb"`
	Peak       float64 `json:"server_peak_rss_mb"`
	DiskMB     float64 `json:"disk_mb"`
}

type answer struct {
	Test     string    `json:"test"`
	Target   string    `json:"target"`
	Query    string    `json:"query"`
	Profiles int       `json:"profiles"`
	Cold     []float64 `json:"cold_ms"`
	P50      float64   `json:"warm_p50_ms"`
	Min      float64   `json:"warm_min_ms"`
	Max      float64   `json:"warm_max_ms"`
	Check    string    `json:"check"`
	Peak     float64   `json:"peak_rss_mb"`
}

const parts = 20

// bench is one server and what is measured on it.
type bench struct {
	name, out string
	t         target.Target
	env       target.Env
	srv       *proc.Server // the one that runs now
}

func main() {
	name := flag.String("target", "hone", "target; it has to take times and instances from the request")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied first")
	out := flag.String("out", "", "result file to append to")
	service := flag.String("service", "api", "service of the corpus whose CPU profiles are used")
	instances := flag.Int("instances", 200, "instances of the fleet")
	days := flag.Int("days", 7, "days that are backdated")
	every := flag.Duration("every", 10*time.Minute, "time between the profiles of an instance")
	conc := flag.Int("c", 16, "profiles in flight at once")
	runs := flag.Int("n", 12, "warm runs of each query")
	colds := flag.Int("cold", 3, "cold runs of each query, each on a freshly started server")
	settle := flag.Duration("settle", 5*time.Minute, "longest wait for background work")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	must(err)
	base := cpuProfiles(c, *service)
	if len(base) == 0 || *data == "" {
		log.Fatal("-data is missing, or the corpus has no such service")
	}
	t, bin, err := target.New(*name)
	must(err)
	defer t.Close()
	os.RemoveAll(*data)
	must(os.MkdirAll(*data, 0o755))
	*data, _ = filepath.Abs(*data)
	b := &bench{name: *name, out: *out, t: t, env: target.Env{Bin: bin, Data: *data}}
	b.start()

	f := newFleet(base, *instances, *days, *every)
	qs := queries(f, *service)
	b.push(f, *conc)
	b.settle(*settle)
	for _, q := range qs {
		b.query(q, *colds, *runs)
	}
	_, err = b.srv.Stop(time.Minute)
	must(err)
}

func cpuProfiles(c *corpus.Corpus, service string) (ps []*corpus.Profile) {
	for _, p := range c.Profiles {
		if p.Type == "cpu" && p.Service == service {
			ps = append(ps, p)
		}
	}
	return ps
}

// fleet is the profiles that are pushed, made of those of one service.
type fleet struct {
	base       []*corpus.Profile
	instances  int
	steps      int
	every      time.Duration
	start, end int64 // Unix nanoseconds
}

func newFleet(base []*corpus.Profile, instances, days int, every time.Duration) *fleet {
	f := &fleet{base: base, instances: instances, steps: days * int(24*time.Hour/every), every: every}
	// The fleet's last profiles are of now; it is not on the hour, as nobody's
	// questions are.
	f.end = time.Now().UnixMilli() * 1e6 // as exact as every target is
	f.start = f.end - int64(f.steps)*int64(every)
	return f
}

func (f *fleet) total() int { return f.steps * f.instances }

// at makes profile i of the total, in the order of time.
func (f *fleet) at(i int) *corpus.Profile {
	step, inst := i/f.instances, i%f.instances
	p := *f.base[(step*7919+inst*104729)%len(f.base)]
	p.Instance = fmt.Sprintf("fleet-%03d", inst)
	// Instances are not in step with each other.
	p.Nanos = f.start + int64(step)*int64(f.every) + int64(inst)*int64(f.every)/int64(f.instances)
	return &p
}

// expect is the CPU time from then on, and the profiles behind it.
func (f *fleet) expect(from int64) (sum int64, profiles int) {
	for i := range f.total() {
		if p := f.at(i); p.Nanos >= from {
			sum += p.Sums[1]
			profiles++
		}
	}
	return sum, profiles
}

type query struct {
	name string
	sel  corpus.Select
	want int64
	n    int // profiles
}

// queries are the last hour and the whole week.
func queries(f *fleet, service string) []query {
	week := corpus.Select{Type: "cpu", Value: "cpu", Service: service, From: f.start, To: f.end}
	hour := week
	hour.From = f.end - int64(time.Hour)
	qs := []query{{name: "hour", sel: hour}, {name: "week", sel: week}}
	for i := range qs {
		qs[i].want, qs[i].n = f.expect(qs[i].sel.From)
	}
	return qs
}

func (b *bench) start() {
	srv, _, err := proc.Start(b.t, b.env, b.env.Data+".log", time.Minute)
	must(err)
	b.srv = srv
}

// push pushes the fleet's profiles and emits what each part of them took.
func (b *bench) push(f *fleet, conc int) {
	total := f.total()
	for k := range parts {
		b.srv.ResetPeak()
		from, to := total*k/parts, total*(k+1)/parts
		u, begin := b.srv.Usage(), time.Now()
		push(b.t, conc, from, to, f.at)
		v := b.srv.Usage()
		_, _, blocks := proc.DirSize(b.env.Data)
		n := to - from
		stat.Emit(b.out, part{"growth", b.name, k + 1, n, float64(n) / time.Since(begin).Seconds(),
			(v.CPU - u.CPU) * 1000 / float64(n), stat.MB(v.RSS), stat.MB(v.Peak), stat.MB(blocks)})
	}
}

func push(t target.Target, conc, from, to int, at func(int) *corpus.Profile) {
	var next atomic.Int64
	next.Store(int64(from))
	var wg sync.WaitGroup
	for range conc {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= to {
					return
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				err := t.Push(ctx, at(i))
				cancel()
				must(err)
			}
		})
	}
	wg.Wait()
}

// settle waits for background work and emits what is left then.
func (b *bench) settle(limit time.Duration) {
	quiet(b.srv, limit)
	_, _, blocks := proc.DirSize(b.env.Data)
	stat.Emit(b.out, map[string]any{"test": "growth-settled", "target": b.name, "rss_mb": stat.MB(b.srv.Usage().RSS), "disk_mb": stat.MB(blocks)})
}

// quiet waits until the server has used less than a tenth of a CPU for five
// seconds.
func quiet(srv *proc.Server, limit time.Duration) {
	begin := time.Now()
	for n := 0; n < 5 && time.Since(begin) < limit; n++ {
		u := srv.Usage().CPU
		time.Sleep(time.Second)
		if srv.Usage().CPU-u > 0.1 {
			n = -1
		}
	}
}

// query measures a query cold, on a freshly started server each time, and then
// warm on the last of these.
func (b *bench) query(q query, colds, runs int) {
	r := answer{Test: "growth-query", Target: b.name, Query: q.name, Profiles: q.n}
	for range colds {
		_, err := b.srv.Stop(time.Minute)
		must(err)
		proc.DropCaches()
		b.start()
		r.Cold = append(r.Cold, b.ask(q, &r))
	}
	b.srv.ResetPeak()
	var ds []time.Duration
	for range runs {
		ds = append(ds, time.Duration(b.ask(q, &r)*float64(time.Millisecond)))
	}
	r.P50, r.Min, r.Max = stat.Ms(stat.Quantile(ds, .5)), stat.Ms(stat.Quantile(ds, 0)), stat.Ms(stat.Quantile(ds, 1))
	r.Peak = stat.MB(b.srv.Usage().Peak)
	stat.Emit(b.out, r)
}

// ask runs the query once, checks its answer and returns the milliseconds.
func (b *bench) ask(q query, r *answer) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	begin := time.Now()
	a, err := b.t.Flame(ctx, q.sel, 0)
	d := stat.Ms(time.Since(begin))
	must(err)
	r.Check = "ok"
	if a.Total != q.want {
		r.Check = fmt.Sprintf("WRONG: got %d, want %d", a.Total, q.want)
	}
	return d
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
