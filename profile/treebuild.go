package profile

import (
	"cmp"
	"math"
	"slices"
)

// treeBuilder grows a tree depth first: the stacks that have arrived at a node
// are distributed among its children, and all below one child is made before
// the next. So what is under way stays close together in memory, and the larger
// part of a large tree, the ends that a single stack has for itself, is written
// without looking for anything. Last, nodes are brought into the order of
// levels, which that of making them is within each level.
type treeBuilder struct {
	t     *Tree
	o     TreeOptions
	diff  bool
	walks []walk

	cursors []cursor
	depth   []uint32  // of each node
	min     []float64 // per column: nodes with less are folded
	todo    []branch  // nodes without their children yet, the next one last

	// For the children of one node:
	seen  []sighting // by frame
	round uint32     // number of the node at work, for seen
	order []uint32   // children in their order
	rank  []uint32   // by child: its place in order, or dropped
	ends  []uint32   // by place: end of its cursors
	moved []cursor

	mem nodeMemory
}

// nodeMemory takes the memory of a tree's nodes as it grows.
type nodeMemory struct {
	budget  Budget // nil bounds nothing
	columns int    // of values
	diff    bool
	taken   int // nodes that memory was taken for
}

const dropped = math.MaxUint32

// walk is a profile whose samples are in a tree.
type walk struct {
	p      *Profile
	frames *FrameMap
	values [][]int64 // the selected columns
	sign   int64     // -1: positive values are those of the base
}

// cursor is a sample on its way through the tree.
type cursor struct {
	sample uint32
	walk   uint32 // whose sample it is
	at     uint32 // in Frames: the location that comes next
	left   uint32 // locations from there on
	line   uint32 // how many frames of the next location lie behind
	node   uint32 // child of the node at work that it goes to
	value  int64  // in the first column, negative for a base
}

// branch is a node with the cursors that have arrived at it.
type branch struct {
	node     uint32
	from, to uint32
}

// sighting is the last time a frame was a child.
type sighting struct {
	round uint32
	node  uint32
}

// add adds a profile. Its samples without a value are ignored.
func (b *treeBuilder) add(p *Profile, frames *FrameMap, types []int, sign int64) {
	w := walk{p: p, frames: frames, sign: sign}
	for _, i := range types {
		w.values = append(w.values, p.Values[i])
	}
	b.walks = append(b.walks, w)
}

// start has all samples at the root.
func (b *treeBuilder) start() error {
	n := 0
	for i := range b.walks {
		w := &b.walks[i]
		for s := range w.p.Stacks {
			if w.counts(s) {
				n++
			}
		}
	}
	if b.o.Budget != nil { // while they grow and move there are two of them
		if err := b.o.Budget.Take(2 * bytesOf[cursor](n)); err != nil {
			return err
		}
	}
	b.cursors = make([]cursor, 0, n)
	for i := range b.walks {
		w := &b.walks[i]
		for s, k := range w.p.Stacks {
			if !w.counts(s) {
				continue
			}
			c := cursor{sample: uint32(s), walk: uint32(i), at: k.Start, left: k.Len, value: w.values[0][s] * w.sign}
			if !b.o.Inverted {
				c.at += k.Len - 1
			}
			b.cursors = append(b.cursors, c)
		}
	}
	return nil
}

// counts reports whether sample s has a value in some column.
func (w *walk) counts(s int) bool {
	for _, column := range w.values {
		if column[s] != 0 {
			return true
		}
	}
	return false
}

// next returns the next frame of a sample that has one.
func (w *walk) next(c *cursor, code FrameRef, inverted bool) FrameRef {
	ref := code
	if code.sole() {
		c.line = 0
		c.left--
	} else {
		refs := w.frames.list(code)
		j := c.line
		if !inverted {
			j = uint32(len(refs)) - 1 - j
		}
		ref = refs[j]
		if c.line++; int(c.line) < len(refs) {
			return ref
		}
		c.line = 0
		c.left--
	}
	if inverted {
		c.at++
	} else {
		c.at--
	}
	return ref
}

// code returns what the frame map has for the next location of a sample, if
// there is one.
func (b *treeBuilder) code(c *cursor) FrameRef {
	if c.left == 0 {
		return 0
	}
	w := &b.walks[c.walk]
	return w.frames.code[w.p.Frames[c.at]]
}

