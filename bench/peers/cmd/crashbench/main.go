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

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied for each scenario")
	out := flag.String("out", "", "result file to append to")
	steps := flag.Int("steps", 10, "steps of the corpus pushed before the kill")
	conc := flag.Int("c", 32, "profiles under way at a time")
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
	all := []struct {
		title       string
		ps          []*corpus.Profile
		delay, load time.Duration
		term        bool
	}{
		{"kill 0 s after the last ack", few, 0, 0, false},
		{"kill 5 s after the last ack", few, 5 * time.Second, 0, false},
		{fmt.Sprintf("kill after %v of load", *load), c.Profiles, 0, *load, false},
		{fmt.Sprintf("SIGTERM after %v of load", *load), c.Profiles, 0, *load, true},
	}
	for i, s := range all {
		if strings.Contains(*which, strconv.Itoa(i+1)) {
			scenario(*name, *data, *out, s.title, c, s.ps, *conc, s.delay, s.load, s.term)
		}
	}
}

type ack struct {
	p  *corpus.Profile
	at time.Time
}

func scenario(name, data, out, title string, c *corpus.Corpus, ps []*corpus.Profile, conc int, delay, load time.Duration, term bool) {
	r := &result{Test: "crash", Target: name, Scenario: title}
	defer func() { stat.Emit(out, r) }()
	t, bin, err := target.New(name)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	os.RemoveAll(data)
	os.Remove(data + ".log")
	if err := os.MkdirAll(data, 0o755); err != nil {
		log.Fatal(err)
	}
	data, _ = filepath.Abs(data)
	env := target.Env{Bin: bin, Data: data}
	srv, _, err := proc.Start(t, env, data+".log", time.Minute)
	if err != nil {
		r.Error = err.Error()
		return
	}
	var mu sync.Mutex
	var acks []ack
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for w := 0; w < conc; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(ps) {
					return
				}
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				err := t.Push(ctx, ps[i])
				cancel()
				if err == nil {
					mu.Lock()
					acks = append(acks, ack{ps[i], time.Now()})
					mu.Unlock()
				} else if !stop.Load() {
					log.Printf("%s: push: %v", name, err)
				}
			}
		}()
	}
	if load > 0 {
		time.Sleep(load)
		stop.Store(true)
		if term {
			d, err := srv.Stop(3 * time.Minute)
			if err != nil {
				r.Error = err.Error()
			}
			r.StopMs = stat.Ms(d)
		} else {
			srv.Kill()
		}
		wg.Wait()
	} else {
		wg.Wait()
		time.Sleep(delay)
		srv.Kill()
	}
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

	// Each instance has one CPU profile per step, so each point of its series
	// is one profile, known by its value.
	byInst := map[string][]ack{}
	var last time.Time
	for _, a := range acks {
		if a.p.Type == "cpu" {
			byInst[a.p.Instance] = append(byInst[a.p.Instance], a)
			r.Acked++
			if a.at.After(last) {
				last = a.at
			}
		}
	}
	r.AckedAll = len(acks)
	// Recovery may go on in the background: wait until the count has not
	// changed for 30 seconds.
	begin := time.Now()
	changed, prev := begin, -1
	for time.Since(begin) < 3*time.Minute && time.Since(changed) < 30*time.Second {
		r.Survived, r.LostLast, r.Extra, r.OldestMs = 0, 0, 0, 0
		for inst, as := range byInst {
			have := map[int64]int{}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			pts, _, err := t.Series(ctx, corpus.Select{Type: "cpu", Value: "cpu", Service: as[0].p.Service, Instance: inst, From: c.Start(), To: c.End()}, time.Duration(c.Meta.StepNanos))
			cancel()
			if err != nil {
				r.Error = err.Error()
			} else {
				r.Error = ""
			}
			for _, p := range pts {
				if p.Value != 0 {
					have[int64(p.Value)]++
				}
			}
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
