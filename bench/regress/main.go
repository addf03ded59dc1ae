// Command regress simulates services in production and counts what internal/regress finds
// in them, next to a plain t-test per function and a threshold per service:
//
//	go run ./bench/regress
//
// It takes some minutes. The seeds decide everything. The detector was tuned with lower
// seeds than the default ones, which were not looked at before.
//
// With -serve, it measures what the same costs a server. It sends profiles to two, for three
// quarters of an hour; one of them doesn't look for regressions.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
)

const (
	minute = int64(60e9)
	hour   = 60 * minute
	day    = 24 * hour
)

// options say what to simulate.
type options struct {
	seed     uint64
	services int
	days     int
	months   int // how often the fleets without a change run
	trials   int
	cores    float64
	noise    float64
	requests bool
	verbose  bool
	kind     string // only this one; "" are all
}

func main() {
	o := options{services: 5, days: 30}
	flag.Uint64Var(&o.seed, "seed", 5001, "first seed")
	flag.IntVar(&o.months, "months", 2, "times that the five services run for 30 days without a change")
	flag.IntVar(&o.trials, "trials", 40, "trials per change")
	flag.Float64Var(&o.cores, "cores", 12, "cores that an instance uses, on average")
	profileTo := flag.String("cpuprofile", "", "")
	flag.Float64Var(&o.noise, "noise", 1, "factor of what changes without a cause")
	flag.StringVar(&o.kind, "kind", "", "only this kind of profile")
	flag.BoolVar(&o.requests, "requests", false, "requests are counted, so that costs per request are compared")
	flag.BoolVar(&o.verbose, "v", false, "print what is found")
	serve := flag.Bool("serve", false, "measure what looking for regressions costs a server")
	l := load{}
	flag.Float64Var(&l.rate, "rate", 50, "with -serve: profiles per second")
	flag.IntVar(&l.instances, "instances", 60, "with -serve: instances of a service")
	flag.DurationVar(&l.history, "history", 6*time.Hour+30*time.Minute, "with -serve: time before whose profiles are sent first")
	flag.DurationVar(&l.live, "live", 35*time.Minute, "with -serve: time in which profiles are sent in real time")
	flag.Parse()
	if *profileTo != "" {
		out, _ := os.Create(*profileTo)
		pprof.StartCPUProfile(out)
		defer pprof.StopCPUProfile()
	}
	run := o.run
	if *serve {
		run = l.measureServers
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	alarms := map[string]int{}
	if o.kind == "" || o.kind == "cpu" {
		var err error
		if alarms["cpu"], err = o.cpu(ctx); err != nil {
			return err
		}
	}
	return o.kinds(ctx, alarms)
}

// cpu prints the table about CPU profiles, and returns the number of false alarms.
func (o options) cpu(ctx context.Context) (alarms int, err error) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Printf("Seeds from %d, 8 instances, %g cores each, profiles of 10 s per minute\n\n", o.seed, o.cores)
	fmt.Fprintln(w, "\thone\tt-test per function, p < 0.05\tthe same, Bonferroni\tservice threshold, 5 %")
	quiet, err := o.unchanged(ctx, "cpu")
	if err != nil {
		return 0, err
	}
	alarms = quiet.hone
	n := float64(o.months * o.services)
	fmt.Fprintf(w, "false alarms per service-month\t%.2f\t%.0f\t%.1f\t%.1f\n", float64(quiet.hone)/n, float64(quiet.test)/n, float64(quiet.strict)/n, float64(quiet.threshold)/n)
	for _, c := range []struct {
		name string
		regresstest.Change
	}{
		{"found within 30 minutes: +5 % of a function with 1 %", regresstest.Change{Factor: 1.05}},
		{"  first or second of the causes", regresstest.Change{}},
		{"found within 30 minutes: +20 %", regresstest.Change{Factor: 1.2}},
		{"  first or second of the causes", regresstest.Change{}},
		{"found within 30 minutes: a new call of 0.5 %", regresstest.Change{Calls: 0.005}},
		{"  first or second of the causes", regresstest.Change{}},
		{"alarms because of the change: renamed", regresstest.Change{Rename: true}},
		{"alarms because of the change: inlined", regresstest.Change{Inline: true}},
		{"alarms because of the change: wrapped in a new function", regresstest.Change{Wrap: true}},
	} {
		if c.Change == (regresstest.Change{}) {
			fmt.Fprintf(w, "%s\t%d of %d\n", c.name, quiet.ranked, quiet.hone)
			continue
		}
		quiet, err = o.changed(ctx, c.Change)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(w, "%s\t%d of %d\t%d\t%d\t%d\n", c.name, quiet.hone, o.trials, quiet.test, quiet.strict, quiet.threshold)
	}
	return alarms, w.Flush()
}

// counts are what the methods found.
type counts struct{ hone, test, strict, threshold, ranked int }

