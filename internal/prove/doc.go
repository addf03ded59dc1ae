// Package prove judges changes of a Go program: whether they are right, and whether they are
// faster.
//
//	request   what the command line asks for: patches, revisions, the working tree (input.go)
//	copy      a copy of the base, with a git repository of its own (copy.go)
//	patch     a patch becomes a tree in it, or is refused (patch.go)
//	affected  the packages that a candidate can change (packages.go)
//	check     build, vet, tests (check.go), and what these execute (cover.go)
//
// Nothing is written to the user's files, index or repository.
package prove
