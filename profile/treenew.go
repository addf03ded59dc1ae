package profile

// NewTree returns the tree of p's stacks.
//
// Negative values are those of a base that was subtracted: the tree of a
// profile that has some is one of a comparison, as by [NewDiffTree].
func NewTree(p *Profile, o TreeOptions) (*Tree, error) {
	return newTree(nil, p, o)
}

// NewDiffTree returns the tree of both profiles' stacks, with base values
// beside the head's. The sample types of o are head's; those of base are found
// by their names.
func NewDiffTree(base, head *Profile, o TreeOptions) (*Tree, error) {
	return newTree(base, head, o)
}
