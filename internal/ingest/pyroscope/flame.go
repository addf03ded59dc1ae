package pyroscope

import (
	"context"
	"github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/profile"
)

// other is the name of the bar that replaces those that are too narrow to show.
const other = "other"

// A flame is a tree in the form that Grafana draws. Each level has bars of several
// integers; see [bars] and [diffBars]. Names[0] is the root.
type flame struct {
	names   []string
	levels  []*pyroscopepb.Level
	total   int64
	maxSelf int64
}

// A pen writes the levels of a flame.
type pen struct {
	*flame
	tree  *profile.Tree
	index []int64 // of the frames' names; 0 if a frame has none yet
	other int64   // index of the name other; 0 if it has none yet
}

func newPen(t *profile.Tree) *pen {
	return &pen{&flame{names: append(make([]string, 0, 64), "total")}, t, make([]int64, len(t.Frames)), 0}
}

// name returns the index of a node's name.
func (p *pen) name(node uint32) int64 {
	frame := p.tree.Frame[node]
	if p.index[frame] == 0 {
		p.index[frame] = int64(len(p.names))
		p.names = append(p.names, p.tree.Frames[frame].Name)
	}
	return p.index[frame]
}

// rest returns the index of the name of folded bars.
func (p *pen) rest() int64 {
	if p.other == 0 {
		p.other = int64(len(p.names))
		p.names = append(p.names, other)
	}
	return p.other
}

func (p *pen) level(values []int64) {
	p.levels = append(p.levels, &pyroscopepb.Level{Values: values})
}

// bars returns the tree of one profile. A bar is four integers: the distance from
// the end of the bar to its left, its total, its self value, and its name. The first
// child's bar begins where its parent's bar does.
func bars(t *profile.Tree) *flame {
	v := &t.Values[0]
	p := newPen(t)
	p.total = v.Total[0]
	p.maxSelf = v.Self[0]
	p.level([]int64{0, p.total, v.Self[0], 0})
	// Nodes are numbered level by level, so a level is a range of them, and so
	// are the children of a range.
	start := make([]int64, t.NumNodes()) // left edges of the bars
	for from, to := uint32(0), uint32(1); from < to; {
		values := make([]int64, 0, 4*(t.First[to]-t.First[from]))
		end := int64(0) // right edge of the previous bar
		bar := func(at, total, self, name int64) {
			values = append(values, at-end, total, self, name)
			end = at + total
		}
		for parent := from; parent < to; parent++ {
			at := start[parent]
			first, behind := t.Children(parent)
			for child := first; child < behind; child++ {
				start[child] = at
				if v.Total[child] == 0 {
					continue // these are the last
				}
				bar(at, v.Total[child], v.Self[child], p.name(child))
				at += v.Total[child]
				p.maxSelf = max(p.maxSelf, v.Self[child])
			}
			if v.Folded != nil && v.Folded[parent] > 0 {
				bar(at, v.Folded[parent], v.Folded[parent], p.rest())
			}
		}
		if len(values) > 0 {
			p.level(values)
		}
		from, to = t.First[from], t.First[to]
	}
	return p.flame
}

// diffBars returns the tree of two profiles. A bar is seven integers: the distance
// to the bar on its left, the total and self value of the base, the same of the
// other profile, and the name. Widths are sums of both.
func diffBars(t *profile.Tree) *flame {
	v := &t.Values[0]
	p := newPen(t)
	p.total = v.BaseTotal[0] + v.Total[0]
	p.maxSelf = max(v.BaseSelf[0], v.Self[0])
	p.level([]int64{0, v.BaseTotal[0], v.BaseSelf[0], 0, v.Total[0], v.Self[0], 0})
	type place struct{ base, head int64 }
	start := make([]place, t.NumNodes())
	for from, to := uint32(0), uint32(1); from < to; {
		values := make([]int64, 0, 7*(t.First[to]-t.First[from]))
		var end place
		bar := func(at place, baseTotal, baseSelf, total, self, name int64) {
			values = append(values, at.base-end.base, baseTotal, baseSelf, at.head-end.head, total, self, name)
			end = place{at.base + baseTotal, at.head + total}
		}
		for parent := from; parent < to; parent++ {
			at := start[parent]
			first, behind := t.Children(parent)
			for child := first; child < behind; child++ {
				start[child] = at
				if v.Total[child] == 0 && v.BaseTotal[child] == 0 {
					continue
				}
				bar(at, v.BaseTotal[child], v.BaseSelf[child], v.Total[child], v.Self[child], p.name(child))
				at = place{at.base + v.BaseTotal[child], at.head + v.Total[child]}
				p.maxSelf = max(p.maxSelf, v.Self[child], v.BaseSelf[child])
			}
			var base, head int64
			if v.BaseFolded != nil {
				base = v.BaseFolded[parent]
			}
			if v.Folded != nil {
				head = v.Folded[parent]
			}
			if base != 0 || head != 0 {
				bar(at, base, base, head, head, p.rest())
			}
		}
		if len(values) > 0 {
			p.level(values)
		}
		from, to = t.First[from], t.First[to]
	}
	return p.flame
}

const (
	defaultNodes = 16 << 10
	mostNodes    = 1 << 20
)

// nodes returns how many bars a flame may have if a query asks for a number.
func nodes(asked int64) int {
	if asked <= 0 {
		return defaultNodes
	}
	return int(min(asked, mostNodes))
}

func flameOf(ctx context.Context, p *profile.Profile, maxNodes int64) (*flame, error) {
	t, err := profile.NewTree(p, profile.TreeOptions{Context: ctx})
	if err != nil {
		return nil, err
	}
	return bars(t.PruneTo(nodes(maxNodes))), nil
}

func flameOfDiff(ctx context.Context, base, head *profile.Profile, maxNodes int64) (*flame, *profile.Tree, error) {
	t, err := profile.NewDiffTree(base, head, profile.TreeOptions{Context: ctx})
	if err != nil {
		return nil, nil, err
	}
	t = t.PruneTo(nodes(maxNodes))
	return diffBars(t), t, nil
}
