package experiment

import (
	"fmt"
	"strings"
)

// A BenchmarkName is a Key without a unit.
type BenchmarkName struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
}

func (k Key) name() BenchmarkName { return BenchmarkName{k.Package, k.Benchmark} }

// sameCode is what people are told of SameCode.
const sameCode = "nothing this benchmark runs changed"

// namedAtMost is how many benchmarks or functions a line names.
const namedAtMost = 8

// CodeNotes says, in lines for people, where benchmarks were taken from that differ, of
// which it is known without measuring that they can't have changed, and which changes
// none of them runs.
func (i *Info) CodeNotes() []string {
	notes := i.TestNotes()
	byPackage := make(map[string][]string)
	var packages []string
	for _, b := range i.SameCode {
		if byPackage[b.Package] == nil {
			packages = append(packages, b.Package)
		}
		byPackage[b.Package] = append(byPackage[b.Package], b.Benchmark)
	}
	for _, p := range packages {
		if names := byPackage[p]; len(names) == 1 {
			notes = append(notes, fmt.Sprintf("%s.%s: %s", p, names[0], sameCode))
		} else {
			notes = append(notes, fmt.Sprintf("%s: nothing these %d benchmarks run changed: %s", p, len(names), listed(names)))
		}
	}
	if n := len(i.NotBenchmarked); n > 0 {
		what := "the changed functions are not benchmarked"
		switch {
		case i.OtherChanges:
			what = "some changed functions are not benchmarked"
		case n == 1:
			what = "the changed function is not benchmarked"
		}
		notes = append(notes, what+": "+listed(i.NotBenchmarked))
	}
	return notes
}

func listed(names []string) string {
	if len(names) <= namedAtMost {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedAtMost], ", "), len(names)-namedAtMost)
}
