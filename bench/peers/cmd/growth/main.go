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

func main() {
	name := flag.String("target", "hone", "target; it has to take times and instances from the request")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied first")
	out := flag.String("out", "", "result file to append to")
	service := flag.String("service", "api", "service of the corpus whose CPU profiles are used")
	instances := flag.Int("instances", 200, "instances of the fleet")
	days := flag.Int("days", 7, "days that are backdated")
	every := flag.Duration("every", 10*time.Minute, "time between the profiles of an instance")
	conc := flag.Int("c", 16, "profiles under way at a time")
	runs := flag.Int("n", 12, "warm runs of each query")
	colds := flag.Int("cold", 3, "cold runs of each query, each on a freshly started server")
	settle := flag.Duration("settle", 5*time.Minute, "longest wait for background work")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	must(err)
	var base []*corpus.Profile
	for _, p := range c.Profiles {
		if p.Type == "cpu" && p.Service == *service {
			base = append(base, p)
		}
	}
	if len(base) == 0 || *data == "" {
		log.Fatal("-data is missing, or the corpus has no such service")
	}
	t, bin, err := target.New(*name)
	must(err)
	defer t.Close()
	os.RemoveAll(*data)
	must(os.MkdirAll(*data, 0o755))
	*data, _ = filepath.Abs(*data)
	env := target.Env{Bin: bin, Data: *data}
	srv, _, err := proc.Start(t, env, *data+".log", time.Minute)
	must(err)

	steps := *days * int(24*time.Hour / *every)
	total := steps * *instances
	// The fleet's last profiles are of now; it is not on the hour, as nobody's
	// questions are.
	end := time.Now().UnixMilli() * 1e6 // as exact as every target is
	start := end - int64(steps)*int64(*every)
	at := func(i int) *corpus.Profile {
		step, inst := i / *instances, i%*instances
		p := *base[(step*7919+inst*104729)%len(base)]
		p.Instance = fmt.Sprintf("fleet-%03d", inst)
		// Instances are not in step with each other.
		p.Nanos = start + int64(step)*int64(*every) + int64(inst)*int64(*every)/int64(*instances)
		return &p
	}
	var want int64
	hourFrom := end - int64(time.Hour)
	var wantHour int64
	inHour := 0
	for i := range total {
		p := at(i)
		want += p.Sums[1]
		if p.Nanos >= hourFrom {
			wantHour += p.Sums[1]
			inHour++
		}
	}
	for k := range parts {
		srv.ResetPeak()
		from, to := total*k/parts, total*(k+1)/parts
		u, begin := srv.Usage(), time.Now()
		push(t, *conc, from, to, at)
		v := srv.Usage()
		_, _, blocks := proc.DirSize(*data)
		n := to - from
		stat.Emit(*out, part{"growth", *name, k + 1, n, float64(n) / time.Since(begin).Seconds(), (v.CPU - u.CPU) * 1000 / float64(n), stat.MB(v.RSS), stat.MB(v.Peak), stat.MB(blocks)})
	}
	quiet(srv, *settle)
	_, _, blocks := proc.DirSize(*data)
	stat.Emit(*out, map[string]any{"test": "growth-settled", "target": *name, "rss_mb": stat.MB(srv.Usage().RSS), "disk_mb": stat.MB(blocks)})

	sel := corpus.Select{Type: "cpu", Value: "cpu", Service: *service, From: start, To: end}
	hour := sel
	hour.From = hourFrom
	for _, q := range []struct {
		name string
		sel  corpus.Select
		want int64
		n    int
	}{{"hour", hour, wantHour, inHour}, {"week", sel, want, total}} {
		r := answer{Test: "growth-query", Target: *name, Query: q.name, Profiles: q.n}
		ask := func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			b := time.Now()
			a, err := t.Flame(ctx, q.sel, 0)
			d := stat.Ms(time.Since(b))
			must(err)
			r.Check = "ok"
			if a.Total != q.want {
				r.Check = fmt.Sprintf("WRONG: got %d, want %d", a.Total, q.want)
			}
			return d
		}
		for range *colds {
			_, err := srv.Stop(time.Minute)
			must(err)
			proc.DropCaches()
			srv, _, err = proc.Start(t, env, *data+".log", time.Minute)
			must(err)
			r.Cold = append(r.Cold, ask())
		}
		srv.ResetPeak()
		var ds []time.Duration
		for range *runs {
			ds = append(ds, time.Duration(ask()*float64(time.Millisecond)))
		}
		r.P50, r.Min, r.Max = stat.Ms(stat.Quantile(ds, .5)), stat.Ms(stat.Quantile(ds, 0)), stat.Ms(stat.Quantile(ds, 1))
		r.Peak = stat.MB(srv.Usage().Peak)
		stat.Emit(*out, r)
	}
	_, err = srv.Stop(time.Minute)
	must(err)
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

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
