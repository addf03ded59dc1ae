// Package experiment keeps what was measured and says what it means: runs on
// disk, comparisons of two sides, and objectives.
//
// # From samples to a verdict
//
//	Schedule      which side runs when: randomised ABBA blocks
//	Series        samples of one benchmark and unit, both sides
//	MeasureFloor  what an A/A pre-check shows when nothing changed
//	Compare       all series of a run as one family: ratios, intervals,
//	              p values, verdicts
//	Confirm       a second run has to agree before a change counts
//
// Files by subject: signedrank.go the test and its interval, paired.go the
// comparison of one series, exact.go allocation counts, family.go the
// correction over all of them, sequential.go when to stop measuring,
// confirm.go the second run, unpaired.go benchstat's method for results that
// were not interleaved.
//
// # Runs
//
// A Run is a directory of plain files, drawn in doc/runs.md: run.go writes and
// reads it, list.go finds runs by name, filename.go turns benchmark names into
// file names.
//
// # Objectives
//
// objective.go reads hone.toml and evaluate.go compares it with what was
// measured; doc/objectives.md is the manual.
package experiment