// step returns the frame of a sample that is a node below node n. code is that
// of the sample's next location.
func (b *treeBuilder) step(c *cursor, code FrameRef, n uint32) (ref FrameRef, more bool) {
	for c.left > 0 {
		ref := b.walks[c.walk].next(c, code, b.o.Inverted)
		if !b.o.CollapseRecursion || ref.Index() != b.t.Frame[n] {
			return ref, true
		}
		code = b.code(c)
	}
	return 0, false
}

// count adds the values of a sample to node n's, and to its own if the stack
// ends there.
func (b *treeBuilder) count(c *cursor, n uint32, ends bool) {
	b.t.Values[0].add(n, c.value, ends)
	w := &b.walks[c.walk]
	for i := 1; i < len(w.values); i++ {
		b.t.Values[i].add(n, w.values[i][c.sample]*w.sign, ends)
	}
}

// build makes the tree of the samples added, below the root.
func (b *treeBuilder) build(table *FrameTable) error {
	t := b.t
	if err := b.start(); err != nil {
		return err
	}
	b.countRoot()
	b.scaleBase()
	if b.o.Pivot != "" {
		// Shares are compared as in the whole tree: a pivot whose share has grown
		// is not to look unchanged.
		b.startAt(table.pivots(b.o.Pivot))
		b.countRoot()
	}
	if b.o.MinShare <= 0 {
		n := nodesPerSample * len(b.cursors)
		if err := b.mem.take(n); err != nil {
			return err
		}
		b.reserve(n)
	}
	for c := range t.Values {
		b.min = append(b.min, b.o.MinShare*t.Values[c].weight(0))
	}
	b.seen = make([]sighting, table.Len())
	if len(b.cursors) > 0 {
		b.todo = append(b.todo, branch{0, 0, uint32(len(b.cursors))})
	}
	for i := 0; len(b.todo) > 0; i++ {
		if err := stopped(b.o.Context, i); err != nil {
			return err
		}
		next := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		var err error
		if next.to-next.from == 1 {
			err = b.chain(&b.cursors[next.from], next.node)
		} else {
			err = b.branch(next)
		}
		if err != nil {
			return err
		}
	}
	t.pad()
	b.level()
	return nil
}

// scaleBase sets what base values are multiplied by, when the root has its values.
func (b *treeBuilder) scaleBase() {
	for c := range b.t.Values {
		v := &b.t.Values[c]
		if b.diff && b.o.BaseScales != nil {
			v.BaseScale = b.o.BaseScales[c]
		} else if b.diff && b.o.Normalize && v.Total[0] > 0 && v.BaseTotal[0] > 0 {
			v.BaseScale = cmp.Or(b.o.BaseTotal, 1) * float64(v.Total[0]) / float64(v.BaseTotal[0])
		}
	}
}

// countRoot gives the root the values of all samples.
func (b *treeBuilder) countRoot() {
	for c := range b.t.Values {
		v := &b.t.Values[c]
		v.Total[0] = 0
		if b.diff {
			v.BaseTotal[0] = 0
		}
	}
	for i := range b.cursors {
		b.count(&b.cursors[i], 0, false)
	}
}

// nodesPerSample is how many nodes a tree has for each sample at least, as a
// rule: stacks that were merged are different ones.
const nodesPerSample = 2

// take takes the memory of n nodes, unless it was taken.
func (m *nodeMemory) take(n int) error {
	if m.budget == nil || n <= m.taken {
		return nil
	}
	const piece = 4096
	n = max(n, m.taken+piece)
	// Frame, Parent, Inlined, First and the depth, and the columns of values.
	size := int64(4 + 4 + 1 + 4 + 4 + 16*m.columns)
	if m.diff {
		size += int64(16 * m.columns)
	}
	// Columns have room left as they grow, and one after another is copied.
	size += size / 2
	if err := m.budget.Take(size * int64(n-m.taken)); err != nil {
		return err
	}
	m.taken = n
	return nil
}

// reserve makes room for n nodes.
func (b *treeBuilder) reserve(n int) {
	t := b.t
	b.depth = slices.Grow(b.depth, n)
	t.Frame, t.Parent, t.Inlined = slices.Grow(t.Frame, n), slices.Grow(t.Parent, n), slices.Grow(t.Inlined, n)
	for c := range t.Values {
		v := &t.Values[c]
		v.Total, v.Self = slices.Grow(v.Total, n), slices.Grow(v.Self, n)
		if b.diff {
			v.BaseTotal, v.BaseSelf = slices.Grow(v.BaseTotal, n), slices.Grow(v.BaseSelf, n)
		}
	}
}

