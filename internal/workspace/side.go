package workspace

import "slices"

// A Side is one of the two states of the code.
type Side struct {
	Dir   string   // where the go command runs
	Env   []string // for the go command, besides the environment of hone
	Flags []string // for go list and go test -c, after those of both sides
	Top   string   // of the repository, where the other side is a revision of it
	// Setting is for the environment of what is built: "GOGC=200".
	Setting []string
}

// BuiltLike reports whether a side is built of the same files with the same flags.
func (s *Side) BuiltLike(other *Side) bool {
	return s.Dir == other.Dir && slices.Equal(s.Flags, other.Flags)
}
