package report

import (
	"cmp"
	"regexp"
	"slices"
)

// FlameSearch is where a pattern matches in a flame graph: the answer of
// report/flame/search of the query API.
type FlameSearch struct {
	// Matched is the value of all samples with a frame that matches, each
	// counted once, in a comparison of those of the head.
	Matched Quantity `json:"matched"`
	// Base is the same of the base, as it compares; nil if there is none.
	Base *Quantity `json:"base,omitempty"`
	// Count is the number of nodes that match and have no match among their
	// ancestors. Those without width are not counted: they aren't drawn.
	Count int `json:"count"`
	// Nodes are the widest of them, the widest first.
	Nodes []FlameMatch `json:"nodes"`
}

// FlameMatch is a node that matches.
type FlameMatch struct {
	ID    uint32 `json:"id"`
	Depth int    `json:"depth"` // 1 is below the root
	From  int64  `json:"from"`  // its position
	Width int64  `json:"width"`
	Name  string `json:"name"`
}

// Search finds the nodes whose frame's label matches. At most limit of them are
// in the answer.
func (x *FlameIndex) Search(re *regexp.Regexp, limit int) *FlameSearch {
	t, v := x.t, x.v
	matches := make([]bool, len(t.Frames))
	for i := range t.Frames {
		matches[i] = re.MatchString(t.Frames[i].Label())
	}
	out := &FlameSearch{Nodes: []FlameMatch{}}
	widest := topNodes{width: x.width, limit: max(limit, 0)}
	var head, base int64
	covered := make([]bool, t.NumNodes()) // a node or one above it matches
	for n := uint32(1); int(n) < t.NumNodes(); n++ {
		if covered[t.Parent[n]] {
			covered[n] = true
			continue
		}
		if !matches[t.Frame[n]] {
			continue
		}
		covered[n] = true
		head += v.Total[n]
		if v.BaseTotal != nil {
			base += v.BaseTotal[n]
		}
		if x.width[n] > 0 {
			out.Count++
			widest.add(n)
		}
	}
	out.Matched = x.quantity(head, x.whole.Head)
	if v.BaseTotal != nil {
		q := x.quantity(scaledBase(v, base), x.whole.Base)
		out.Base = &q
	}
	for _, n := range widest.sorted() {
		depth := 0
		for a := n; a != 0; a = t.Parent[a] {
			depth++
		}
		out.Nodes = append(out.Nodes, FlameMatch{n, depth, x.start[n], x.width[n], t.Frames[t.Frame[n]].Label()})
	}
	return out
}

// topNodes keeps the widest of the nodes added.
type topNodes struct {
	width []int64
	limit int
	nodes []uint32
	least int64 // what a node has to have once there are limit of them
}

func (k *topNodes) add(n uint32) {
	if k.width[n] <= k.least && len(k.nodes) >= k.limit {
		return // of equally wide ones, those added first stay
	}
	k.nodes = append(k.nodes, n)
	if len(k.nodes) >= 2*k.limit+64 {
		k.sorted()
	}
}

// sorted returns the widest nodes in order and drops the others.
func (k *topNodes) sorted() []uint32 {
	slices.SortFunc(k.nodes, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(k.width[b], k.width[a]), cmp.Compare(a, b))
	})
	k.nodes = k.nodes[:min(len(k.nodes), k.limit)]
	if len(k.nodes) == k.limit && k.limit > 0 {
		k.least = k.width[k.nodes[k.limit-1]]
	}
	return k.nodes
}
