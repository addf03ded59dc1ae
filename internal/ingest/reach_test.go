package ingest

import (
	"slices"
	"testing"

	"github.com/hone-go/hone/profile"
)

// Frames with those inlined are counted only where there may be too many, and exactly then.
func TestCheckReach(t *testing.T) {
	const lines = 1 << 16
	stacks := func(frames ...uint32) *profile.Profile {
		return &profile.Profile{
			Locations: []profile.Location{{NumLines: lines}, {NumLines: 0}, {NumLines: 1}},
			Frames:    frames,
			Stacks:    []profile.Stack{{Start: 0, Len: uint32(len(frames))}},
		}
	}
	of := func(location uint32, n int) []uint32 { return slices.Repeat([]uint32{location}, n) }
	for name, c := range map[string]struct {
		p       *profile.Profile
		refused bool
	}{
		"none":                        {&profile.Profile{}, false},
		"the limit":                   {stacks(of(0, maxLineFrames/lines)...), false},
		"above it":                    {stacks(of(0, maxLineFrames/lines+1)...), true},
		"the limit, and one line":     {stacks(append(of(0, maxLineFrames/lines), 2)...), true},
		"the limit, and no line":      {stacks(append(of(0, maxLineFrames/lines), 1)...), true},
		"long stacks, few with lines": {stacks(append(of(2, 2*maxLineFrames/lines), 0)...), false},
	} {
		if err := checkReach(c.p); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkCheckReach(b *testing.B) {
	const locations, stacks, frames = 3000, 2000, 30
	p := &profile.Profile{Locations: make([]profile.Location, locations)}
	for i := range p.Locations {
		p.Locations[i].NumLines = 1 + uint32(i%3)
	}
	for i := range uint32(stacks * frames) {
		p.Frames = append(p.Frames, i*7919%locations)
	}
	for s := range uint32(stacks) {
		p.Stacks = append(p.Stacks, profile.Stack{Start: s * frames, Len: frames})
	}
	for b.Loop() {
		if err := checkReach(p); err != nil {
			b.Fatal(err)
		}
	}
}
