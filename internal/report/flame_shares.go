package report

import (
	"cmp"
	"slices"

	"github.com/hone-go/hone/profile"
)

// FlameShares tells whose code a flame graph is of, also of frames too narrow to be
// seen; in a comparison of the head.
type FlameShares struct {
	Packages []PackageShare `json:"packages"` // those with most
	Origins  []int64        `json:"origins"`  // own values by profile.Origin
	// Wide are the packages whose frames are widest, except the runtime's: pages give
	// them colours that are told apart.
	Wide []PackageName `json:"wide"`
}

// PackageName is a package and where it is from.
type PackageName struct {
	Name   string `json:"name"`
	Origin int64  `json:"origin"` // a profile.Origin
}

// PackageShare is what the functions of a package have, with what they call.
type PackageShare struct {
	Name   string `json:"name"`
	Origin int64  `json:"origin"` // a profile.Origin
	Value  int64  `json:"value"`
}

// sharedPackages is how many packages are told, and widePackages how many have colours
// that are told apart.
const (
	sharedPackages = 8
	widePackages   = 12
)

func newFlameShares(t *profile.Tree, column int) FlameShares {
	v := &t.Values[column]
	own := make([]int64, len(t.Frames))
	if t.Inverted {
		// The innermost functions stand below the root.
		for n, end := t.Children(0); n < end; n++ {
			own[t.Frame[n]] += v.Total[n]
		}
	} else {
		for n := 1; n < t.NumNodes(); n++ {
			own[t.Frame[n]] += v.Self[n]
		}
	}
	out := FlameShares{Packages: []PackageShare{}, Origins: make([]int64, profile.OriginRuntime+1)}
	places := make([]PackageName, len(t.Frames))
	for i := range t.Frames {
		name, origin := t.Frames[i].Place()
		places[i] = PackageName{name, int64(origin)}
		out.Origins[origin] += own[i]
	}
	for at, value := range totals(t, v, places) {
		out.Packages = append(out.Packages, PackageShare{at.Name, at.Origin, value})
	}
	slices.SortFunc(out.Packages, func(a, b PackageShare) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	out.Packages = slices.Clip(out.Packages[:min(len(out.Packages), sharedPackages)])
	out.Wide = widest(t, v, places)
	return out
}

// totals returns what the stacks with each package have.
func totals(t *profile.Tree, v *profile.TreeValues, places []PackageName) map[PackageName]int64 {
	sums := map[PackageName]int64{}
	open := map[PackageName]int{} // how many frames of the stack are the package's
	type visit struct{ node, next, end uint32 }
	first, end := t.Children(0)
	stack := []visit{{0, first, end}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < top.end {
			n := top.next
			top.next++
			at := places[t.Frame[n]]
			if open[at] == 0 && v.Total[n] != 0 {
				sums[at] += v.Total[n]
			}
			open[at]++
			first, end := t.Children(n)
			stack = append(stack, visit{n, first, end})
			continue
		}
		if top.node != 0 {
			open[places[t.Frame[top.node]]]--
		}
		stack = stack[:len(stack)-1]
	}
	return sums
}

// widest returns the packages with the widest frames, counting those that another package
// called.
func widest(t *profile.Tree, v *profile.TreeValues, places []PackageName) []PackageName {
	width := map[PackageName]int64{}
	for n := 1; n < t.NumNodes(); n++ {
		at := places[t.Frame[n]]
		if parent := t.Parent[n]; parent == 0 || places[t.Frame[parent]] != at {
			width[at] += v.Total[n]
			if v.BaseTotal != nil {
				width[at] += v.BaseTotal[n]
			}
		}
	}
	all := []PackageName{}
	for at := range width {
		if at.Origin != int64(profile.OriginRuntime) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b PackageName) int {
		return cmp.Or(cmp.Compare(width[b], width[a]), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	return slices.Clip(all[:min(len(all), widePackages)])
}
