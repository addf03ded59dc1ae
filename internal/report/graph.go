package report

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/profile"
)

// nodeKey is what makes two frames the same node of a graph.
type nodeKey struct {
	name, file, obj string
	address         uint64
	startLine       int64
	line, column    int64
}

// node is a vertex of a graph: a function, line, file or address.
type node struct {
	*nodeKey
	flat, flatDiv int64     // of samples with the node as leaf; the divisor is for means
	cum, cumDiv   int64     // of samples with the node anywhere
	in, out       []int32   // edges, in no particular order
	tags          *nodeTags // where they are wanted
	printable     string    // cache of printableName
}

func (n *node) flatValue() int64 { return mean(n.flat, n.flatDiv) }

func (n *node) cumValue() int64 { return mean(n.cum, n.cumDiv) }

// nameParts returns the parts of a node's printed name: address, name and place.
func (k *nodeKey) nameParts() []string {
	var parts []string
	if k.address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", k.address))
	}
	if k.name != "" {
		parts = append(parts, k.name)
	}
	switch {
	case k.line != 0:
		s := k.file + ":" + strconv.FormatInt(k.line, 10)
		if k.column != 0 {
			s += ":" + strconv.FormatInt(k.column, 10)
		}
		parts = append(parts, s)
	case k.file != "":
		parts = append(parts, k.file)
	case k.name != "":
	case k.obj != "":
		parts = append(parts, "["+filepath.Base(k.obj)+"]")
	default:
		parts = append(parts, "<unknown>")
	}
	return parts
}

func (n *node) printableName() string {
	if n.printable == "" {
		n.printable = strings.Join(n.nameParts(), " ")
	}
	return n.printable
}

// compareIdentity orders nodes by all there is to tell them apart, as text.
func compareIdentity(a, b *node) int {
	text := func(n *node) string {
		return fmt.Sprint(struct {
			name, orig string
			address    uint64
			file       string
			start      int64
			line, col  int64
			obj        string
		}{n.name, "", n.address, n.file, n.startLine, n.line, n.column, n.obj})
	}
	return strings.Compare(text(a), text(b))
}

// compareNames orders nodes by their printed names.
func compareNames(a, b *node) int {
	if *a.nodeKey == *b.nodeKey {
		return 0
	}
	if a.address != 0 && b.address != 0 && a.address != b.address {
		return cmp.Compare(a.address, b.address)
	}
	return strings.Compare(a.printableName(), b.printableName())
}

// edge is a call from node src to node dst.
type edge struct {
	src, dst    int32
	weight, div int64
	flat        int64 // of samples with dst as leaf, called by src
	residual    bool  // goes over nodes that were dropped
	inline      bool  // every such call was inlined
	dead        bool  // trimmed
	seen        uint32
}

func (e *edge) value() int64 { return mean(e.weight, e.div) }

// graph is a profile summed up by node. order lists the nodes that count, in
// the order they are to be shown; others may still be ends of edges.
type graph struct {
	nodes []node
	edges []edge
	order []int32
}

// graphBytes returns about what a graph takes in memory while it grows, with the tables
// to find its parts and the lists of edges of its nodes.
func graphBytes(nodes, edges int) int64 {
	const table, list = 16, 2 * 4
	return 2 * (int64(nodes)*(int64(unsafe.Sizeof(node{}))+table) + int64(edges)*(int64(unsafe.Sizeof(edge{}))+table+list))
}

// buildOptions say what of a graph is needed.
type buildOptions struct {
	stop  stopper
	edges bool
	keep  []bool // by node of the layout; nil keeps all
	// visit, if set, is told of each value added to a node: of sample s, to its
	// flat value if leaf, else to its cumulative one.
	visit func(n int32, s int, v, div int64, leaf bool)
}

// layout says which nodes each location of a profile stands for.
type layout struct {
	keys  []nodeKey
	first []uint32 // nodes of location l, innermost first: nodes[first[l]:first[l+1]]
	nodes []int32
}

