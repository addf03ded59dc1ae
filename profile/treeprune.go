package profile

import "slices"

// share returns the largest share of a column's total that node n has.
func (t *Tree) share(n uint32) float64 {
	share := 0.0
	for c := range t.Values {
		v := &t.Values[c]
		if total := v.weight(0); total > 0 {
			share = max(share, v.weight(n)/total)
		}
	}
	return share
}

// Prune returns the tree without nodes below a share of the total, whose values
// are folded into their parents.
func (t *Tree) Prune(minShare float64) *Tree {
	return t.prune(func(n uint32) bool { return t.share(n) >= minShare })
}

// PruneTo returns the tree with at most the given number of nodes beside the
// root, the widest ones; the values of others are folded into their parents.
// Of equally wide nodes, those near the root stay.
func (t *Tree) PruneTo(nodes int) *Tree {
	if t.NumNodes()-1 <= nodes {
		return t
	}
	shares := make([]float64, t.NumNodes()-1)
	for i := range shares {
		shares[i] = t.share(uint32(i) + 1)
	}
	sorted := slices.Clone(shares)
	slices.Sort(sorted)
	limit := sorted[len(sorted)-nodes-1] // the widest one too many
	ties := nodes
	for i := len(sorted) - 1; i >= 0 && sorted[i] > limit; i-- {
		ties--
	}
	return t.prune(func(n uint32) bool {
		if shares[n-1] == limit {
			ties--
			return ties >= 0
		}
		return shares[n-1] > limit
	})
}

// prune returns the tree of the nodes that keep reports true for, without those
// below others. keep is called in order, for children of kept nodes only.
func (t *Tree) prune(keep func(n uint32) bool) *Tree {
	out := &Tree{Types: t.Types, Inverted: t.Inverted, First: []uint32{1}}
	for c := range t.Values {
		v := &t.Values[c]
		out.Values = append(out.Values, TreeValues{BaseScale: v.BaseScale, Event: v.Event})
	}
	old := []uint32{0} // the node of t that each node of out is
	out.appendNode(t, 0, 0)
	for i := 0; i < len(old); i++ {
		for n, end := t.Children(old[i]); n < end; n++ {
			if keep(n) {
				old = append(old, n)
				out.appendNode(t, n, uint32(i))
				continue
			}
			out.Folded[i]++
			for c := range out.Values {
				v, from := &out.Values[c], &t.Values[c]
				v.Folded[i] += from.Total[n]
				if from.BaseTotal != nil {
					v.BaseFolded[i] += from.BaseTotal[n]
				}
			}
		}
		out.First = append(out.First, uint32(len(old)))
	}
	out.useFrames(len(t.Frames), func(i uint32) Frame { return t.Frames[i] })
	return out
}

// appendNode appends node n of from.
func (t *Tree) appendNode(from *Tree, n, parent uint32) {
	t.Frame = append(t.Frame, from.Frame[n])
	t.Parent = append(t.Parent, parent)
	t.Inlined = append(t.Inlined, from.Inlined[n])
	t.Folded = append(t.Folded, foldedAt(from.Folded, n))
	for c := range t.Values {
		v, o := &t.Values[c], &from.Values[c]
		v.Total, v.Self = append(v.Total, o.Total[n]), append(v.Self, o.Self[n])
		v.Folded = append(v.Folded, foldedAt(o.Folded, n))
		if o.BaseTotal != nil {
			v.BaseTotal, v.BaseSelf = append(v.BaseTotal, o.BaseTotal[n]), append(v.BaseSelf, o.BaseSelf[n])
			v.BaseFolded = append(v.BaseFolded, foldedAt(o.BaseFolded, n))
		}
	}
}

func foldedAt[T uint32 | int64](column []T, n uint32) T {
	if column == nil {
		return 0
	}
	return column[n]
}
