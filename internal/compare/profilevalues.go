package compare

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/profile"
	"golang.org/x/perf/benchunit"
)

// runValues gives metrics of a run's profiles to objectives.
type runValues struct {
	of      *input
	medians map[experiment.Key]float64 // by tidied unit
	read    map[string]*profile.Profile
}

// newRunValues returns the metrics of an input, nil for files, which have no
// profiles.
func newRunValues(in *input) objective.ProfileValues {
	if in.run == nil {
		return nil
	}
	v := &runValues{of: in, medians: make(map[experiment.Key]float64), read: make(map[string]*profile.Profile)}
	for k, m := range experiment.Medians(in.Results) {
		m, k.Unit = benchunit.Tidy(m, k.Unit)
		v.medians[k] = m
	}
	return v
}

// operationMetric is the benchmark's metric whose amount a sample type splits
// up: see explanation.
var operationMetric = map[string]struct {
	unit, written string
	dimension     objective.Dimension
}{
	"cpu":           {"sec/op", "ns/op", objective.Time},
	"alloc_space":   {"B/op", "B/op", objective.Bytes},
	"alloc_objects": {"allocs/op", "allocs/op", objective.Number},
}

func (v *runValues) ProfileValue(pkg, benchmark string, m objective.ProfileMetric) (objective.Quantity, error) {
	none := objective.Quantity{}
	p, err := v.profile(pkg, benchmark, m.Kind)
	if err != nil {
		return none, err
	}
	sampleType := m.SampleType
	if sampleType == "" && m.Kind == "mem" {
		// The default of Go's is what is in use at the end, which of a benchmark
		// is nothing.
		sampleType = "alloc_space"
	}
	index, err := p.SampleIndex(sampleType)
	if err != nil {
		return none, err
	}
	if index < 0 {
		return none, errors.New("the profile has no samples")
	}
	matched, total := matchedValue(p, index, m.Function, m.Flat)
	if total == 0 {
		return none, errors.New("the profile is empty: the benchmark needs a longer profile, or does nothing of this kind")
	}
	share := float64(matched) / float64(total)
	if !m.PerOp {
		return objective.Quantity{Value: share, Dimension: objective.Fraction}, nil
	}
	// Of allocations, B/op and allocs/op are exact and the profile has a sample of
	// them: it tells the share. Else the number of operations does, where it is
	// known; a CPU profile of older runs is taken for all of the benchmark's time.
	t := p.SampleTypes[index]
	of, ok := operationMetric[t.Type]
	if n := capture.ProfileIterations(p); n > 0 && (!ok || t.Type == "cpu") && m.Kind != "mem" {
		q := objective.Quantity{Value: float64(matched) / float64(n)}
		switch t.Unit {
		case "nanoseconds":
			q.Value, q.Dimension = q.Value/1e9, objective.Time
		case "bytes":
			q.Dimension = objective.Bytes
		}
		return q, nil
	}
	if !ok {
		return none, fmt.Errorf("the profile does not say how many operations it covers, so %s per operation is unknown; cpu, alloc_space and alloc_objects follow from ns/op, B/op and allocs/op", t.Type)
	}
	median, ok := v.medians[experiment.Key{Package: pkg, Benchmark: benchmark, Unit: of.unit}]
	if !ok {
		return none, fmt.Errorf("%s per operation is computed from %s, which was not measured: use -benchmem", t.Type, of.written)
	}
	return objective.Quantity{Value: share * median, Dimension: of.dimension}, nil
}

func (v *runValues) profile(pkg, benchmark, kind string) (*profile.Profile, error) {
	for _, f := range v.of.run.Profiles() {
		if f.Package != pkg || f.Benchmark != benchmark || f.Kind != kind || f.Side != v.of.side {
			continue
		}
		if v.read[f.Path] == nil {
			p, err := readRunProfile(f.Path, pkg, func(text string) { v.of.warnings = append(v.of.warnings, text) })
			if err != nil {
				return nil, err
			}
			v.read[f.Path] = p
		}
		return v.read[f.Path], nil
	}
	return nil, objective.ErrNoProfile
}

// matchedValue adds up the samples with a function that matches, each counted
// once, or with flat those where it is the leaf. A nil function matches all.
func matchedValue(p *profile.Profile, index int, function *regexp.Regexp, flat bool) (matched, total int64) {
	names := make(map[uint32]bool) // by function: whether it matches
	match := func(f uint32) bool {
		yes, known := names[f]
		if !known {
			yes = function.MatchString(p.FunctionName(f))
			names[f] = yes
		}
		return yes
	}
	for s := range p.NumSamples() {
		value := p.Values[index][s]
		total += value
		if function == nil {
			matched += value
			continue
		}
		stack := p.Stack(s)
		if flat {
			stack = stack[:min(1, len(stack))]
		}
	sample:
		for _, l := range stack {
			at := &p.Locations[l]
			lines := p.Lines[at.FirstLine : at.FirstLine+at.NumLines]
			if flat {
				lines = lines[:min(1, len(lines))]
			}
			for _, line := range lines {
				if match(line.Function) {
					matched += value
					break sample
				}
			}
		}
	}
	return matched, total
}
