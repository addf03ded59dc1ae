package experiment

import (
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A Run is an opened run directory, read and checked.
type Run struct {
	Info
	Dir string
	// Problems are what a partial run lacks: a torn last line, for example. A
	// complete run has none, it would not open.
	Problems []string
	// Skipped has a sentence for each newer run that Find passed over.
	Skipped []string

	results map[part][]Result
	units   benchfmt.UnitMetadataMap
	files   []ProfileFile
}

// A Result is one line of a benchmark file and when it was measured.
type Result struct {
	*benchfmt.Result
	Slot
	HasSlot bool
}

// A ProfileFile is one profile of a run, or, of the kind "trace", an execution
// trace.
type ProfileFile struct {
	Package, Benchmark string
	Side               Side
	Kind               string
	Path               string // of the file
}

// Results returns the results of a side in the order of the file. A run that
// compares nothing has the phase Measure and the side Head. The caller does not
// change them.
func (r *Run) Results(phase Phase, side Side) []Result { return r.results[part{phase, side}] }

// Units is what the run's files say of their units.
func (r *Run) Units() benchfmt.UnitMetadataMap { return r.units }

// Profiles returns the run's profiles, by folder and kind.
func (r *Run) Profiles() []ProfileFile { return slices.Clone(r.files) }

// Series returns the samples of a phase by package, benchmark and unit, in the
// order of the files.
func (r *Run) Series(phase Phase) []Series {
	var series []Series
	index := make(map[Key]int)
	for _, side := range []Side{Base, Head} {
		for n, result := range r.Results(phase, side) {
			slot := result.Slot
			if !result.HasSlot { // written by hand: the n-th of each side are a pair
				slot = Slot{Block: n, Order: n, Side: side}
			}
			for _, v := range result.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				k := Key{result.GetConfig("pkg"), result.Name.String(), unit}
				i, ok := index[k]
				if !ok {
					i = len(series)
					index[k] = i
					series = append(series, Series{Key: k})
				}
				series[i].Samples = append(series[i].Samples, Sample{slot, value})
			}
		}
	}
	return series
}
