package regress_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
)

// TestSimulation is a small part of bench/regress, with fixed seeds: what is found among
// deploys without a change, and after one.
func TestSimulation(t *testing.T) {
	const day = 24 * hour
	fleet := func(seed uint64, change regresstest.Change) *regresstest.Fleet {
		return regresstest.NewFleet(regresstest.Config{
			Seed: seed, Service: fmt.Sprint("service", seed), Instances: 6, Days: 4, Cores: 12, Noise: regresstest.UsualNoise, Deploys: 1,
			Changes: []regresstest.TimedChange{{At: 3*day + 10*hour, Change: change}}, Share: 0.01,
		})
	}
	for _, test := range []struct {
		name   string
		change regresstest.Change
		want   int // of two fleets, those in which the changed function is the cause
		others int // regressions with other causes
	}{
		{"nothing", regresstest.Change{}, 0, 0},
		{"+20 %", regresstest.Change{Factor: 1.2}, 2, 0},
		{"renamed", regresstest.Change{Rename: true}, 0, 0},
	} {
		found, others := 0, 0
		for seed := range uint64(2) {
			f := fleet(seed+1, test.change)
			for _, d := range f.Deploys() {
				if d.At < regresstest.Start()+3*day {
					continue
				}
				all, err := f.Look(t.Context(), d, regress.Looks()[2], regress.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(all, func(r regress.Regression) bool { return r.Function == f.Changed() }) {
					found++
				}
				others += len(all)
			}
		}
		if others -= found; found != test.want || others != test.others {
			t.Errorf("%s: found in %d fleets, want %d; %d others, want %d", test.name, found, test.want, others, test.others)
		}
	}
}
