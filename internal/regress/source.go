package regress

import (
	"context"

	"github.com/hone-go/hone/profile"
)

// A Source has the costs of functions over time.
type Source interface {
	// Sums returns one sum per version, with Selection.ByInstance per version and
	// instance. It leaves out sums without profiles. Functions have the numbers that
	// frames gives them.
	Sums(ctx context.Context, sel Selection, frames *Frames) ([]Sum, error)
	// Load returns how many CPUs an instance of a service used on average, 0 if unknown.
	Load(ctx context.Context, service string, from, to int64) (float64, error)
}

// A Selection says what to sum up.
type Selection struct {
	Service, Kind string
	From, To      int64 // ns since 1970; To is exclusive
	ByInstance    bool
	Edges         bool // fill in Sum.Edges
}

// A Sum is what functions cost in some profiles. Columns have an entry per number of a
// function and may be shorter than Frames; missing entries are 0.
type Sum struct {
	Instance, Version string
	Type, Unit        string  // of the values
	Seconds           float64 // that were profiled; profiles if they are of moments
	Requests          float64 // in these seconds; 0 if not counted
	// Event is the value of one event that the profiler counts; 0 if unknown.
	Event float64
	Own   []float64 // by function, without what it calls
	Cum   []float64 // by function, with what it calls
	Edges map[Edge]float64
}

// An Edge is a call.
type Edge struct{ Caller, Callee int32 }

// Frames numbers functions.
type Frames struct {
	Names []string
	index map[string]int32
	// literals has where function literals are, by number.
	literals map[int32]profile.Definition
	// same has the number of a literal's other name, which counts instead.
	same  map[int32]int32
	limit int  // of functions; 0 is none
	Rest  bool // functions exceed the limit, and have the last number
}

// restName is the name of the functions that exceed the limit. No function has it.
const restName = "\x00rest"

// NewFrames returns an empty table.
func NewFrames() *Frames {
	return &Frames{index: map[string]int32{}, literals: map[int32]profile.Definition{}}
}

// Number returns the number of a function.
func (f *Frames) Number(name string) int32 {
	n, ok := f.index[name]
	if !ok && f.limit > 0 && len(f.Names) >= f.limit {
		f.Rest = true
		name = restName
		n, ok = f.index[name]
	}
	if !ok {
		n = int32(len(f.Names))
		f.index[name] = n
		f.Names = append(f.Names, name)
	}
	return n
}

// rest reports whether a number is that of the functions that exceed the limit.
func (f *Frames) rest(n int32) bool { return f.Rest && f.Names[n] == restName }

// at returns an entry of a column.
func at(column []float64, f int) float64 {
	if f >= len(column) {
		return 0
	}
	return column[f]
}

// addTo adds a column times a factor to another one, which it returns.
func addTo(sum, column []float64, factor float64) []float64 {
	if len(sum) < len(column) {
		sum = append(sum, make([]float64, len(column)-len(sum))...)
	}
	for i, v := range column {
		sum[i] += v * factor
	}
	return sum
}
