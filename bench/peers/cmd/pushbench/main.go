// Command pushbench starts a fresh server, pushes the whole corpus in time
// order, waits for background work, checks the totals and measures the disk.
package main

import (
	"context"
	"flag"
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

type result struct {
	Test     string  `json:"test"`
	Target   string  `json:"target"`
	Conc     int     `json:"concurrency"`
	Rate     float64 `json:"rate_per_s,omitempty"`
	Profiles int     `json:"profiles"`
	Failed   int64   `json:"failed"`
	Retried  int64   `json:"retried"`

	WallS       float64 `json:"wall_s"`
	ProfilesPS  float64 `json:"profiles_per_s"`
	SamplesPS   float64 `json:"samples_per_s"`
	GzMBPS      float64 `json:"gz_mb_per_s"`
	AckP50      float64 `json:"ack_p50_ms"`
	AckP95      float64 `json:"ack_p95_ms"`
	AckMax      float64 `json:"ack_max_ms"`
	ServerCPU   float64 `json:"server_cpu_s"`
	ClientCPU   float64 `json:"client_cpu_s"`
	PeakRSS     float64 `json:"server_peak_rss_mb"`
	EndRSS      float64 `json:"server_rss_end_mb"`
	PushDiskMB  float64 `json:"disk_after_push_mb"`
	SettleS     float64 `json:"settle_s"`
	SettleCPU   float64 `json:"server_cpu_settle_s"`
	SettlePeak  float64 `json:"server_peak_rss_settle_mb"`
	SettleRSS   float64 `json:"server_rss_settled_mb"`
	SettleMB    float64 `json:"disk_settled_mb"`
	LiveMB      float64 `json:"live_mb"`
	SettleFiles int     `json:"files_settled"`
	WrittenMB   float64 `json:"written_mb"`
	StopS       float64 `json:"stop_s"`
	StopMB      float64 `json:"disk_after_stop_mb"`
	StopFiles   int     `json:"files_after_stop"`
	StopBlkMB   float64 `json:"disk_blocks_after_stop_mb"`

	// At once: right after the last acknowledgement. Settled: when the server
	// is quiet. Each is the store's total against the total pushed.
	AtOnce      []string `json:"checks_at_once"`
	AtOnceWrong int      `json:"checks_at_once_wrong"`
	Checks      []string `json:"checks"`
	Wrong       int      `json:"checks_wrong"`
	Error       string   `json:"error,omitempty"`
}

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied first")
	out := flag.String("out", "", "result file to append to")
	conc := flag.Int("c", 64, "profiles under way at a time")
	limit := flag.Int("steps", 0, "push only the first steps of the corpus")
	rate := flag.Float64("rate", 0, "profiles per second to push at; 0: as fast as the server takes them")
	settle := flag.Duration("settle", 3*time.Minute, "longest wait for background work")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	if err != nil {
		log.Fatal(err)
	}
	c.Limit(*limit)
	t, bin, err := target.New(*name)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	if *data == "" {
		log.Fatal("-data is missing")
	}
	os.RemoveAll(*data)
	must(os.MkdirAll(*data, 0o755))
	*data, _ = filepath.Abs(*data)
	env := target.Env{Bin: bin, Data: *data}
	srv, _, err := proc.Start(t, env, *data+".log", 2*time.Minute)
	must(err)
	test := "push"
	if *rate > 0 {
		test = "paced"
	}
	r := &result{Test: test, Target: *name, Conc: *conc, Rate: *rate, Profiles: len(c.Profiles)}
	defer func() { stat.Emit(*out, r) }()

	var samples, gz int64
	for _, p := range c.Profiles {
		samples += int64(p.Samples)
		gz += int64(len(p.Gz))
	}
	var next atomic.Int64
	lat := make([]time.Duration, len(c.Profiles))
	var wg sync.WaitGroup
	srv.ResetPeak()
	before, mine := srv.Usage(), proc.UsageOf(os.Getpid())
	start := time.Now()
	var firstErr atomic.Value
	stop := make(chan struct{})
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				u := srv.Usage()
				log.Printf("%s: %d of %d, %.0f s CPU, RSS %.0f MB", *name, next.Load(), len(c.Profiles), u.CPU-before.CPU, stat.MB(u.RSS))
			case <-stop:
				return
			}
		}
	}()
	for w := 0; w < *conc; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(c.Profiles) || !srv.Alive() {
					return
				}
				if *rate > 0 {
					time.Sleep(time.Until(start.Add(time.Duration(float64(i) / *rate * 1e9))))
				}
				s := time.Now()
				for try := 0; ; try++ {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					err := t.Push(ctx, c.Profiles[i])
					cancel()
					if err == nil {
						break
					}
					firstErr.CompareAndSwap(nil, err.Error())
					if try == 3 || !srv.Alive() {
						atomic.AddInt64(&r.Failed, 1)
						break
					}
					atomic.AddInt64(&r.Retried, 1)
					time.Sleep(200 * time.Millisecond)
				}
				lat[i] = time.Since(s)
			}
		}()
	}
	wg.Wait()
	close(stop)
	wall := time.Since(start)
	after, mine2 := srv.Usage(), proc.UsageOf(os.Getpid())
	if e, ok := firstErr.Load().(string); ok {
		r.Error = e
	}
	r.WallS = wall.Seconds()
	r.ProfilesPS = float64(len(c.Profiles)) / wall.Seconds()
	r.SamplesPS = float64(samples) / wall.Seconds()
	r.GzMBPS = stat.MB(gz) / wall.Seconds()
	r.AckP50, r.AckP95, r.AckMax = stat.Ms(stat.Quantile(lat, .5)), stat.Ms(stat.Quantile(lat, .95)), stat.Ms(stat.Quantile(lat, 1))
	r.ServerCPU, r.ClientCPU = after.CPU-before.CPU, mine2.CPU-mine.CPU
	r.PeakRSS, r.EndRSS = stat.MB(after.Peak), stat.MB(after.RSS)
	if !srv.Alive() {
		r.Error = "server died: " + r.Error
		return
	}
	_, n, _ := proc.DirSize(*data)
	r.PushDiskMB = stat.MB(n)

	r.AtOnce, r.AtOnceWrong = target.Check(t, c)

	// Settled: the target is not busy and the server has used less than a
	// tenth of a CPU for five seconds.
	srv.ResetPeak()
	after = srv.Usage()
	s := time.Now()
	for quiet := 0; time.Since(s) < *settle; {
		u := srv.Usage().CPU
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		busy, err := t.Busy(ctx)
		cancel()
		if quiet++; err != nil || busy || srv.Usage().CPU-u > 0.1 {
			quiet = 0
		}
		if quiet == 5 {
			break
		}
	}
	r.SettleS = time.Since(s).Seconds()
	u := srv.Usage()
	r.SettleCPU, r.SettlePeak, r.SettleRSS = u.CPU-after.CPU, stat.MB(u.Peak), stat.MB(u.RSS)
	files, n, _ := proc.DirSize(*data)
	r.SettleMB, r.SettleFiles = stat.MB(n), files
	r.WrittenMB = stat.MB(u.Written - before.Written)
	r.LiveMB = -1
	if live, err := t.LiveBytes(context.Background(), c.Start(), c.End()); err == nil && live >= 0 {
		r.LiveMB = stat.MB(live)
	}
	r.Checks, r.Wrong = target.Check(t, c)
	d, err := srv.Stop(3 * time.Minute)
	if err != nil {
		r.Error = err.Error()
	}
	r.StopS = d.Seconds()
	files, n, blk := proc.DirSize(*data)
	r.StopMB, r.StopFiles, r.StopBlkMB = stat.MB(n), files, stat.MB(blk)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
