package storetest

import "github.com/hone-go/hone/profile"

// Deep returns a profile of a function that calls itself: stacks that share all frames but their
// leaves. It takes next to nothing in a dictionary, and depth frames for each leaf in a profile. Those
// of other numbers n have other leaves.
func Deep(function string, n, depth, leaves int) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	location := func(i int) uint32 {
		return b.Location(uint64(i), 0, profile.Line{Function: b.Function(function, "", "", int64(i))})
	}
	stack := make([]uint32, depth)
	for i := range stack {
		stack[i] = location(i)
	}
	for leaf := range leaves {
		stack[0] = location(depth + n*leaves + leaf)
		b.Sample(stack, nil, 1)
	}
	return b.Profile()
}
