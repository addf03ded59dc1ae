// Command crashbench kills the server with signal 9 at a bad moment, starts
// it again, and counts which acknowledged profiles are still there.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
	"github.com/hone-go/hone/bench/peers/internal/proc"
	"github.com/hone-go/hone/bench/peers/internal/stat"
	"github.com/hone-go/hone/bench/peers/internal/target"
)

type result struct {
	Test      string  `json:"test"`
	Target    string  `json:"target"`
	Scenario  string  `json:"scenario"`
	Acked     int     `json:"acked_cpu_profiles"`
	AckedAll  int     `json:"acked_profiles_of_all_types"`
	First     int     `json:"seen_when_ready"`
	Survived  int     `json:"survived"`
	Lost      int     `json:"lost"`
	LostLast  int     `json:"lost_in_last_second_of_acks"`
	Extra     int     `json:"points_of_profiles_not_acked"`
	OldestMs  float64 `json:"oldest_lost_ack_before_kill_ms"`
	StopMs    float64 `json:"stop_ms,omitempty"`
	RestartMs float64 `json:"restart_to_ready_ms"`
	SettleS   float64 `json:"until_count_stable_s"`
	DataBytes int64   `json:"disk_bytes_at_restart"`
	Error     string  `json:"error,omitempty"`
}

// bench is what the scenarios have in common.
type bench struct {
	name, data, out string
	c               *corpus.Corpus
	conc            int
}

// scenario is what is pushed, and when and how the server is ended.
type scenario struct {
	title string
	ps    []*corpus.Profile
	delay time.Duration // from the last ack to the kill
	load  time.Duration // if set, the server is ended after so long, under load
	term  bool          // SIGTERM instead of a kill
}

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied for each scenario")
	out := flag.String("out", "", "result file to append to")
	steps := flag.Int("steps", 10, "steps of the corpus pushed before the kill")
	conc := flag.Int("c", 32, "profiles in flight at once")
	which := flag.String("scenarios", "1234", "scenarios to run")
	load := flag.Duration("load", 20*time.Second, "length of the run that is ended under load")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	if err != nil {
		log.Fatal(err)
	}
	var few []*corpus.Profile
	for _, p := range c.Profiles {
		if p.Type == "cpu" && p.Step < *steps {
			few = append(few, p)
		}
	}
	b := &bench{*name, *data, *out, c, *conc}
	all := []scenario{
		{"kill 0 s after the last ack", few, 0, 0, false},
		{"kill 5 s after the last ack", few, 5 * time.Second, 0, false},
		{fmt.Sprintf("kill after %v of load", *load), c.Profiles, 0, *load, false},
		{fmt.Sprintf("SIGTERM after %v of load", *load), c.Profiles, 0, *load, true},
	}
	for i, s := range all {
		if strings.Contains(*which, strconv.Itoa(i+1)) {
			b.run(s)
		}
	}
}

// run ends a server as the scenario says, starts it again and emits what is
// still there.
func (b *bench) run(s scenario) {
	r := &result{Test: "crash", Target: b.name, Scenario: s.title}
	defer func() { stat.Emit(b.out, r) }()
	t, bin, err := target.New(b.name)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	data := emptied(b.data)
	env := target.Env{Bin: bin, Data: data}
	srv, _, err := proc.Start(t, env, data+".log", time.Minute)
	if err != nil {
		r.Error = err.Error()
		return
	}
	p := &pusher{name: b.name, t: t, ps: s.ps}
	p.start(b.conc)
	s.end(srv, p, r)
	killed := time.Now()
	_, _, r.DataBytes = proc.DirSize(data)
	t.Close()
	srv, d, err := proc.Start(t, env, data+".log", 5*time.Minute)
	if err != nil {
		r.Error = err.Error()
		return
	}
	defer srv.Kill()
	r.RestartMs = stat.Ms(d)
	b.count(t, p.acks, killed, r)
}

// emptied makes the data directory anew, without the log beside it, and returns
// its absolute path.
func emptied(data string) string {
	os.RemoveAll(data)
	os.Remove(data + ".log")
	if err := os.MkdirAll(data, 0o755); err != nil {
		log.Fatal(err)
	}
	data, _ = filepath.Abs(data)
	return data
}

type ack struct {
	p  *corpus.Profile
	at time.Time
}

