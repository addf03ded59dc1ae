package profile

// NewTree returns the tree of p's stacks.
//
// Negative values are those of a subtracted base: if p has some, the tree is a
// comparison, as that of [NewDiffTree].
func NewTree(p *Profile, o TreeOptions) (*Tree, error) {
	return newTree(nil, p, o)
}

// NewDiffTree returns the tree of both profiles' stacks, with base values
// next to the head's. The sample types of o are head's; those of base are found
// by their names. If base is nil, NewDiffTree does what [NewTree] does.
func NewDiffTree(base, head *Profile, o TreeOptions) (*Tree, error) {
	return newTree(base, head, o)
}
