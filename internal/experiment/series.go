package experiment

// A Sample is one measured value: one process of one side.
type Sample struct {
	Slot
	Value float64
}

// A Series is everything measured of one benchmark in one unit, both sides.
type Series struct {
	Key
	Samples []Sample
}

// A Key names a series.
type Key struct {
	Package   string // import path; "" when the file does not say
	Benchmark string // without the leading "Benchmark": "Parse/short-4"
	Unit      string // as in the file: "ns/op"
}

func (k Key) String() string {
	name := k.Benchmark + " " + k.Unit
	if k.Package != "" {
		name = k.Package + " " + name
	}
	return name
}

// A BenchmarkName is a Key without a unit.
type BenchmarkName struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
}

// Name returns the key without its unit.
func (k Key) Name() BenchmarkName { return BenchmarkName{k.Package, k.Benchmark} }
