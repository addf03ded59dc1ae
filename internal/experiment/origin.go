package experiment

// A TestOrigin says whose benchmarks a comparison ran, of a package whose test files or
// testdata differ between the sides: a benchmark that changed together with the code
// says nothing about the code.
type TestOrigin struct {
	Package string      `json:"package"`
	From    BenchmarkOf `json:"from"`
	Files   []string    `json:"files"` // what differs: "decode_test.go", "testdata/"
	// Why has a reason for each side whose benchmarks were tried on the other, in vain.
	Why []string `json:"why,omitempty"`
	// Asked: that each side runs its own was asked for, so it is judged.
	Asked bool `json:"asked,omitempty"`
}

// BenchmarkOf is the side that benchmarks are taken from.
type BenchmarkOf string

const (
	OfHead BenchmarkOf = "head" // both sides run the head's
	OfBase BenchmarkOf = "base" // both sides run the base's
	OfEach BenchmarkOf = "each" // each side runs its own
)

// unlike reports whether the sides ran what nobody can say is comparable.
func (o *TestOrigin) unlike() bool { return o.From == OfEach && !o.Asked }
