package pyroscope

import (
	"context"
	"encoding/binary"

	"github.com/hone-go/hone/profile"
)

// treeBytes returns a tree in the format that Pyroscope calls TREE. Its nodes are in
// depth-first order, each parent before its children. The first node is the root, which has
// no name. Numbers are varints:
//
//	node: | length of name | name | own value | number of children |
//
// The values of nodes that are too narrow to be in the tree are in children called "other".
// A tree without values is empty.
func treeBytes(t *profile.Tree) []byte {
	v := &t.Values[0]
	if v.Total[0] == 0 && t.NumNodes() == 1 {
		return nil
	}
	var out []byte
	node := func(name string, own int64, children int) {
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
		out = binary.AppendUvarint(out, uint64(own))
		out = binary.AppendUvarint(out, uint64(children))
	}
	stack := []uint32{0}
	const foldedOf = 1 << 31 // marks the folded children of a node; a tree has fewer nodes
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n&foldedOf != 0 {
			node(other, v.Folded[n&^foldedOf], 0)
			continue
		}
		name := ""
		if n != 0 {
			name = t.Frames[t.Frame[n]].Name
		}
		first, behind := t.Children(n)
		children := int(behind - first)
		if v.Folded != nil && v.Folded[n] != 0 {
			children++
			stack = append(stack, n|foldedOf)
		}
		for child := behind; child > first; child-- {
			stack = append(stack, child-1)
		}
		node(name, v.Self[n], children)
	}
	return out
}

func treeOf(ctx context.Context, p *profile.Profile, maxNodes int64) ([]byte, error) {
	t, err := profile.NewTree(p, profile.TreeOptions{Context: ctx})
	if err != nil {
		return nil, err
	}
	return treeBytes(t.PruneTo(nodes(maxNodes))), nil
}
