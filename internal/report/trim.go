package report

import "github.com/hone-go/hone/profile"

// trimmed is a graph with what was left out of it.
type trimmed struct {
	*graph
	survivors    int // nodes above the cutoff, of which the graph may show fewer
	droppedNodes int // nodes below the cutoff
	droppedEdges int
}

// graphOf builds the graph that the options ask for: nodes below NodeFraction are
// dropped, then all but the NodeCount first, then edges below EdgeFraction. What
// is dropped leaves residual edges between its neighbours. Without edges (for a
// listing) only values are computed.
func graphOf(r *Report, edges bool) *trimmed {
	var t *trimmed
	switch picture := r.picture(); {
	case r.opt.CallTree && (picture || r.command == "callgrind" || r.command == "kcachegrind"):
		t = treeGraph(r)
	case picture:
		t = pictureGraph(r)
	default:
		t = tableGraph(r, edges)
	}
	r.selectUnit(t)
	return t
}

// orderOf is the way that nodes are sorted.
func orderOf(r *Report) nodeOrder {
	switch {
	case r.picture():
		return byEntropy
	case r.opt.Sort == "cum":
		return byCum
	}
	return byFlat
}

// cutoffsOf returns the values below which nodes and edges of g are dropped.
func cutoffsOf(r *Report, g *graph) (node, edge int64) {
	var flat int64
	for _, n := range g.order {
		flat += g.nodes[n].flat
	}
	return abs(int64(float64(flat) * r.opt.NodeFraction)), abs(int64(float64(flat) * r.opt.EdgeFraction))
}

// marked returns a set of nodes of g.
func (g *graph) marked(nodes []int32) []bool {
	set := make([]bool, len(g.nodes))
	for _, n := range nodes {
		set[n] = true
	}
	return set
}

// above returns the nodes of g's order whose cumulative value reaches the cutoff.
func (g *graph) above(cutoff int64) []int32 {
	var kept []int32
	for _, n := range g.order {
		if abs(g.nodes[n].cum) >= cutoff {
			kept = append(kept, n)
		}
	}
	return kept
}

// tableGraph builds a graph for a table. Values don't depend on which nodes are
// kept, so all choices are made on a graph without edges; these, which do
// depend, are computed once at the end.
func tableGraph(r *Report, edges bool) *trimmed {
	t := &trimmed{}
	y := r.newLayout()
	g := y.build(r.prof, r.weights, buildOptions{stop: r.stop()})
	g.selectNodes(r.opt.DropNegative)
	nodeCutoff, edgeCutoff := cutoffsOf(r, g)
	var keep []bool // nil while nothing was dropped
	if kept := g.above(nodeCutoff); len(kept) != len(g.order) {
		t.droppedNodes = len(g.order) - len(kept)
		g.order = kept
		keep = g.marked(kept)
	}
	t.survivors = len(g.order)
	g.sort(orderOf(r))
	if n := r.opt.NodeCount; n > 0 && n < len(g.order) {
		g.order = g.order[:n]
		keep = g.marked(g.order)
	}
	if edges {
		g = y.build(r.prof, r.weights, buildOptions{stop: r.stop(), edges: true, keep: keep})
		g.selectNodes(r.opt.DropNegative)
		g.sort(orderOf(r))
		t.droppedEdges = g.trimEdges(edgeCutoff)
	}
	t.graph = g
	return t
}

// pictureGraph builds a graph to be drawn. Which nodes are shown depends on the
// edges and label tags among those above the cutoff.
func pictureGraph(r *Report) *trimmed {
	t := &trimmed{}
	y := r.newLayout()
	g := y.build(r.prof, r.weights, buildOptions{stop: r.stop()})
	g.selectNodes(r.opt.DropNegative)
	nodeCutoff, edgeCutoff := cutoffsOf(r, g)
	var keep []bool
	if kept := g.above(nodeCutoff); len(kept) != len(g.order) {
		t.droppedNodes = len(g.order) - len(kept)
		keep = g.marked(kept)
	}
	build := func() *graph {
		tags := newTagCollector(r, nodeCutoff)
		g := y.build(r.prof, r.weights, buildOptions{stop: r.stop(), edges: true, keep: keep, visit: tags.visitor()})
		g.selectNodes(r.opt.DropNegative)
		tags.attach(g, nodeCutoff)
		g.sort(byEntropy)
		return g
	}
	g = build()
	t.survivors = len(g.order)
	if r.opt.NodeCount > 0 {
		g.trimEdges(edgeCutoff)
		if n := g.pictured(r.opt.NodeCount); n < len(g.order) {
			keep = g.marked(g.order[:n])
			g = build()
		}
	}
	t.droppedEdges = g.trimEdges(edgeCutoff)
	g.removeRedundant(r.stop())
	t.graph = g
	return t
}

// treeGraph builds a forest with a node per path.
func treeGraph(r *Report) *trimmed {
	t := &trimmed{}
	y := r.newLayout()
	g := y.buildTree(r.prof, r.weights, r.stop(), nil)
	g.selectNodes(r.opt.DropNegative)
	nodeCutoff, edgeCutoff := cutoffsOf(r, g)
	tags := newTagCollector(r, nodeCutoff)
	if tags != nil {
		g = y.buildTree(r.prof, r.weights, r.stop(), tags.visitor())
		g.selectNodes(r.opt.DropNegative)
	}
	if kept := g.above(nodeCutoff); len(kept) != len(g.order) {
		t.droppedNodes = len(g.order) - len(kept)
		g.trimTree(g.marked(kept))
	}
	t.survivors = len(g.order)
	tags.attach(g, nodeCutoff)
	g.sort(orderOf(r))
	if n := r.opt.NodeCount; n > 0 {
		g.trimEdges(edgeCutoff)
		if r.picture() {
			n = g.pictured(n)
		}
		if n < len(g.order) {
			g.trimTree(g.marked(g.order[:n]))
			g.sort(orderOf(r))
		}
	}
	t.droppedEdges = g.trimEdges(edgeCutoff)
	t.graph = g
	return t
}

// pictured returns how many nodes of the order to draw when tags count, too.
func (g *graph) pictured(n int) int {
	count := 0
	for i, k := range g.order {
		count += 1 + min(g.nodes[k].tags.flatCount(), maxTags)
		if count >= n {
			return i + 1
		}
	}
	return min(n, len(g.order))
}

// selectUnit replaces the output unit "minimum" by that of the smallest value
// shown, or, if the total needs another, of a hundred times that.
func (r *Report) selectUnit(g *trimmed) {
	if r.outputUnit != "minimum" || len(g.order) == 0 || r.rate == inCores {
		return
	}
	var least int64
	for _, i := range g.order {
		n := &g.nodes[i]
		v := abs(n.flatValue())
		if v == 0 {
			v = abs(n.cumValue())
		}
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	most := r.total
	if least == 0 {
		least = most
	}
	if r.ratio > 0 && r.ratio != 1 {
		least = int64(float64(least) * r.ratio)
		most = int64(float64(most) * r.ratio)
	}
	_, unit := profile.Convert(least, r.sampleUnit, "minimum")
	_, mostUnit := profile.Convert(most, r.sampleUnit, "minimum")
	if unit != mostUnit && least*100 < most && r.command != "callgrind" && r.command != "kcachegrind" {
		_, unit = profile.Convert(100*least, r.sampleUnit, "minimum")
	}
	r.outputUnit = unit
	if unit == "" {
		r.outputUnit = r.sampleUnit
	}
}
