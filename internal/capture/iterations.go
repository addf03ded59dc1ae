package capture

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Profiles of runs say in a comment of how many operations they are, so that
// their values can be told per operation.
const iterationsComment = "hone: iterations "

// WithIterations returns p as a profile of n operations. p stays as it is.
//
// Package testing runs a benchmark with the
// classic loop once before it runs it n times, and a profile covers both; a loop
// with b.Loop runs within that first call. Stacks show which one it was, except
// those of leaked goroutines, which begin where they were started: of n
// iterations one may be too few there.
func WithIterations(p *profile.Profile, n int) *profile.Profile {
	if n > 1 {
		for i := range p.Functions {
			if p.FunctionName(uint32(i)) == "testing.(*B).launch" {
				n++
				break
			}
		}
	}
	q := *p
	q.Comments = append(slices.Clone(p.Comments), iterationsComment+strconv.Itoa(n))
	return &q
}

// ProfileIterations returns of how many operations p is a profile, iterations of a
// benchmark or requests of a load, as WithIterations noted it; 0 if it did not.
func ProfileIterations(p *profile.Profile) int {
	for _, c := range p.Comments {
		if rest, ok := strings.CutPrefix(c, iterationsComment); ok {
			if n, err := strconv.Atoi(rest); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
