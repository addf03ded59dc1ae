package experiment

// A Gap is something that was to be measured, and was not.
type Gap struct {
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark,omitempty"` // "" if it is all of the package, or a test
	Unit      string `json:"unit,omitempty"`      // "" if it is all of the benchmark
	Why       string `json:"why"`
}

func (g Gap) String() string {
	name := g.Package
	if g.Benchmark != "" && name != "" {
		name += "."
	}
	name += g.Benchmark
	if g.Unit != "" {
		name += " " + g.Unit
	}
	if name == "" {
		return g.Why
	}
	return name + ": " + g.Why
}

// NotMeasured is why something is missing, if nothing better is known.
const NotMeasured = "not measured"

// A Failure is a package or benchmark of a side that could not be measured.
type Failure struct {
	Gap
	Side string `json:"side,omitempty"` // "" if there is only one
}
