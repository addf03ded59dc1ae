package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
)

// A kindChange is a change to one function of a kind of profile.
type kindChange struct {
	kind, name string
	within     time.Duration // in which it has to be found
	share      float64       // that the function has
	regresstest.Change
}

func kindChanges() []kindChange {
	return []kindChange{
		{"allocs", "+20 % of a function with 1 %", 30 * time.Minute, 0.01, regresstest.Change{Factor: 1.2}},
		{"mutex", "twice the waiting for a lock with 20 %", time.Hour, 0.2, regresstest.Change{Factor: 2}},
		{"mutex", "three times the waiting for a lock with 60 %", 30 * time.Minute, 0.6, regresstest.Change{Factor: 3}},
		{"block", "twice the waiting in a function with 20 %", time.Hour, 0.2, regresstest.Change{Factor: 2}},
		{"heap", "+50 % of a function with 10 %", 6 * time.Hour, 0.1, regresstest.Change{Factor: 1.5}},
		{"heap", "a leak: 5 % more per hour of a function with 20 %", 24 * time.Hour, 0.2, regresstest.Change{Leak: 0.05}},
		{"goroutine", "twice the goroutines of a function with 10 %", time.Hour, 0.1, regresstest.Change{Factor: 2}},
		{"goroutine", "a leak: 20 % more per hour of a function with 5 %", 24 * time.Hour, 0.05, regresstest.Change{Leak: 0.2}},
	}
}

// kinds prints the tables about all kinds of profiles. alarms are the false ones known
// already, by kind.
func (o options) kinds(ctx context.Context, alarms map[string]int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\nkind\tfalse alarms per service-month")
	months, sum := float64(o.months*o.services), 0
	for _, kind := range []string{"cpu", "allocs", "mutex", "block", "heap", "goroutine"} {
		n, known := alarms[kind]
		if o.kind != "" && o.kind != kind {
			continue
		}
		if !known {
			quiet, err := o.unchanged(ctx, kind)
			if err != nil {
				return err
			}
			n = quiet.hone
		}
		sum += n
		fmt.Fprintf(w, "%s\t%.2f\n", kind, float64(n)/months)
	}
	fmt.Fprintf(w, "all\t%.2f\n", float64(sum)/months)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nkind\tchange\twithin\tfound\tfirst or second of the causes")
	for _, c := range kindChanges() {
		if o.kind != "" && o.kind != c.kind {
			continue
		}
		of, err := parallel(o.trials, func(i int) (counts, error) { return o.found(ctx, c, i) })
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%d of %d\t%d\n", c.kind, c.name, c.within, of.hone, o.trials, of.ranked)
	}
	return w.Flush()
}

// found looks for a change in one trial.
func (o options) found(ctx context.Context, change kindChange, i int) (c counts, err error) {
	at := 8*day + 8*hour + int64(i%10)*hour
	f := regresstest.NewFleet(regresstest.Config{
		Seed: o.seed + uint64(i), Service: fmt.Sprint("trial", i), Kind: change.kind, Instances: 8, Days: 10, Cores: o.cores, Noise: regresstest.UsualNoise.Times(o.noise),
		Deploys: 1.2, Changes: []regresstest.TimedChange{{At: at, Change: change.Change}}, Share: change.share, Last: true,
	})
	name := f.Changed()
	d := f.Deploys()[slices.IndexFunc(f.Deploys(), func(d regresstest.Deploy) bool { return d.At == regresstest.Start()+at })]
	for _, look := range regress.Looks() {
		if look.After > change.within {
			break
		}
		found, err := f.Look(ctx, d, look, regress.Options{})
		if err != nil {
			return c, err
		}
		for _, r := range found {
			if o.verbose {
				fmt.Printf("%s %s: trial %d (%s): %s\n", change.kind, change.name, i, name, describe(r))
			}
			if j := slices.IndexFunc(r.Causes, func(c regress.Cause) bool { return c.Function == name }); j >= 0 {
				c.hone = 1
				if j < 2 {
					c.ranked = 1
				}
			}
		}
	}
	return c, nil
}