// newLayout finds the nodes of a profile's locations, telling frames apart as g
// says. trim shortens file names; nil leaves them.
func newLayout(p *profile.Profile, g profile.Granularity, objects bool, trim func(string) string) *layout {
	y := &layout{
		keys:  make([]nodeKey, 0, min(len(p.Functions), len(p.Locations))),
		first: make([]uint32, len(p.Locations)+1),
		nodes: make([]int32, 0, len(p.Locations)+len(p.Locations)/8),
	}
	table := keyTable{seed: maphash.MakeSeed()}
	files := make([]string, len(p.Strings)) // by id of the name in the profile
	file := func(id profile.StringID) string {
		if id == 0 || !g.File {
			return ""
		}
		if files[id] == "" {
			f := p.Strings[id]
			if trim != nil {
				f = trim(f)
			}
			if f != "" {
				f = filepath.Clean(f)
			}
			files[id] = f
		}
		return files[id]
	}
	// The node of a function, plus 1, where it depends on nothing else.
	plain := make([]int32, len(p.Functions))
	for i := range p.Locations {
		loc := &p.Locations[i]
		obj := ""
		if m := p.MappingOf(uint32(i)); m != nil {
			obj = m.File
		}
		address := loc.Address
		if !g.Address {
			address = 0
		}
		lines := p.LocationLines(uint32(i))
		if !g.Inlines && len(lines) > 1 {
			lines = lines[len(lines)-1:]
		}
		for _, ln := range lines {
			fn := &p.Functions[ln.Function]
			k := nodeKey{address: address}
			if g.Function {
				k.name = p.Strings[fn.Name]
			}
			if g.Line {
				k.line = ln.Line
				if g.Column {
					k.column = ln.Column
				}
			}
			simple := !objects && k.name != "" && k.address == 0 && k.line == 0 && k.column == 0
			if simple && plain[ln.Function] != 0 {
				y.nodes = append(y.nodes, plain[ln.Function]-1)
				continue
			}
			k.file = file(fn.File)
			if objects || k.name == "" {
				k.obj, k.startLine = obj, fn.StartLine
			}
			n := table.intern(y, k)
			if simple {
				plain[ln.Function] = n + 1
			}
			y.nodes = append(y.nodes, n)
		}
		if len(lines) == 0 {
			y.nodes = append(y.nodes, table.intern(y, nodeKey{address: address, obj: obj}))
		}
		y.first[i+1] = uint32(len(y.nodes))
	}
	return y
}

// keyTable finds the index of a key in layout.keys.
type keyTable struct {
	seed  maphash.Seed
	index hashing.Index
}

// intern returns the index of k in y.keys, adding it if need be.
func (t *keyTable) intern(y *layout, k nodeKey) int32 {
	h := uint32(maphash.Comparable(t.seed, k))
	n, ok := t.index.Find(h, func(n uint32) bool { return y.keys[n] == k })
	if !ok {
		n = uint32(len(y.keys))
		y.keys = append(y.keys, k)
		t.index.Add(h, n)
	}
	return int32(n)
}

// weights gives the value of a sample, and its divisor for means.
type weights struct {
	values, divs []int64 // divs is nil unless means are wanted
}

func (w *weights) of(s int) (v, div int64) {
	v = w.values[s]
	if w.divs != nil {
		div = w.divs[s]
	}
	return v, div
}