// parallel adds up the counts of n jobs.
func parallel(n int, job func(i int) (counts, error)) (sum counts, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				c, jobErr := job(i)
				mu.Lock()
				sum.hone, sum.test, sum.strict = sum.hone+c.hone, sum.test+c.test, sum.strict+c.strict
				sum.threshold, sum.ranked = sum.threshold+c.threshold, sum.ranked+c.ranked
				if err == nil {
					err = jobErr
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return sum, err
}

// unchanged counts the alarms of services in which nothing gets more expensive.
func (o options) unchanged(ctx context.Context, kind string) (counts, error) {
	return parallel(o.months*o.services, func(i int) (c counts, err error) {
		cores := o.cores * []float64{0.25, 0.5, 1, 1.5, 2}[i%o.services%5]
		f := regresstest.NewFleet(regresstest.Config{
			Seed: o.seed + uint64(i/o.services), Service: fmt.Sprint("service", i%o.services), Instances: 8, Days: o.days, Cores: cores,
			Noise: regresstest.UsualNoise.Times(o.noise), Deploys: 1.2, Kind: kind, Requests: o.requests,
		})
		found, err := f.Watch(ctx, regress.Options{})
		if err != nil {
			return c, err
		}
		c.hone = len(found)
		if o.verbose {
			for _, r := range found {
				fmt.Printf("false: %s seed %d service %d: %s\n", kind, o.seed+uint64(i/o.services), i%o.services, describe(r))
			}
		}
		if kind != "cpu" {
			return c, nil
		}
		for _, d := range f.Deploys() {
			if d.At-regresstest.Start() < 6*hour || d.At+30*minute > regresstest.Start()+int64(o.days)*day {
				continue
			}
			if err := c.others(ctx, f, d, nil); err != nil {
				return c, err
			}
		}
		return c, nil
	})
}

// others counts what the other methods find, with a name only of that function.
func (c *counts) others(ctx context.Context, f *regresstest.Fleet, d regresstest.Deploy, named *string) error {
	now := d.At + 30*minute
	count := func(names []string) int {
		switch {
		case named == nil:
			return len(names)
		case slices.Contains(names, *named):
			return 1
		}
		return 0
	}
	names, err := f.TTest(ctx, d, now, false)
	if err != nil {
		return err
	}
	c.test += count(names)
	if names, err = f.TTest(ctx, d, now, true); err != nil {
		return err
	}
	c.strict += count(names)
	over, err := f.Threshold(ctx, d, now, 0.05)
	if over {
		c.threshold++
	}
	return err
}

// trial returns the fleet of a trial, and the deploy that has the change.
func (o options) trial(i int, change regresstest.Change) (*regresstest.Fleet, regresstest.Deploy) {
	at := 8*day + 8*hour + int64(i%10)*hour
	f := regresstest.NewFleet(regresstest.Config{
		Seed: o.seed + uint64(i), Service: fmt.Sprint("trial", i), Instances: 8, Days: 9, Cores: o.cores, Noise: regresstest.UsualNoise.Times(o.noise), Deploys: 1.2, Requests: o.requests,
		Changes: []regresstest.TimedChange{{At: at, Change: change}}, Share: 0.01,
	})
	return f, f.Deploys()[slices.IndexFunc(f.Deploys(), func(d regresstest.Deploy) bool { return d.At == regresstest.Start()+at })]
}

// byChance returns what is found in a trial if its deploy changes nothing.
func (o options) byChance(ctx context.Context, i int) ([]string, error) {
	f, d := o.trial(i, regresstest.Change{})
	var names []string
	for _, look := range regress.Looks() {
		if int64(look.After) <= 30*minute {
			found, err := f.Look(ctx, d, look, regress.Options{})
			if err != nil {
				return nil, err
			}
			for _, r := range found {
				for _, c := range r.Causes {
					names = append(names, c.Function)
				}
			}
		}
	}
	return names, nil
}

// changed counts the trials in which a change is found. Of a change that costs nothing, it
// counts those in which more is found than without it.
func (o options) changed(ctx context.Context, change regresstest.Change) (counts, error) {
	return parallel(o.trials, func(i int) (c counts, err error) {
		f, d := o.trial(i, change)
		name := f.Changed()
		pure := change.Factor == 0 && change.Calls == 0
		seen, ranked := false, false
		var chance []string
		if pure {
			if chance, err = o.byChance(ctx, i); err != nil {
				return c, err
			}
		}
		for _, look := range regress.Looks() {
			if int64(look.After) <= 30*minute {
				found, err := f.Look(ctx, d, look, regress.Options{})
				if err != nil {
					return c, err
				}
				if o.verbose {
					for _, r := range found {
						fmt.Printf("%+v: trial %d (%s): %s\n", change, i, name, describe(r))
					}
				}
				for _, r := range found {
					hit := slices.ContainsFunc(r.Causes, func(c regress.Cause) bool { return c.Function == name })
					seen = seen || hit || pure && !slices.Contains(chance, r.Function)
					ranked = ranked || hit && slices.ContainsFunc(r.Causes[:min(2, len(r.Causes))], func(c regress.Cause) bool { return c.Function == name })
				}
			}
		}
		if seen {
			c.hone = 1
		}
		if ranked {
			c.ranked = 1
		}
		if pure {
			name += map[bool]string{true: "2"}[change.Rename] + map[bool]string{true: ".wrapper"}[change.Wrap]
		}
		return c, c.others(ctx, f, d, &name)
	})
}

// describe returns a line about a regression.
func describe(r regress.Regression) string {
	var causes []string
	for _, c := range r.Causes {
		causes = append(causes, c.Function)
	}
	at := float64(r.Since-regresstest.Start()) / float64(day)
	return fmt.Sprintf("%s callees=%v %+.1f %% (%.1f to %.1f) share %.3f %% version %q day %.2f after %.1f h, %d of %d, causes %s, new %s", r.Function, r.Callees,
		100*r.Growth, 100*r.Low, 100*r.High, 100*r.Share, r.Version, at, float64(r.To-r.Since)/float64(hour), r.Affected, r.Instances, strings.Join(causes, " "), strings.Join(r.New, " "))
}