// grow appends a zero to each column of values.
func (b *treeBuilder) grow() {
	b.depth = append(b.depth, 0)
	for c := range b.t.Values {
		v := &b.t.Values[c]
		v.Total, v.Self = append(v.Total, 0), append(v.Self, 0)
		if b.diff {
			v.BaseTotal, v.BaseSelf = append(v.BaseTotal, 0), append(v.BaseSelf, 0)
		}
	}
}

// node appends a child of node n.
func (b *treeBuilder) node(n uint32, ref FrameRef) (uint32, error) {
	t := b.t
	id := len(t.Frame)
	if id >= maxNodes {
		return 0, errTreeSize
	}
	if id >= b.mem.taken {
		if err := b.mem.take(id + 1); err != nil {
			return 0, err
		}
	}
	t.Frame = append(t.Frame, ref.Index())
	t.Parent = append(t.Parent, n)
	t.Inlined = append(t.Inlined, ref.Inlined())
	b.grow()
	b.depth[id] = b.depth[n] + 1
	return uint32(id), nil
}

// chain makes the nodes below node n, at which a single sample has arrived. None
// is narrow, since n is not and all have its value.
func (b *treeBuilder) chain(c *cursor, n uint32) error {
	for {
		ref, more := b.step(c, b.code(c), n)
		if !more {
			b.count(c, n, true)
			return nil
		}
		child, err := b.node(n, ref)
		if err != nil {
			return err
		}
		b.count(c, child, false)
		n = child
	}
}

// branch makes the children of a node, and of its cursors a branch for each.
func (b *treeBuilder) branch(br branch) error {
	first := uint32(len(b.t.Frame))
	cursors, err := b.distribute(b.cursors[br.from:br.to], br.node)
	if err != nil || len(cursors) == 0 {
		return err
	}
	b.settle(br.node, first)
	if len(b.order) == 0 {
		return nil
	}
	// Those of a child together, by counting.
	b.ends = append(b.ends[:0], make([]uint32, len(b.order)+1)...)
	for i := range cursors {
		if r := b.rank[cursors[i].node-first]; r != dropped {
			b.ends[r+1]++
		}
	}
	for i := range b.order {
		b.ends[i+1] += b.ends[i]
	}
	for i := len(b.order) - 1; i >= 0; i-- {
		b.todo = append(b.todo, branch{first + uint32(i), br.from + b.ends[i], br.from + b.ends[i+1]})
	}
	if len(b.order) == 1 && len(b.rank) == 1 {
		return nil // they are
	}
	b.moved = slices.Grow(b.moved[:0], len(cursors))[:len(cursors)]
	for i := range cursors {
		if r := b.rank[cursors[i].node-first]; r != dropped {
			b.moved[b.ends[r]] = cursors[i]
			b.ends[r]++
		}
	}
	copy(cursors, b.moved[:b.ends[len(b.order)]])
	return nil
}

// distribute moves cursors from node n to its children, which it adds, and
// returns those whose stacks do not end at n.
func (b *treeBuilder) distribute(cursors []cursor, n uint32) ([]cursor, error) {
	b.round++
	kept := 0
	// Where a stack goes on lies anywhere in memory. Asking for a number of them
	// at once lets the processor wait for all together.
	var ahead [64]FrameRef
	for i := range cursors {
		if i%len(ahead) == 0 {
			for j := range min(len(ahead), len(cursors)-i) {
				ahead[j] = b.code(&cursors[i+j])
			}
		}
		c := cursors[i]
		ref, more := b.step(&c, ahead[i%len(ahead)], n)
		if !more {
			b.count(&c, n, true)
			continue
		}
		seen := &b.seen[ref.Index()]
		if seen.round != b.round {
			child, err := b.node(n, ref)
			if err != nil {
				return nil, err
			}
			*seen = sighting{b.round, child}
		} else if !ref.Inlined() {
			b.t.Inlined[seen.node] = false
		}
		c.node = seen.node
		b.count(&c, c.node, false)
		cursors[kept] = c
		kept++
	}
	return cursors[:kept], nil
}

