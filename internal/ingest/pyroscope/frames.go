package pyroscope

import (
	"regexp"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Limits of a filter of frames. Its patterns are matched with the name of every
// function, so they cost no more than those of a selector.
const (
	maxFrameNames    = 1000
	maxFramePatterns = 20
)

// A frameFilter selects the stacks that have every included function and no
// excluded one.
type frameFilter struct {
	include, exclude functionSet
}

// A functionSet has functions by name, and patterns of names. Each has a number: names come first.
type functionSet struct {
	names    map[string]int
	patterns []*regexp.Regexp
}

func (s *functionSet) len() int { return len(s.names) + len(s.patterns) }

// newFrameFilter returns nil for a filter without conditions.
func newFrameFilter(f *pb.StackFrameFilter) (*frameFilter, error) {
	names := len(f.GetIncludeFunctionNames()) + len(f.GetExcludeFunctionNames())
	patterns := len(f.GetIncludeFunctionNameRegexes()) + len(f.GetExcludeFunctionNameRegexes())
	switch {
	case names+patterns == 0:
		return nil, nil
	case names > maxFrameNames:
		return nil, badRequest("frameFilter has %d function names; the limit is %d", names, maxFrameNames)
	case patterns > maxFramePatterns:
		return nil, badRequest("frameFilter has %d patterns; the limit is %d", patterns, maxFramePatterns)
	}
	include, err := newFunctionSet(f.GetIncludeFunctionNames(), f.GetIncludeFunctionNameRegexes())
	if err != nil {
		return nil, err
	}
	exclude, err := newFunctionSet(f.GetExcludeFunctionNames(), f.GetExcludeFunctionNameRegexes())
	if err != nil {
		return nil, err
	}
	return &frameFilter{include, exclude}, nil
}

func newFunctionSet(names, patterns []string) (functionSet, error) {
	s := functionSet{names: map[string]int{}}
	for _, name := range names {
		if _, ok := s.names[name]; !ok {
			s.names[name] = len(s.names)
		}
	}
	for _, text := range patterns {
		if err := store.CheckPattern(text); err != nil {
			return s, badRequest("frameFilter: invalid pattern %.100q: %w", text, err)
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return s, badRequest("frameFilter: invalid pattern %.100q: %w", text, err)
		}
		s.patterns = append(s.patterns, re)
	}
	return s, nil
}

// numbers returns the numbers of the names and patterns that a function has.
func (s *functionSet) numbers(function string) (out []int) {
	if n, ok := s.names[function]; ok {
		out = append(out, n)
	}
	for i, re := range s.patterns {
		if re.MatchString(function) {
			out = append(out, len(s.names)+i)
		}
	}
	return out
}

// selects returns a function that reports whether a sample of p is selected. Each name is
// compared once.
func (f *frameFilter) selects(p *profile.Profile) func(sample int) bool {
	included, excluded := make([][]int, len(p.Functions)), make([]bool, len(p.Functions))
	for i := range p.Functions {
		name := p.FunctionName(uint32(i))
		included[i], excluded[i] = f.include.numbers(name), len(f.exclude.numbers(name)) > 0
	}
	seen := make([]int, f.include.len()) // the last sample, from 1, that has it
	return func(sample int) bool {
		stack := p.Stack(sample)
		missing := len(seen)
		for _, location := range stack {
			for _, line := range p.LocationLines(location) {
				if excluded[line.Function] {
					return false
				}
				for _, n := range included[line.Function] {
					if seen[n] != sample+1 {
						seen[n] = sample + 1
						missing--
					}
				}
			}
		}
		return missing == 0 && len(stack) > 0
	}
}
