package report

import "github.com/hone-go/hone/profile"

// buildTree sums the profile up into a forest: a node per frame and path to it.
func (y *layout) buildTree(p *profile.Profile, w weights, stop stopper, visit func(n int32, s int, v, div int64, leaf bool)) *graph {
	g := &graph{}
	type step struct {
		parent, key int32
	}
	byPath := map[step]int32{}
	for s := range p.Stacks {
		if stop.at(s) || stop.over(graphBytes(len(g.nodes), len(g.edges))) {
			break
		}
		v, div := w.of(s)
		if v == 0 && div == 0 {
			continue
		}
		parent := int32(-1)
		stack := p.Stack(s)
		for i := len(stack) - 1; i >= 0; i-- {
			l := stack[i]
			nodes := y.nodes[y.first[l]:y.first[l+1]]
			for k := len(nodes) - 1; k >= 0; k-- {
				at := step{parent, nodes[k]}
				n, ok := byPath[at]
				if !ok {
					n = int32(len(g.nodes))
					byPath[at] = n
					g.nodes = append(g.nodes, node{nodeKey: &y.keys[nodes[k]]})
					if parent >= 0 {
						// The edge to node n is the first of its in-edges; see below.
						e := int32(len(g.edges))
						g.edges = append(g.edges, edge{src: parent, dst: n, inline: true})
						g.nodes[n].in = []int32{e}
						g.nodes[parent].out = append(g.nodes[parent].out, e)
					}
				}
				g.nodes[n].cum += v
				g.nodes[n].cumDiv += div
				if visit != nil {
					visit(n, s, v, div, false)
				}
				if parent >= 0 {
					e := &g.edges[g.nodes[n].in[0]]
					e.weight += v
					e.div += div
					e.inline = e.inline && k != len(nodes)-1
				}
				parent = n
			}
		}
		if parent >= 0 {
			g.nodes[parent].flat += v
			g.nodes[parent].flatDiv += div
			if visit != nil {
				visit(parent, s, v, div, true)
			}
		}
	}
	return g
}

// trimTree drops the nodes of a forest's order that keep lacks; their children
// become their parents', through residual edges.
func (g *graph) trimTree(keep []bool) {
	order := g.order
	g.order = nil
	for _, cur := range order {
		if keep[cur] {
			g.order = append(g.order, cur)
			continue
		}
		n := &g.nodes[cur]
		in := g.alive(n.in)
		if len(in) == 0 {
			for _, e := range g.alive(n.out) {
				g.edges[e].dead = true
			}
			continue
		}
		up := &g.edges[in[0]]
		up.dead = true
		for _, e := range g.alive(n.out) {
			ed := &g.edges[e]
			ed.src = up.src
			ed.residual = true
			ed.inline = up.inline && ed.inline
			g.nodes[up.src].out = append(g.nodes[up.src].out, e)
		}
		n.out = nil
	}
}