// settle folds the narrow ones of node n's children, the nodes from first on,
// and puts the others in order.
func (b *treeBuilder) settle(n, first uint32) {
	t := b.t
	children := len(t.Frame) - int(first)
	b.order, b.rank = b.order[:0], append(b.rank[:0], make([]uint32, children)...)
	for id := first; int(id) < len(t.Frame); id++ {
		if b.narrow(id) {
			t.fold(id, n)
			b.rank[id-first] = dropped
		} else {
			b.order = append(b.order, id)
		}
	}
	slices.SortFunc(b.order, t.compare)
	for i, id := range b.order {
		b.rank[id-first] = uint32(i)
	}
	if len(b.order) == children && children == 1 {
		return
	}
	t.Frame = rearrange(t.Frame, first, b.order)
	t.Parent = t.Parent[:len(t.Frame)] // all are n
	t.Inlined = rearrange(t.Inlined, first, b.order)
	b.depth = b.depth[:len(t.Frame)]
	t.eachColumn(func(column []int64) []int64 { return rearrange(column, first, b.order) })
}

// rearrange keeps of the entries from first on those in order, in that order.
func rearrange[T any](column []T, first uint32, order []uint32) []T {
	var few [64]T
	tmp := few[:]
	if len(order) > len(tmp) {
		tmp = make([]T, len(order))
	}
	for i, id := range order {
		tmp[i] = column[id]
	}
	return append(column[:first], tmp[:len(order)]...)
}

// level numbers the nodes level by level.
func (b *treeBuilder) level() {
	t := b.t
	n := len(t.Frame)
	next := make([]uint32, slices.Max(b.depth)+2)
	for _, d := range b.depth {
		next[d+1]++
	}
	for d := range len(next) - 1 {
		next[d+1] += next[d]
	}
	number := b.depth // which is read before it is overwritten
	for i, d := range b.depth {
		number[i] = next[d]
		next[d]++
	}
	t.Frame = renumber(t.Frame, number)
	t.Inlined = renumber(t.Inlined, number)
	for i, parent := range t.Parent {
		t.Parent[i] = number[parent]
	}
	t.Parent = renumber(t.Parent, number)
	t.eachColumn(func(column []int64) []int64 { return renumber(column, number) })
	if t.Folded != nil {
		t.Folded = renumber(t.Folded, number)
		for c := range t.Values {
			v := &t.Values[c]
			v.Folded = renumber(v.Folded, number)
			if v.BaseTotal != nil {
				v.BaseFolded = renumber(v.BaseFolded, number)
			}
		}
	}
	t.First = make([]uint32, n+1)
	for _, parent := range t.Parent[1:] {
		t.First[parent+1]++
	}
	t.First[0] = 1
	for i := range n {
		t.First[i+1] += t.First[i]
	}
}

// renumber returns a column in the order of the nodes' new numbers.
func renumber[T any](column []T, number []uint32) []T {
	out := make([]T, len(column))
	for i, v := range column {
		out[number[i]] = v
	}
	return out
}

func (b *treeBuilder) narrow(n uint32) bool {
	if b.o.MinShare <= 0 {
		return false
	}
	for c := range b.t.Values {
		if w := b.t.Values[c].weight(n); w > 0 && w >= b.min[c] {
			return false
		}
	}
	return true
}

// startAt leaves the samples with a frame of a set, and moves them to the
// outermost of these frames: the first of it that a walk from the root meets,
// the last for one from the leaves.
func (b *treeBuilder) startAt(is []bool) {
	has := make([][]bool, len(b.walks)) // by location
	for i, w := range b.walks {
		has[i] = make([]bool, len(w.p.Locations))
		for l := range has[i] {
			has[i][l] = slices.ContainsFunc(w.frames.At(uint32(l)), func(ref FrameRef) bool { return is[ref.Index()] })
		}
	}
	kept := b.cursors[:0]
	for _, c := range b.cursors {
		w := &b.walks[c.walk]
		stack := w.p.Stack(int(c.sample))
		at := len(stack) - 1
		for at >= 0 && !has[c.walk][stack[at]] {
			at--
		}
		if at < 0 {
			continue
		}
		refs := w.frames.At(stack[at])
		line := len(refs) - 1
		for !is[refs[line].Index()] {
			line--
		}
		c.at = w.p.Stacks[c.sample].Start + uint32(at)
		c.left, c.line = uint32(len(stack)-at), uint32(line)
		if !b.o.Inverted {
			c.left, c.line = uint32(at+1), uint32(len(refs)-1-line)
		}
		kept = append(kept, c)
	}
	b.cursors = kept
}
