// Package experiment keeps what was measured and says what it means: runs on
// disk, and comparisons of two sides.
//
// # From samples to a verdict
//
//	Schedule      which side runs when: randomised ABBA blocks
//	Series        samples of one benchmark and unit, both sides
//	MeasureFloor  what an A/A pre-check shows when nothing changed
//	Compare       all series of a run as one family: ratios, intervals,
//	              p values, verdicts
//	Confirm       the second run has to agree before a change counts
//
// compare.go has the stages of Compare in order: estimate.go (one series, without the
// others), clock.go (which of two clocks judges), holm.go (the correction over the
// family) and judge.go (the verdict). pairing.go makes pairs, exact.go compares counts,
// look.go says when to look at the data, and floor.go what the pre-check found.
//
// # Runs
//
// A Run is a directory of plain files, drawn in doc/runs.md: writer.go writes it, open.go
// reads it, list.go finds runs by name, and filename.go turns benchmark names into file
// names.
package experiment
