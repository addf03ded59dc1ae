package experiment

import (
	"fmt"
	"strings"
)

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

// TestNotes says, in lines for people, where benchmarks were taken from. Packages of
// which the same is to be said share a line.
func (i *Info) TestNotes() []string {
	base := "the base"
	if i.Base != nil && i.Base.Name != "" {
		base = i.Base.Name
	}
	var notes []string
	together := make(map[string][]string) // packages by what is said of them
	var order []string
	for _, o := range i.Tests {
		text := o.words(base)
		if together[text] == nil {
			order = append(order, text)
		}
		together[text] = append(together[text], o.Package)
	}
	for _, text := range order {
		notes = append(notes, listed(together[text])+": "+text)
	}
	return notes
}

func (o *TestOrigin) words(base string) string {
	differ := listed(o.Files) + " differ"
	if len(o.Files) == 1 {
		differ += "s"
	}
	differ += " from " + base
	why := ""
	if len(o.Why) > 0 {
		why = "; " + strings.Join(o.Why, "; ")
	}
	switch {
	case o.From == OfHead:
		return fmt.Sprintf("the benchmark is head's on both sides: %s%s", differ, why)
	case o.From == OfBase:
		return fmt.Sprintf("the benchmark is that of %s on both sides: %s%s", base, differ, why)
	case o.Asked:
		return "each side ran its own benchmark, as asked for by -tests each: " + differ
	}
	return fmt.Sprintf("the benchmark itself changed, and each side ran its own, so its verdicts are inconclusive: %s%s", differ, why)
}
