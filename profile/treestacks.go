package profile

import (
	"cmp"
	"slices"
)

// stackTreeBuilder grows a tree of frames from stack trees, level by level: the nodes of stack
// trees that have arrived at a node are distributed among its children.
type stackTreeBuilder struct {
	t     *Tree
	mem   nodeMemory
	walks []*stackWalk

	seen  []sighting // by frame
	round uint32     // number of the node at work, for seen
	kids  []stackKid // children of the node at work
	met   []stackItem
	place []uint32 // by child of the node at work: where its next item goes

	level, next []stackItem // of the level at work, by node, and of the one below
	ends        []uint32    // by node of the level: the end of its items
	nextEnds    []uint32
}

// stackWalk is a profile whose stack tree becomes part of a tree.
type stackWalk struct {
	*StackTree
	frames   *FrameMap
	base     bool
	own, all []int64  // by node: of the samples that end there, and of all that pass
	children []uint32 // nodes with values, by their parents
	first    []uint32 // where the children of a node begin; those of the next one follow
}

// stackItem is a node of a stack tree on its way through the tree.
type stackItem struct {
	node uint32
	line uint32 // how many frames of its location the tree has above
	walk uint32
	kid  uint32 // which child of the node at work it goes to
}

// stackKid is a child of the node at work.
type stackKid struct {
	frame       uint32
	id          uint32 // its number in the order of being met
	items       uint32
	inlined     bool
	total, base int64
}

// stackBytes is the memory that a node of a stack tree takes: in its walk, and as an item of a
// level, of the next one, and on its way between them.
const stackBytes = 8 + 8 + 4 + 4 + 3*16

// walkStacks adds up what passes the nodes of a profile's stack tree. It returns nil if a value
// is negative.
func walkStacks(w *walk) *stackWalk {
	signs := int64(0)
	for _, v := range w.values[0] {
		signs |= v
	}
	if signs < 0 {
		return nil
	}
	s := &stackWalk{StackTree: w.p.StackTree(), frames: w.frames, base: w.sign < 0}
	n := len(s.Parent)
	s.own = make([]int64, n)
	for i, v := range w.values[0] {
		s.own[s.Leaf[i]] += v
	}
	s.all = slices.Clone(s.own)
	s.first = make([]uint32, n+2)
	for i := n - 1; i > 0; i-- {
		if s.all[i] != 0 {
			s.all[s.Parent[i]] += s.all[i]
			s.first[s.Parent[i]+2]++
		}
	}
	for i := range n + 1 {
		s.first[i+1] += s.first[i]
	}
	s.children = make([]uint32, s.first[n+1])
	for i := uint32(1); int(i) < n; i++ {
		if s.all[i] != 0 {
			at := &s.first[s.Parent[i]+1] // which ends where the next one's begin
			s.children[*at] = i
			*at++
		}
	}
	return s
}

// byStackTrees makes the tree below the root from the profiles' stack trees, if that can be done.
func (b *treeBuilder) byStackTrees(table *FrameTable) (done bool, err error) {
	o := &b.o
	if len(o.Types) != 1 || o.Inverted || o.CollapseRecursion || o.Pivot != "" || o.MinShare > 0 {
		return false, nil
	}
	s := stackTreeBuilder{t: b.t, mem: nodeMemory{budget: o.Budget, columns: 1, diff: b.diff}, seen: make([]sighting, table.Len())}
	nodes := 0
	for i := range b.walks {
		tree := b.walks[i].p.StackTree()
		if tree == nil {
			return false, nil
		}
		nodes += len(tree.Parent)
	}
	if o.Budget != nil {
		if err := o.Budget.Take(stackBytes * int64(nodes)); err != nil {
			return false, err
		}
	}
	for i := range b.walks {
		w := walkStacks(&b.walks[i])
		if w == nil {
			return false, nil
		}
		s.walks = append(s.walks, w)
	}
	return true, s.build(b)
}

