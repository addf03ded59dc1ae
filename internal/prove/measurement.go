package prove

import (
	"math"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/tune"
)

// Speed says whether a candidate is faster.
type Speed string

const (
	Faster       Speed = "faster" // a benchmark is, in two measurements, and none is slower
	Slower       Speed = "slower" // a benchmark is, beyond its budget, in two measurements
	Same         Speed = "same"   // the intervals rule out a change worth noting
	Inconclusive Speed = "inconclusive"
	NotMeasured  Speed = "not measured"
)

// A Measurement compares a candidate with the base, or with another candidate.
type Measurement struct {
	Speed Speed  `json:"speed"`
	How   string `json:"how"` // a sentence: by how much, or why that isn't known
	// Allocations is "fewer" or "more" if a number of bytes or objects per operation changed,
	// "same" if all of them were measured to be the same, else "".
	Allocations string `json:"allocations"`
	Regression  bool   `json:"regression"` // something got worse beyond its budget
	// Changes are what was measured, per benchmark and unit.
	Changes []tune.Change `json:"changes"`
	// Moved are the functions that caused the changes of times, the largest first.
	Moved []Moved `json:"moved"`
	// NotBenchmarked are functions that changed, and that none of the benchmarks executes.
	NotBenchmarked []string `json:"notBenchmarked"`
	// Noise is how much one pair of samples of the same code differs, as a fraction: the standard
	// deviation for the noisiest benchmark. It is 0 if it wasn't measured.
	Noise    float64         `json:"noise"`
	Seconds  float64         `json:"seconds"`
	Run      string          `json:"run,omitempty"`
	Failures []bench.Failure `json:"failures"` // what could not be measured
	Warnings []string        `json:"warnings"` // of the machine

	took time.Duration // without building
}

// Moved is what a function costs in an operation of a benchmark, itself.
type Moved struct {
	Benchmark string  `json:"benchmark"`
	Function  string  `json:"function"`
	Change    float64 `json:"change"` // head − base
	Unit      string  `json:"unit"`   // of Change: "sec/op"
}

// notMeasured is a measurement that there is none of.
func notMeasured(why string) *Measurement {
	return &Measurement{Speed: NotMeasured, How: why, Changes: []tune.Change{}, Moved: []Moved{}, NotBenchmarked: []string{}, Failures: []bench.Failure{}, Warnings: []string{}}
}

// rounded is a time in seconds for people.
func rounded(d time.Duration) float64 { return math.Round(10*d.Seconds()) / 10 }
