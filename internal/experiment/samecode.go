package experiment

// A BenchmarkName is a Key without a unit.
type BenchmarkName struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
}

func (k Key) name() BenchmarkName { return BenchmarkName{k.Package, k.Benchmark} }

// sameCode is what people are told of SameCode.
const sameCode = "nothing this benchmark runs changed"
