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

// bench is one server, the corpus that is pushed to it, and what was measured.
type bench struct {
	t    target.Target
	srv  *proc.Server
	data string
	c    *corpus.Corpus
	r    *result
}

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied first")
	out := flag.String("out", "", "result file to append to")
	conc := flag.Int("c", 64, "profiles in flight at once")
	limit := flag.Int("steps", 0, "push only the first steps of the corpus")
	rate := flag.Float64("rate", 0, "profiles per second to push at; 0: as fast as the server takes them")
	settle := flag.Duration("settle", 3*time.Minute, "longest wait for background work")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	must(err)
	c.Limit(*limit)
	t, bin, err := target.New(*name)
	must(err)
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

	b := &bench{t, srv, *data, c, r}
	before := b.push()
	if !srv.Alive() {
		r.Error = "server died: " + r.Error
		return
	}
	_, n, _ := proc.DirSize(*data)
	r.PushDiskMB = stat.MB(n)
	r.AtOnce, r.AtOnceWrong = target.Check(t, c)
	b.settle(*settle, before)
	r.Checks, r.Wrong = target.Check(t, c)
	b.stop()
}

// push pushes the corpus and measures what that took. It returns what the server
// had used before.
func (b *bench) push() (before proc.Usage) {
	var samples, gz int64
	for _, p := range b.c.Profiles {
		samples += int64(p.Samples)
		gz += int64(len(p.Gz))
	}
	p := &pusher{bench: b, lat: make([]time.Duration, len(b.c.Profiles))}
	b.srv.ResetPeak()
	before, mine := b.srv.Usage(), proc.UsageOf(os.Getpid())
	p.begin = time.Now()
	p.run(before)
	wall := time.Since(p.begin)
	after, mine2 := b.srv.Usage(), proc.UsageOf(os.Getpid())

	r := b.r
	if e, ok := p.firstErr.Load().(string); ok {
		r.Error = e
	}
	r.WallS = wall.Seconds()
	r.ProfilesPS = float64(len(b.c.Profiles)) / wall.Seconds()
	r.SamplesPS = float64(samples) / wall.Seconds()
	r.GzMBPS = stat.MB(gz) / wall.Seconds()
	r.AckP50, r.AckP95, r.AckMax = stat.Ms(stat.Quantile(p.lat, .5)), stat.Ms(stat.Quantile(p.lat, .95)), stat.Ms(stat.Quantile(p.lat, 1))
	r.ServerCPU, r.ClientCPU = after.CPU-before.CPU, mine2.CPU-mine.CPU
	r.PeakRSS, r.EndRSS = stat.MB(after.Peak), stat.MB(after.RSS)
	return before
}

// pusher is a push of the whole corpus that is under way.
type pusher struct {
	*bench
	begin    time.Time
	next     atomic.Int64
	lat      []time.Duration // of each profile, tries and waits included
	firstErr atomic.Value    // string
}

// run pushes from as many goroutines as the result says, until all is pushed or
// the server has died.
func (p *pusher) run(before proc.Usage) {
	stop := make(chan struct{})
	go p.logProgress(before, stop)
	var wg sync.WaitGroup
	for range p.r.Conc {
		wg.Go(p.work)
	}
	wg.Wait()
	close(stop)
}

func (p *pusher) logProgress(before proc.Usage, stop <-chan struct{}) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			u := p.srv.Usage()
			log.Printf("%s: %d of %d, %.0f s CPU, RSS %.0f MB", p.r.Target, p.next.Load(), len(p.c.Profiles), u.CPU-before.CPU, stat.MB(u.RSS))
		case <-stop:
			return
		}
	}
}

func (p *pusher) work() {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.c.Profiles) || !p.srv.Alive() {
			return
		}
		if rate := p.r.Rate; rate > 0 {
			time.Sleep(time.Until(p.begin.Add(time.Duration(float64(i) / rate * 1e9))))
		}
		s := time.Now()
		p.pushOne(p.c.Profiles[i])
		p.lat[i] = time.Since(s)
	}
}

// pushOne tries up to four times to push the profile.
func (p *pusher) pushOne(pr *corpus.Profile) {
	for try := 0; ; try++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := p.t.Push(ctx, pr)
		cancel()
		if err == nil {
			return
		}
		p.firstErr.CompareAndSwap(nil, err.Error())
		if try == 3 || !p.srv.Alive() {
			atomic.AddInt64(&p.r.Failed, 1)
			return
		}
		atomic.AddInt64(&p.r.Retried, 1)
		time.Sleep(200 * time.Millisecond)
	}
}

// settle waits for background work and measures what that took and what is on
// the disk then. What was written is counted from before the push.
func (b *bench) settle(limit time.Duration, before proc.Usage) {
	r := b.r
	b.srv.ResetPeak()
	after := b.srv.Usage()
	s := time.Now()
	b.awaitQuiet(limit)
	r.SettleS = time.Since(s).Seconds()
	u := b.srv.Usage()
	r.SettleCPU, r.SettlePeak, r.SettleRSS = u.CPU-after.CPU, stat.MB(u.Peak), stat.MB(u.RSS)
	files, n, _ := proc.DirSize(b.data)
	r.SettleMB, r.SettleFiles = stat.MB(n), files
	r.WrittenMB = stat.MB(u.Written - before.Written)
	r.LiveMB = -1
	if live, err := b.t.LiveBytes(context.Background(), b.c.Start(), b.c.End()); err == nil && live >= 0 {
		r.LiveMB = stat.MB(live)
	}
}

// awaitQuiet waits until the target is not busy and the server has used less
// than a tenth of a CPU for five seconds, for no longer than limit.
func (b *bench) awaitQuiet(limit time.Duration) {
	begin := time.Now()
	for quiet := 0; quiet < 5 && time.Since(begin) < limit; {
		u := b.srv.Usage().CPU
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		busy, err := b.t.Busy(ctx)
		cancel()
		if quiet++; err != nil || busy || b.srv.Usage().CPU-u > 0.1 {
			quiet = 0
		}
	}
}

// stop ends the server and measures what it leaves on the disk.
func (b *bench) stop() {
	r := b.r
	d, err := b.srv.Stop(3 * time.Minute)
	if err != nil {
		r.Error = err.Error()
	}
	r.StopS = d.Seconds()
	files, n, blk := proc.DirSize(b.data)
	r.StopMB, r.StopFiles, r.StopBlkMB = stat.MB(n), files, stat.MB(blk)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
