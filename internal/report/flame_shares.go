package report

import (
	"cmp"
	"slices"

	"github.com/hone-go/hone/profile"
)

// FlameShares tells whose code a flame graph is of: own values, all of them, also
// those of frames too narrow to be seen; in a comparison the head's.
type FlameShares struct {
	Packages []PackageShare `json:"packages"` // those with most
	Origins  []int64        `json:"origins"`  // by profile.Origin
	// Wide are the packages whose frames are widest, except the runtime's: pages give
	// them colours that are told apart.
	Wide []PackageName `json:"wide"`
}

// PackageName is a package and where it is from.
type PackageName struct {
	Name   string `json:"name"`
	Origin int64  `json:"origin"` // a profile.Origin
}

// PackageShare is what the functions of a package have by themselves.
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
	type key struct {
		name   string
		origin profile.Origin
	}
	sums := map[key]int64{}
	out := FlameShares{Packages: []PackageShare{}, Origins: make([]int64, profile.OriginRuntime+1)}
	for i, value := range own {
		if value == 0 {
			continue
		}
		var k key
		k.name, k.origin = t.Frames[i].Place()
		sums[k] += value
		out.Origins[k.origin] += value
	}
	for k, value := range sums {
		out.Packages = append(out.Packages, PackageShare{k.name, int64(k.origin), value})
	}
	slices.SortFunc(out.Packages, func(a, b PackageShare) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	out.Packages = slices.Clip(out.Packages[:min(len(out.Packages), sharedPackages)])
	out.Wide = widest(t, v)
	return out
}

// widest returns the packages with the widest frames, counting those that another package
// called.
func widest(t *profile.Tree, v *profile.TreeValues) []PackageName {
	places := make([]PackageName, len(t.Frames))
	for i := range t.Frames {
		name, origin := t.Frames[i].Place()
		places[i] = PackageName{name, int64(origin)}
	}
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
