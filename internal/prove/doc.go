// Package prove judges changes of a Go program: whether they are right, and whether they are
// faster.
//
//	request      what the command line asks for: patches, revisions, the working tree (input.go)
//	scratchCopy  a copy of the base, with a git repository of its own (copy.go)
//	candidate    a tree in it (candidate.go, tree.go), which a patch becomes or is refused (patch.go)
//	affected     the packages that it can change (packages.go)
//	examined     build, vet, tests (checker.go, check.go), and what these execute (cover.go, examine.go)
//	Compared     what exported functions return, beside the base (same.go, differ)
//	selection    the benchmarks that execute what changed (choose.go)
//	Measurement  interleaved with the base, or another candidate (measure.go, judge.go)
//	Proof        all of it (prove.go), and as text (text.go)
//
// Nothing is written to the user's files, index or repository.
package prove
