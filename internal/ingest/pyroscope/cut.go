package pyroscope

import (
	"context"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

// limitNodes returns p with at most n different places in its stacks, the most expensive ones.
// A place is a location with its callers. Stacks end where they leave these places, with a
// function called "other", so that no value is lost. n = 0 keeps all places.
func limitNodes(ctx context.Context, p *profile.Profile, n int64) (*profile.Profile, error) {
	if n <= 0 || n > mostNodes {
		return p, nil
	}
	places, err := placesOf(ctx, p)
	if err != nil || int64(len(places.total)) <= n {
		return p, err
	}
	return cutStacks(p, places, places.largest(int(n))), nil
}

// places are the nodes of a profile's stacks, in the order in which samples have them:
// callers come first.
type places struct {
	number map[place]uint32
	total  []int64
}

// A place is a location below another place. The root is above all others.
type place struct{ caller, location uint32 }

const rootPlace = math.MaxUint32

// placeBytes is about what a place takes in the map and beside it.
const placeBytes = 48

func placesOf(ctx context.Context, p *profile.Profile) (*places, error) {
	const atOnce = 1024
	s := &places{number: map[place]uint32{}}
	paid := 0
	for sample := range p.Stacks {
		value := p.Values[0][sample]
		if value < 0 {
			value = -value
		}
		at := uint32(rootPlace)
		for _, location := range slices.Backward(p.Stack(sample)) {
			next, ok := s.number[place{at, location}]
			if !ok {
				if paid == len(s.total) {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					if err := ingest.TakeFor(ctx, atOnce*placeBytes); err != nil {
						return nil, err
					}
					paid += atOnce
				}
				next = uint32(len(s.total))
				s.number[place{at, location}] = next
				s.total = append(s.total, 0)
			}
			s.total[next] += value
			at = next
		}
	}
	return s, nil
}

// largest reports which places are the n largest. Of equal ones, the first are: callers are
// never smaller than what they call, and come before it.
func (s *places) largest(n int) []bool {
	sorted := slices.Clone(s.total)
	slices.Sort(sorted)
	limit := sorted[len(sorted)-n]
	for _, total := range s.total {
		if total > limit {
			n--
		}
	}
	keep := make([]bool, len(s.total))
	for i, total := range s.total {
		keep[i] = total > limit || total == limit && n > 0
		if total == limit {
			n--
		}
	}
	return keep
}

// cutStacks returns p with stacks that end at the last place that is kept.
func cutStacks(p *profile.Profile, s *places, keep []bool) *profile.Profile {
	q := *p
	rest := uint32(len(p.Locations))
	q.Strings = append(slices.Clip(p.Strings), other)
	name := profile.StringID(len(p.Strings))
	q.Functions = append(slices.Clip(p.Functions), profile.Function{Name: name, SystemName: name})
	q.Lines = append(slices.Clip(p.Lines), profile.Line{Function: uint32(len(p.Functions))})
	q.Locations = append(slices.Clip(p.Locations), profile.Location{ID: math.MaxUint64, FirstLine: uint32(len(p.Lines)), NumLines: 1})
	q.Stacks, q.Frames = slices.Clone(p.Stacks), nil
	for sample := range q.Stacks {
		stack := p.Stack(sample)
		at, kept := uint32(rootPlace), 0
		for _, location := range slices.Backward(stack) {
			at = s.number[place{at, location}]
			if !keep[at] {
				break
			}
			kept++
		}
		q.Stacks[sample].Start = uint32(len(q.Frames))
		if kept < len(stack) {
			q.Frames = append(q.Frames, rest)
		}
		q.Frames = append(q.Frames, stack[len(stack)-kept:]...)
		q.Stacks[sample].Len = uint32(len(q.Frames)) - q.Stacks[sample].Start
	}
	return profile.Compact(&q)
}
