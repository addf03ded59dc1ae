package pgo

import (
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/profile"
)

// FromRun is what OfRun needs of a run.
var FromRun = experiment.Need{What: "CPU profiles", In: func(r *experiment.Run) bool { return slices.ContainsFunc(r.Profiles(), isInput) }}

// isInput reports whether a file of a run is a profile of the code as it was measured.
func isInput(f experiment.ProfileFile) bool { return f.Kind == "cpu" && f.Side == experiment.Head }

// OfRun returns the CPU profiles of a run's head. load reads a file.
func OfRun(run *experiment.Run, load func(file string) (*profile.Profile, error)) ([]Input, error) {
	var inputs []Input
	for _, f := range run.Profiles() {
		if !isInput(f) {
			continue
		}
		p, err := load(f.Path)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, Input{Profile: p, Source: run.ID, Version: run.ProfileName(f)})
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("run %s has no CPU profiles: record them with hone bench -profile cpu", run.ID)
	}
	return inputs, nil
}