// build sums the profile up into a graph.
func (y *layout) build(p *profile.Profile, w weights, o buildOptions) *graph {
	if o.stop.over(graphBytes(len(y.keys), 0)) {
		return &graph{}
	}
	g := &graph{nodes: make([]node, len(y.keys))}
	for i := range y.keys {
		g.nodes[i].nodeKey = &y.keys[i]
	}
	seen := make([]uint32, len(y.keys))
	var index hashing.Index // of edges
	for s := range p.Stacks {
		if o.stop.at(s) || o.stop.over(graphBytes(len(g.nodes), len(g.edges))) {
			break
		}
		v, div := w.of(s)
		if v == 0 && div == 0 {
			continue
		}
		stamp := uint32(s) + 1
		parent, residual := int32(-1), false
		var call *edge // the last one
		stack := p.Stack(s)
		for i := len(stack) - 1; i >= 0; i-- {
			l := stack[i]
			nodes := y.nodes[y.first[l]:y.first[l+1]]
			for k := len(nodes) - 1; k >= 0; k-- {
				n := nodes[k]
				if o.keep != nil && !o.keep[n] {
					residual = true
					continue
				}
				if seen[n] != stamp {
					seen[n] = stamp
					g.nodes[n].cum += v
					g.nodes[n].cumDiv += div
					if o.visit != nil {
						o.visit(n, s, v, div, false)
					}
				}
				if o.edges && parent >= 0 && n != parent {
					ed := g.edge(&index, parent, n)
					if ed.seen != stamp {
						ed.seen = stamp
						ed.weight += v
						ed.div += div
						ed.residual = ed.residual || residual
						ed.inline = ed.inline && k != len(nodes)-1
					}
					call = ed
				}
				parent, residual = n, false
			}
		}
		if parent >= 0 && !residual {
			g.nodes[parent].flat += v
			g.nodes[parent].flatDiv += div
			if call != nil {
				call.flat += v
			}
			if o.visit != nil {
				o.visit(parent, s, v, div, true)
			}
		}
	}
	g.link()
	return g
}

// cumBy sums cumulative values by groups of nodes. Each sample counts once for a group,
// however many of its nodes are in the stack. group has the number of each node's group,
// below n; −1 is none.
func (y *layout) cumBy(p *profile.Profile, w weights, group []int32, n int) []int64 {
	cum, seen := make([]int64, n), make([]uint32, n)
	for s := range p.Stacks {
		v, _ := w.of(s)
		if v == 0 {
			continue
		}
		stamp := uint32(s) + 1
		for _, l := range p.Stack(s) {
			for _, node := range y.nodes[y.first[l]:y.first[l+1]] {
				if to := group[node]; to >= 0 && seen[to] != stamp {
					seen[to] = stamp
					cum[to] += v
				}
			}
		}
	}
	return cum
}

// link fills the nodes' lists of edges.
func (g *graph) link() {
	if len(g.edges) == 0 {
		return
	}
	ins, outs := make([]int32, len(g.nodes)), make([]int32, len(g.nodes))
	for i := range g.edges {
		ins[g.edges[i].dst]++
		outs[g.edges[i].src]++
	}
	flat := make([]int32, 2*len(g.edges))
	for i := range g.nodes {
		n := &g.nodes[i]
		n.in, flat = flat[:0:ins[i]], flat[ins[i]:]
		n.out, flat = flat[:0:outs[i]], flat[outs[i]:]
	}
	for i := range g.edges {
		e := &g.edges[i]
		g.nodes[e.dst].in = append(g.nodes[e.dst].in, int32(i))
		g.nodes[e.src].out = append(g.nodes[e.src].out, int32(i))
	}
}

// edge returns the edge between two nodes, adding it if need be; edges are found
// by index.
func (g *graph) edge(index *hashing.Index, src, dst int32) *edge {
	h := uint32(hashing.Mix(uint64(src), uint64(dst)))
	e, ok := index.Find(h, func(e uint32) bool { return g.edges[e].src == src && g.edges[e].dst == dst })
	if !ok {
		e = uint32(len(g.edges))
		g.edges = append(g.edges, edge{src: src, dst: dst, inline: true})
		index.Add(h, e)
	}
	return &g.edges[e]
}

// selectNodes lists the nodes that have a value in g.order.
func (g *graph) selectNodes(dropNegative bool) {
	g.order = g.order[:0]
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.cum == 0 && n.flat == 0 {
			continue
		}
		if dropNegative && (n.flat < 0 || n.flat == 0 && n.cum < 0) {
			continue
		}
		g.order = append(g.order, int32(i))
	}
}

// trimEdges drops edges lighter than cutoff and returns their number.
func (g *graph) trimEdges(cutoff int64) int {
	dropped := 0
	for _, i := range g.order {
		for _, e := range g.nodes[i].in {
			if ed := &g.edges[e]; !ed.dead && abs(ed.weight) < cutoff {
				ed.dead = true
				dropped++
			}
		}
	}
	return dropped
}

