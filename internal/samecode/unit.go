package samecode

import "crypto/sha256"

// A unit is what the compiler compiles at once: a package, or a variant of one that a
// test needs, "example.com/m [example.com/m.test]".
type unit struct {
	name    string // as go list has it
	path    string // import path without the variant
	prefix  string // of symbols
	local   bool   // of the module at hand, or of one that is replaced by a folder
	deps    []string
	godebug string // of a test's main package
	empty   bool   // but for files of tests, which are of another unit

	// source is of everything that the unit is compiled of, but for its imports; other
	// of what the Go compiler doesn't compile; embedded of files that go:embed names.
	source, other, embedded [sha256.Size]byte

	hasOther     bool
	fromAssembly []string // names that assembly mentions: "Sum", "example.com/m/lib.Sum"

	symbols map[int32][]*symbol
	inlined map[int32][]int32 // by function, the functions that were inlined into it
}

// A symbol is a function, or data: a variable, a constant, what describes a type.
type symbol struct {
	name     int32
	function bool
	shared   bool // "dupok": every unit that needs it has it
	variable bool
	file     int32 // of a function, -1 for one that nobody wrote

	// content is of all but names: the bytes, what relocations do, and what the
	// garbage collector knows of the stack. refs are the names, in order.
	content [sha256.Size]byte
	refs    []int32
}
