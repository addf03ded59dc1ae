// Package tune proves rewrites: it builds, tests and measures the program with a
// rewrite of a finding, and writes the file only if that is confirmed to be better.
//
// Nothing is written to the source before. The go command is given the rewritten text
// by -overlay, so the tree is as it was at any moment that hone may end, and modules
// without git, with a go.work or with replacements are like any other:
//
//	vet    go vet -overlay of the package
//	test   go test -overlay of all packages of the user's modules that depend on it
//	       (test.go)
//	measure  the benchmarks that the finding was seen in, without and with the overlay,
//	       interleaved: bench.Bench.AgainstFlags
//	judge  verdict.go; what is no faster is measured once more
//	keep   one rename (keep.go), a patch, and a line in the history (history.go)
package tune