// alive returns the edges of a list that were not dropped.
func (g *graph) alive(edges []int32) []int32 {
	var out []int32
	for _, e := range edges {
		if !g.edges[e].dead {
			out = append(out, e)
		}
	}
	return out
}

// sortedEdges returns the live edges of a list, heaviest first, then by name.
func (g *graph) sortedEdges(edges []int32) []int32 {
	out := g.alive(edges)
	slices.SortFunc(out, func(a, b int32) int {
		ea, eb := &g.edges[a], &g.edges[b]
		if c := compareAbs(ea.weight, eb.weight); c != 0 {
			return c
		}
		if c := strings.Compare(g.nodes[ea.src].printableName(), g.nodes[eb.src].printableName()); c != 0 {
			return c
		}
		return strings.Compare(g.nodes[ea.dst].printableName(), g.nodes[eb.dst].printableName())
	})
	return out
}

// nodeOrder is a way to sort nodes.
type nodeOrder int

const (
	byFlat nodeOrder = iota
	byCum
	byEntropy // for pictures: see entropy
)

// sort puts g.order in order. All orders are total.
func (g *graph) sort(o nodeOrder) {
	score := make([]int64, len(g.nodes))
	for _, i := range g.order {
		n := &g.nodes[i]
		switch o {
		case byFlat:
			score[i] = abs(n.flat)
		case byCum:
			score[i] = abs(n.cum)
		case byEntropy:
			score[i] = abs(g.entropy(n))
		}
	}
	slices.SortFunc(g.order, func(a, b int32) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		na, nb := &g.nodes[a], &g.nodes[b]
		if c := compareNames(na, nb); c != 0 {
			return c
		}
		second := compareAbs(na.flat, nb.flat)
		if o == byFlat {
			second = compareAbs(na.cum, nb.cum)
		}
		if second != 0 {
			return second
		}
		return compareIdentity(na, nb)
	})
}

// entropy scores how much a node adds to a picture: a node whose calls just
// pass through from one caller to one callee says little. The score is the
// entropy (in bits) of the weights of its edges in and out, times its value.
func (g *graph) entropy(n *node) int64 {
	score := 0.0
	in, out := g.alive(n.in), g.alive(n.out)
	if len(in) == 0 {
		score++ // roots
	} else {
		score += g.edgeEntropy(in, 0)
	}
	if len(out) == 0 {
		score++ // leaves
	} else {
		score += g.edgeEntropy(out, n.flat)
	}
	return int64(score*float64(n.cum)) + n.flat
}

func (g *graph) edgeEntropy(edges []int32, self int64) float64 {
	total := self
	for _, e := range edges {
		if w := g.edges[e].weight; w > 0 {
			total += w
		}
	}
	if total == 0 {
		return 0
	}
	score := 0.0
	add := func(w int64) {
		frac := float64(abs(w)) / float64(total)
		score += -frac * math.Log2(frac)
	}
	for _, e := range edges {
		add(g.edges[e].weight)
	}
	if self > 0 {
		add(self)
	}
	return score
}

// removeRedundant drops residual edges whose ends are connected otherwise,
// lightest first, unless they are heavier than an edge that isn't residual.
func (g *graph) removeRedundant(stop stopper) {
	for i := len(g.order) - 1; i >= 0 && stop.err() == nil; i-- {
		in := g.sortedEdges(g.nodes[g.order[i]].in)
		for j := len(in) - 1; j >= 0; j-- {
			e := in[j]
			if !g.edges[e].residual {
				break
			}
			if g.redundant(e) {
				g.edges[e].dead = true
			}
		}
	}
}

// redundant reports whether the ends of edge e are connected without it.
func (g *graph) redundant(e int32) bool {
	src, dst := g.edges[e].src, g.edges[e].dst
	seen := map[int32]bool{dst: true}
	queue := []int32{dst}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, k := range g.nodes[n].in {
			ed := &g.edges[k]
			if ed.dead || k == e || seen[ed.src] {
				continue
			}
			if ed.src == src {
				return true
			}
			seen[ed.src] = true
			queue = append(queue, ed.src)
		}
	}
	return false
}
