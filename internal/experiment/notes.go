package experiment

import (
	"fmt"
	"strings"
)

// namedAtMost is how many benchmarks or functions a line names.
const namedAtMost = 8

// CodeNotes says, in lines for people, where benchmarks were taken from that differ, of
// which it is known without measuring that they can't have changed, why it isn't known of
// others, and which changes none of them runs. Unless all is set, long lists are cut short.
func (i *Info) CodeNotes(all bool) []string {
	notes := append(i.TestNotes(), i.sameNotes(all)...)
	notes = append(notes, i.doubtNotes(all)...)
	if n := len(i.NotBenchmarked); n > 0 {
		what := "the changed functions are not benchmarked"
		switch {
		case i.OtherChanges:
			what = "some changed functions are not benchmarked"
		case n == 1:
			what = "the changed function is not benchmarked"
		}
		notes = append(notes, what+": "+listedAs(i.NotBenchmarked, all))
	}
	return notes
}

// sameNotes names the benchmarks of SameCode: those of each package, or, of more than one
// can read at a glance, how many there are.
func (i *Info) sameNotes(all bool) []string {
	byPackage := make(map[string][]string)
	var packages []string
	for _, b := range i.SameCode {
		if byPackage[b.Package] == nil {
			packages = append(packages, b.Package)
		}
		byPackage[b.Package] = append(byPackage[b.Package], b.Benchmark)
	}
	if n := len(i.SameCode); n > namedAtMost && !all {
		of := packages[0]
		if len(packages) > 1 {
			of = fmt.Sprintf("%d packages", len(packages))
		}
		return []string{fmt.Sprintf("%d benchmarks of %s run no changed code; -v lists them", n, of)}
	}
	var notes []string
	for _, p := range packages {
		if names := byPackage[p]; len(names) == 1 {
			notes = append(notes, fmt.Sprintf("%s.%s: %s", p, names[0], SameCodeWords))
		} else {
			notes = append(notes, fmt.Sprintf("%s: %d benchmarks run no changed code: %s", p, len(names), strings.Join(names, ", ")))
		}
	}
	return notes
}

// doubtNotes says of each package why benchmarks of it were measured whose own code is
// the same.
func (i *Info) doubtNotes(all bool) []string {
	type doubt struct{ pkg, why string }
	names := make(map[doubt][]string)
	var order []doubt
	for _, d := range i.MeasuredOnly {
		of := doubt{d.Package, d.Why}
		if names[of] == nil {
			order = append(order, of)
		}
		names[of] = append(names[of], d.Benchmark)
	}
	var notes []string
	if i.Uncompared != "" {
		notes = append(notes, "benchmarks were measured whether their code changed or not: "+i.Uncompared)
	}
	for _, d := range order {
		n := names[d]
		switch {
		case len(n) == 1:
			notes = append(notes, fmt.Sprintf("%s.%s was measured although its own code is the same: %s", d.pkg, n[0], d.why))
		case all:
			notes = append(notes, fmt.Sprintf("%s: %d benchmarks were measured although their own code is the same: %s: %s", d.pkg, len(n), strings.Join(n, ", "), d.why))
		default:
			notes = append(notes, fmt.Sprintf("%s: %d benchmarks were measured although their own code is the same: %s", d.pkg, len(n), d.why))
		}
	}
	return notes
}

// TestNotes says, in lines for people, where benchmarks were taken from. Packages of
// which the same is to be said share a line.
func (i *Info) TestNotes() []string {
	base := "the base"
	if i.Base != nil && i.Base.Name != "" {
		base = i.Base.Name
	}
	var notes []string
	packages := make(map[string][]string) // packages by what is said of them
	var order []string
	for _, o := range i.Tests {
		text := o.words(base)
		if packages[text] == nil {
			order = append(order, text)
		}
		packages[text] = append(packages[text], o.Package)
	}
	for _, text := range order {
		notes = append(notes, listed(packages[text])+": "+text)
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
		return fmt.Sprintf("both sides ran the working tree's benchmark, because %s%s", differ, why)
	case o.From == OfBase:
		return fmt.Sprintf("both sides ran the benchmark of %s, because %s%s", base, differ, why)
	case o.Asked:
		return "each side ran its own benchmark, as asked for by -tests each: " + differ
	}
	return fmt.Sprintf("the benchmark itself changed, and each side ran its own, so its verdicts are inconclusive: %s%s", differ, why)
}

func listed(names []string) string { return listedAs(names, false) }

func listedAs(names []string, all bool) string {
	if all || len(names) <= namedAtMost {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedAtMost], ", "), len(names)-namedAtMost)
}
