package profile

// WithStackTree returns p with a tree of its stacks. Both share the tree. Filters that change
// stacks drop it.
func WithStackTree(p *Profile, t StackTree) *Profile {
	q := *p
	if len(p.Stacks) > 0 && len(p.Frames) > 0 {
		q.stackTree = &stackTree{t, &p.Stacks[0], &p.Frames[0]}
	}
	return &q
}

// StackTree returns the tree of p's stacks, nil if p has none.
func (p *Profile) StackTree() *StackTree {
	t := p.stackTree
	// A profile with other stacks may still refer to the tree, as filters copy profiles.
	if t == nil || len(p.Stacks) != len(t.Leaf) || len(p.Frames) == 0 || t.stacks != &p.Stacks[0] || t.frames != &p.Frames[0] {
		return nil
	}
	return &t.StackTree
}

// Bytes returns about how much memory the tree takes: 0 for nil.
func (t *StackTree) Bytes() int64 {
	if t == nil {
		return 0
	}
	return bytesOf[uint32](len(t.Parent) + len(t.Location) + len(t.Leaf))
}
