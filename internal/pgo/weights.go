package pgo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hone-go/hone/profile"
)

// An Input is a CPU profile and where it comes from.
type Input struct {
	Profile *profile.Profile
	Source  string // a service, or what the user named
	Version string // of the service, or the benchmark of a run; may be ""
}

func (in *Input) name() string {
	if in.Version == "" {
		return in.Source
	}
	return in.Source + " " + in.Version
}

func (in *Input) part() part { return part{in.Source, in.Version} }

// Weights says how inputs are weighted.
type Weights string

const (
	// Equal: each source has the same weight, and within a source each version: a
	// service with many instances doesn't decide for one with few.
	Equal Weights = "equal"
	// CPU: each second of CPU time has the same weight.
	CPU Weights = "cpu"
)

// Errors of inputs, which say what to do next.
var (
	ErrNoCPU    = errors.New("it has no CPU samples")
	ErrNoNames  = errors.New("its samples have no function names")
	ErrNoStarts = errors.New("it lacks the start lines of functions, by which the compiler finds calls")
)

// A part is what has a weight of its own.
type part struct{ source, version string }

// A cell is what is counted of a stack.
type cell struct{ samples, nanos float64 }

func (c *cell) add(d cell, ratio float64) {
	c.samples += ratio * d.samples
	c.nanos += ratio * d.nanos
}

// scales returns what values of parts are multiplied by: 1 for the one that is scaled
// least, and more for all others, so that no sample is rounded away.
func scales(parts map[part]*cell, w Weights) map[part]float64 {
	ratios := make(map[part]float64)
	versions := make(map[string]int)
	for p := range parts {
		versions[p.source]++
	}
	most := 0.0 // a source's total
	for p, c := range parts {
		ratios[p] = 1
		most = max(most, c.nanos*float64(versions[p.source]))
	}
	if w == CPU {
		return ratios
	}
	const largest = 1 << 60 // of 1<<63, over all sources
	most = min(most, largest/float64(len(versions)))
	for p, c := range parts {
		if c.nanos > 0 {
			ratios[p] = most / float64(versions[p.source]) / c.nanos
		}
	}
	return ratios
}

// HasCPU reports whether a profile has CPU time, which Merge wants.
func HasCPU(p *profile.Profile) bool {
	_, err := columns(p)
	return err == nil
}

// columns finds the values of a CPU profile: one column of the two may be missing.
func columns(p *profile.Profile) (value func(s int) cell, err error) {
	samples, cpu, perNano := -1, -1, 1.0
	for i, t := range p.SampleTypes {
		switch {
		case t.Type == "samples" && t.Unit == "count":
			samples = i
		case t.Type == "cpu":
			to, unit := profile.Convert(1e9, t.Unit, "nanoseconds")
			if unit == "ns" || unit == "nanoseconds" {
				cpu, perNano = i, to/1e9
			}
		}
	}
	period := 1e7 // runtime/pprof takes 100 samples a second
	if p.PeriodType.Type == "cpu" && p.PeriodType.Unit == "nanoseconds" && p.Period > 0 {
		period = float64(p.Period)
	}
	switch {
	case cpu >= 0 && samples >= 0:
		return func(s int) cell { return cell{float64(p.Values[samples][s]), float64(p.Values[cpu][s]) * perNano} }, nil
	case cpu >= 0:
		return func(s int) cell {
			n := float64(p.Values[cpu][s]) * perNano
			return cell{n / period, n}
		}, nil
	case samples >= 0 && p.PeriodType.Type == "cpu":
		return func(s int) cell {
			n := float64(p.Values[samples][s])
			return cell{n, n * period}
		}, nil
	}
	var have []string
	for _, t := range p.SampleTypes {
		have = append(have, t.Type+"/"+t.Unit)
	}
	if len(have) == 0 {
		return nil, ErrNoCPU
	}
	return nil, fmt.Errorf("%w, but %s: take a CPU profile, as of /debug/pprof/profile or go test -cpuprofile", ErrNoCPU, strings.Join(have, ", "))
}
