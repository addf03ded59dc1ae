package report

import (
	"testing"

	"github.com/hone-go/hone/profile"
)

// BenchmarkGraph makes what top, tree and call graphs are made of: the nodes of
// a profile's locations, and the edges between them.
func BenchmarkGraph(b *testing.B) {
	p := benchProfile(b)
	w := weights{values: p.Values[0]}
	for _, bm := range []struct {
		name string
		g    profile.Granularity
	}{
		{"functions", profile.Granularity{Function: true, File: true}},
		{"lines", profile.Granularity{Function: true, File: true, Line: true, Inlines: true}},
	} {
		b.Run(bm.name+"/layout", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newLayout(p, bm.g, false, nil)
			}
		})
		y := newLayout(p, bm.g, false, nil)
		b.Run(bm.name+"/edges", func(b *testing.B) {
			b.ReportAllocs()
			var g *graph
			for b.Loop() {
				g = y.build(p, w, buildOptions{edges: true})
			}
			b.ReportMetric(float64(len(g.edges)), "edges")
		})
	}
}