// pusher pushes profiles in order and keeps what was acknowledged.
type pusher struct {
	name string
	t    target.Target
	ps   []*corpus.Profile

	next atomic.Int64
	stop atomic.Bool // the server is about to be ended; pushes may fail from here on
	wg   sync.WaitGroup
	mu   sync.Mutex
	acks []ack // under mu until wg is done
}

func (p *pusher) start(conc int) {
	for range conc {
		p.wg.Go(p.work)
	}
}

func (p *pusher) work() {
	for !p.stop.Load() {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.ps) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := p.t.Push(ctx, p.ps[i])
		cancel()
		if err == nil {
			p.mu.Lock()
			p.acks = append(p.acks, ack{p.ps[i], time.Now()})
			p.mu.Unlock()
		} else if !p.stop.Load() {
			log.Printf("%s: push: %v", p.name, err)
		}
	}
}

// end ends the server at the scenario's moment and returns when no push is
// under way any more.
func (s scenario) end(srv *proc.Server, p *pusher, r *result) {
	if s.load <= 0 {
		p.wg.Wait()
		time.Sleep(s.delay)
		srv.Kill()
		return
	}
	time.Sleep(s.load)
	p.stop.Store(true)
	if s.term {
		d, err := srv.Stop(3 * time.Minute)
		if err != nil {
			r.Error = err.Error()
		}
		r.StopMs = stat.Ms(d)
	} else {
		srv.Kill()
	}
	p.wg.Wait()
}

// count counts which of the acknowledged CPU profiles are there. Recovery may
// go on in the background: it waits until the count has not changed for 30
// seconds.
func (b *bench) count(t target.Target, acks []ack, killed time.Time, r *result) {
	byInst, n, last := cpuByInstance(acks)
	r.Acked, r.AckedAll = n, len(acks)
	begin := time.Now()
	changed, prev := begin, -1
	for time.Since(begin) < 3*time.Minute && time.Since(changed) < 30*time.Second {
		r.Survived, r.LostLast, r.Extra, r.OldestMs = 0, 0, 0, 0
		for _, as := range byInst {
			have, err := b.values(t, as[0].p)
			r.Error = ""
			if err != nil {
				r.Error = err.Error()
			}
			r.compare(as, have, last, killed)
		}
		if prev < 0 {
			r.First = r.Survived
		}
		if r.Survived != prev {
			changed, prev = time.Now(), r.Survived
			r.SettleS = time.Since(begin).Seconds()
		}
		if r.Survived == r.Acked {
			break
		}
		time.Sleep(2 * time.Second)
	}
	r.Lost = r.Acked - r.Survived
}

// cpuByInstance returns the acknowledged CPU profiles of each instance, how many
// they are and when the last of them was acknowledged.
func cpuByInstance(acks []ack) (byInst map[string][]ack, n int, last time.Time) {
	byInst = map[string][]ack{}
	for _, a := range acks {
		if a.p.Type == "cpu" {
			byInst[a.p.Instance] = append(byInst[a.p.Instance], a)
			n++
			if a.at.After(last) {
				last = a.at
			}
		}
	}
	return byInst, n, last
}

// values counts the values in the CPU series of the instance that p is of. An
// instance has one CPU profile per step, so each point of its series is one
// profile, known by its value.
func (b *bench) values(t target.Target, p *corpus.Profile) (map[int64]int, error) {
	sel := corpus.Select{Type: "cpu", Value: "cpu", Service: p.Service, Instance: p.Instance, From: b.c.Start(), To: b.c.End()}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pts, _, err := t.Series(ctx, sel, time.Duration(b.c.Meta.StepNanos))
	have := map[int64]int{}
	for _, pt := range pts {
		if pt.Value != 0 {
			have[int64(pt.Value)]++
		}
	}
	return have, err
}

// compare adds one instance to the counts: its acknowledged profiles against
// the values that it has, which are used up.
func (r *result) compare(as []ack, have map[int64]int, last, killed time.Time) {
	sort.Slice(as, func(i, j int) bool { return as[i].at.Before(as[j].at) })
	for _, a := range as {
		if v := a.p.Sums[1]; have[v] > 0 {
			have[v]--
			r.Survived++
			continue
		}
		if last.Sub(a.at) < time.Second {
			r.LostLast++
		}
		r.OldestMs = max(r.OldestMs, stat.Ms(killed.Sub(a.at)))
	}
	for _, n := range have {
		r.Extra += n
	}
}
