package report

import (
	"io"
	"slices"

	"github.com/hone-go/hone/profile"
)

// A Viewer is another program that shows flame graphs: what its files are made
// from, and how they are written.
type Viewer struct {
	lines bool // it tells lines of a function apart, and still adds functions up
	write func(io.Writer, *profile.Tree, FlameOptions) error
}

// ViewerOf returns the viewer whose format has a name, "speedscope" or "firefox",
// or nil.
func ViewerOf(format string) *Viewer {
	switch format {
	case "speedscope":
		return &Viewer{write: Speedscope}
	case "firefox":
		return &Viewer{lines: true, write: FirefoxProfile}
	}
	return nil
}

// Tree returns what shapes the tree for a file of p, and the place in it of the
// sample type chosen, the only one of o: as o says, but with all sample types that
// base has too, unless that is nil, and with roots first, for viewers turn a graph
// over themselves.
func (v *Viewer) Tree(base, p *profile.Profile, o profile.TreeOptions) (to profile.TreeOptions, column int) {
	chosen := o.Types[0]
	o.Types = nil
	for t, st := range p.SampleTypes {
		if t == chosen {
			column = len(o.Types)
		} else if base != nil && !slices.Contains(base.SampleTypes, st) {
			continue
		}
		o.Types = append(o.Types, t)
	}
	o.Inverted, o.PivotCallers = false, false
	if v.lines && (o.Granularity == "" || o.Granularity == "functions") {
		o.Granularity = "lines"
	}
	return o, column
}

// Write writes a file of a tree with all sample types.
func (v *Viewer) Write(w io.Writer, t *profile.Tree, o FlameOptions) error { return v.write(w, t, o) }
