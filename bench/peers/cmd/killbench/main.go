// Command killbench pushes the corpus to a server that is killed (signal 9)
// again and again at random moments. What was not acknowledged is pushed again
// to the next server; what was, is not. Afterwards, command audit finds every
// profile once: one that was acknowledged and lost is missing then, one that was
// kept although its acknowledgement never came is there twice unless the server
// knows it again.
package main

import (
	"context"
	"flag"
	"log"
	"math/rand/v2"
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
	Test      string  `json:"test"`
	Target    string  `json:"target"`
	Kills     int     `json:"kills"`
	UnderLoad int     `json:"kills_with_pushes_under_way"`
	Profiles  int     `json:"profiles"`
	Acked     int     `json:"acked"`
	Again     int     `json:"pushed_again_after_a_kill"`
	ReadyP50  float64 `json:"restart_to_ready_p50_ms"`
	ReadyMax  float64 `json:"restart_to_ready_max_ms"`
}

func main() {
	name := flag.String("target", "hone", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server; emptied first")
	out := flag.String("out", "", "result file to append to")
	kills := flag.Int("kills", 100, "how often the server is killed")
	longest := flag.Duration("longest", 400*time.Millisecond, "longest time between ready and killed")
	conc := flag.Int("c", 16, "profiles under way at a time")
	seed := flag.Uint64("seed", 1, "of the moments")
	steps := flag.Int("steps", 0, "only the first steps of the corpus are pushed")
	flag.Parse()
	c, err := corpus.Load(*dir, true)
	must(err)
	c.Limit(*steps)
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
	moments := rand.New(rand.NewPCG(*seed, 0))
	r := &result{Test: "kill", Target: *name, Profiles: len(c.Profiles)}
	var readies []time.Duration
	left := c.Profiles
	for len(left) > 0 {
		srv, ready, err := proc.Start(t, env, *data+".log", time.Minute)
		must(err)
		readies = append(readies, ready)
		ctx, cancel := context.WithCancel(context.Background())
		var killed atomic.Bool
		if r.Kills < *kills {
			r.Kills++
			after := time.Duration(moments.Int64N(int64(*longest)))
			time.AfterFunc(after, func() {
				killed.Store(true) // what fails from here on failed because of this
				srv.Kill()
				cancel()
			})
		}
		var underWay int
		left, underWay = push(ctx, t, left, *conc, &killed)
		if underWay > 0 {
			r.UnderLoad++
		}
		r.Again += underWay
		if len(left) > 0 && !killed.Load() {
			log.Fatalf("pushes failed though the server was not killed: see %s.log", *data)
		}
		if !killed.Load() {
			_, err := srv.Stop(time.Minute)
			must(err)
		}
		cancel()
		t.Close()
	}
	r.Acked = r.Profiles
	r.ReadyP50, r.ReadyMax = stat.Ms(stat.Quantile(readies, .5)), stat.Ms(stat.Quantile(readies, 1))
	stat.Emit(*out, r)
}

// push pushes profiles until all are acknowledged or ctx is done. It returns
// those that were not, and how many of them may be there all the same.
func push(ctx context.Context, t target.Target, ps []*corpus.Profile, conc int, killed *atomic.Bool) (left []*corpus.Profile, underWay int) {
	acked := make([]bool, len(ps))
	var next, sent atomic.Int64
	var wg sync.WaitGroup
	for range conc {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(ps) {
					return
				}
				if err := t.Push(ctx, ps[i]); err != nil {
					sent.Add(1)
					if !killed.Load() {
						log.Printf("%s: %v", ps[i].File, err)
					}
					return
				}
				acked[i] = true
			}
		})
	}
	wg.Wait()
	for i, p := range ps {
		if !acked[i] {
			left = append(left, p)
		}
	}
	return left, int(sent.Load())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