func (s *stackTreeBuilder) build(b *treeBuilder) error {
	t, v := s.t, &s.t.Values[0]
	room := 1
	for i, w := range s.walks {
		if w.base {
			v.BaseTotal[0] += w.all[0]
		} else {
			v.Total[0] += w.all[0]
		}
		s.level = append(s.level, stackItem{walk: uint32(i)})
		room += len(w.children)
	}
	b.scaleBase()
	if err := s.mem.take(room); err != nil {
		return err
	}
	t.Frame, t.Parent, t.Inlined = slices.Grow(t.Frame, room), slices.Grow(t.Parent, room), slices.Grow(t.Inlined, room)
	t.First = make([]uint32, 0, room+1)
	t.eachColumn(func(column []int64) []int64 { return slices.Grow(column, room) })
	s.ends = append(s.ends, uint32(len(s.level)))
	for node, steps := uint32(0), 0; len(s.ends) > 0; {
		s.next, s.nextEnds = s.next[:0], s.nextEnds[:0]
		at := uint32(0)
		for _, end := range s.ends {
			if err := stopped(b.o.Context, steps); err != nil {
				return err
			}
			steps++
			if err := s.branch(node, s.level[at:end]); err != nil {
				return err
			}
			at = end
			node++
		}
		s.level, s.next = s.next, s.level
		s.ends, s.nextEnds = s.nextEnds, s.ends
	}
	t.First = append(t.First, uint32(len(t.Frame)))
	return nil
}

// branch adds the children of a node, at which items have arrived, and hands the items on.
func (s *stackTreeBuilder) branch(node uint32, items []stackItem) error {
	s.round++
	s.kids, s.met = s.kids[:0], s.met[:0]
	for i := range items {
		it := &items[i]
		w := s.walks[it.walk]
		if it.node != 0 {
			if code := w.frames.code[w.Location[it.node]]; !code.sole() {
				if refs := w.frames.list(code); int(it.line) < len(refs) {
					s.meet(w, refs[len(refs)-1-int(it.line)], stackItem{node: it.node, line: it.line + 1, walk: it.walk})
					continue
				}
			}
		}
		if v := &s.t.Values[0]; w.base {
			v.BaseSelf[node] += w.own[it.node]
		} else {
			v.Self[node] += w.own[it.node]
		}
		for _, child := range w.children[w.first[it.node]:w.first[it.node+1]] {
			ref := w.frames.code[w.Location[child]]
			if !ref.sole() {
				refs := w.frames.list(ref)
				ref = refs[len(refs)-1]
			}
			s.meet(w, ref, stackItem{node: child, line: 1, walk: it.walk})
		}
	}
	s.t.First = append(s.t.First, uint32(len(s.t.Frame)))
	return s.settle(node)
}

// meet sends an item to the child of the node at work with a frame.
func (s *stackTreeBuilder) meet(w *stackWalk, ref FrameRef, it stackItem) {
	seen := &s.seen[ref.Index()]
	if seen.round != s.round {
		*seen = sighting{s.round, uint32(len(s.kids))}
		s.kids = append(s.kids, stackKid{frame: ref.Index(), id: seen.node, inlined: true})
	}
	kid := &s.kids[seen.node]
	kid.inlined = kid.inlined && ref.Inlined()
	kid.items++
	if w.base {
		kid.base += w.all[it.node]
	} else {
		kid.total += w.all[it.node]
	}
	it.kid = seen.node
	s.met = append(s.met, it)
}

// settle adds the children that were met to the tree, in their order, and the items to the next level.
func (s *stackTreeBuilder) settle(node uint32) error {
	t, v := s.t, &s.t.Values[0]
	if len(s.kids) > 1 {
		slices.SortFunc(s.kids, func(a, b stackKid) int {
			return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.base, a.base), cmp.Compare(a.frame, b.frame))
		})
	}
	if n := len(t.Frame) + len(s.kids); n > maxNodes {
		return errTreeSize
	} else if err := s.mem.take(n); err != nil {
		return err
	}
	at := uint32(len(s.next))
	s.place = slices.Grow(s.place[:0], len(s.kids))[:len(s.kids)]
	for i := range s.kids {
		kid := &s.kids[i]
		t.Frame, t.Parent, t.Inlined = append(t.Frame, kid.frame), append(t.Parent, node), append(t.Inlined, kid.inlined)
		v.Total, v.Self = append(v.Total, kid.total), append(v.Self, 0)
		if v.BaseTotal != nil {
			v.BaseTotal, v.BaseSelf = append(v.BaseTotal, kid.base), append(v.BaseSelf, 0)
		}
		s.place[kid.id] = at
		at += kid.items
		s.nextEnds = append(s.nextEnds, at)
	}
	s.next = slices.Grow(s.next, len(s.met))[:at]
	for i := range s.met {
		to := &s.place[s.met[i].kid]
		s.next[*to] = s.met[i]
		*to++
	}
	return nil
}
