// Command audit looks for every single profile of the corpus in the store
// that pushbench left behind: each instance has one profile of a type per
// step, so each point of its series has to be that profile's sum.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
	"github.com/hone-go/hone/bench/peers/internal/proc"
	"github.com/hone-go/hone/bench/peers/internal/stat"
	"github.com/hone-go/hone/bench/peers/internal/target"
)

type result struct {
	Test     string         `json:"test"`
	Target   string         `json:"target"`
	Profiles int            `json:"profiles"`
	Exact    int            `json:"exact"`
	Missing  int            `json:"missing"`
	ByType   map[string]int `json:"missing_by_type,omitempty"`
	Extra    int            `json:"points_too_many"`
	Examples []string       `json:"examples,omitempty"`
}

func main() {
	name := flag.String("target", "", "target")
	dir := flag.String("corpus", "corpus", "corpus")
	data := flag.String("data", "", "data directory of the server")
	out := flag.String("out", "", "result file to append to")
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
	srv, _, err := proc.Start(t, target.Env{Bin: bin, Data: *data}, *data+".log", 5*time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Stop(time.Minute)
	r := &result{Test: "audit", Target: *name, ByType: map[string]int{}}
	type key struct{ typ, inst string }
	groups := map[key][]*corpus.Profile{}
	for _, p := range c.Profiles {
		k := key{p.Type, p.Instance}
		groups[k] = append(groups[k], p)
	}
	for k, ps := range groups {
		vs := corpus.SampleTypes[k.typ]
		s := corpus.Select{Type: k.typ, Value: vs[len(vs)-1][0], Service: ps[0].Service, Instance: k.inst, From: c.Start(), To: c.End()}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		pts, _, err := t.Series(ctx, s, time.Duration(c.Meta.StepNanos))
		cancel()
		if err != nil {
			log.Printf("%v: %v", s, err)
		}
		have := map[int64]int{}
		for _, p := range pts {
			if p.Value != 0 {
				have[int64(p.Value)]++
			}
		}
		for _, p := range ps {
			v := p.Sums[len(p.Sums)-1]
			if v == 0 {
				continue
			}
			r.Profiles++
			if have[v] > 0 {
				have[v]--
				r.Exact++
				continue
			}
			r.Missing++
			r.ByType[k.typ]++
			if len(r.Examples) < 20 {
				r.Examples = append(r.Examples, fmt.Sprintf("%s sum=%d samples=%d", p.File, v, p.Samples))
			}
		}
		for _, n := range have {
			r.Extra += n
		}
	}
	stat.Emit(*out, r)
}
