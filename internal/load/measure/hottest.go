package measure

import (
	"cmp"
	"context"
	"slices"

	"github.com/hone-go/hone/profile"
)

// A Hot is a function with a large share of the CPU time, from 0 to 1. Calls of libraries
// and of the runtime are named after the function of the service's module that makes them:
// "main.search via regexp.MustCompile".
type Hot struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"`
}

// gcShare returns the share of a profile's values that garbage collection has.
func gcShare(p *profile.Profile, column int, total int64) float64 {
	return float64(p.RuntimeWork(column).GC) / float64(total)
}

// most is how many functions a report names.
const most = 5

// ownCode returns a profile as hone top -mine shows it: with what libraries and the runtime
// cost added to the callers in the module of package main. If no stack has code of that
// module, ok is false.
func ownCode(ctx context.Context, p *profile.Profile) (folded *profile.Profile, ok bool) {
	origins := p.Origins()
	folded, ok, err := profile.FoldForeign(ctx, p, func(f uint32) bool { return origins.Of(p.FunctionFrame(f)) == profile.OriginOwn }, false)
	return folded, ok && err == nil
}

// hottest returns the functions with the largest values of their own.
func hottest(p *profile.Profile, column int, total int64) []Hot {
	own := make(map[string]int64)
	for s := range p.NumSamples() {
		stack := p.Stack(s)
		if len(stack) == 0 {
			continue
		}
		if lines := p.LocationLines(stack[0]); len(lines) > 0 {
			own[p.FunctionName(lines[0].Function)] += p.Values[column][s]
		}
	}
	var hot []Hot
	for name, v := range own {
		hot = append(hot, Hot{name, float64(v) / float64(total)})
	}
	slices.SortFunc(hot, func(a, b Hot) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function)) })
	return hot[:min(most, len(hot))]
}
