package profile

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// stackTreeOf makes the tree of p's stacks, numbered as they are met.
func stackTreeOf(p *Profile) StackTree {
	t := StackTree{Parent: []uint32{0}, Location: []uint32{0}}
	known := map[[2]uint32]uint32{}
	for s := range p.Stacks {
		node := uint32(0)
		for _, l := range slices.Backward(p.Stack(s)) {
			key := [2]uint32{node, l}
			if known[key] == 0 {
				known[key] = uint32(len(t.Parent))
				t.Parent, t.Location = append(t.Parent, node), append(t.Location, l)
			}
			node = known[key]
		}
		t.Leaf = append(t.Leaf, node)
	}
	return t
}

// A tree made from stack trees is the one made from stacks, down to the order of equal siblings.
func TestTreeOfStackTrees(t *testing.T) {
	made := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 39))
		some := func(negative bool) *Profile {
			return treeProfile(r, r.IntN(60), 2+r.IntN(12), 1+r.IntN(12), r.IntN(8), negative)
		}
		head, base := some(r.IntN(8) == 0), some(false)
		o := TreeOptions{
			Types:       []int{r.IntN(2)},
			Granularity: []string{"", "functions", "filefunctions", "files", "lines", "addresses"}[r.IntN(6)],
			NoInlines:   r.IntN(3) == 0,
			Normalize:   r.IntN(2) == 0,
		}
		switch r.IntN(10) { // which stack trees can't be used for
		case 0:
			o.Inverted = true
		case 1:
			o.CollapseRecursion = true
		case 2:
			o.MinShare = 0.1
		case 3:
			o.Types = []int{0, 1}
		}
		treeOf := func(base, head *Profile) *Tree {
			tree, err := NewDiffTree(base, head, o)
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}
		with := func(p *Profile) *Profile { return WithStackTree(p, stackTreeOf(p)) }
		if with(head).StackTree() != nil {
			made++
		}
		if got, want := treeOf(nil, with(head)), treeOf(nil, head); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %+v:\n%v\nwant\n%v", seed, o, got, want)
		}
		if got, want := treeOf(with(base), with(head)), treeOf(base, head); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %+v, a comparison:\n%v\nwant\n%v", seed, o, got, want)
		}
		if got, want := treeOf(base, with(head)), treeOf(base, head); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %+v, with one stack tree of two:\n%v\nwant\n%v", seed, o, got, want)
		}
	}
	if made < 300 {
		t.Errorf("only %d profiles had a stack tree", made)
	}
}

// A profile with other stacks than those of its tree has none.
func TestStackTreeOfOtherStacks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 39))
	p := treeProfile(r, 50, 9, 9, 6, false)
	p = WithStackTree(p, stackTreeOf(p))
	if p.StackTree() == nil {
		t.Fatal("it has no stack tree")
	}
	doubled := *p
	doubled.Values = [][]int64{p.Values[1], p.Values[0]}
	if doubled.StackTree() == nil {
		t.Error("with other values it has none")
	}
	for name, q := range map[string]*Profile{
		"fewer samples": keepSamples(p, func(s int) bool { return s%2 == 0 }),
		"other frames":  withStacks(p, slices.Repeat([]Stack{{}}, len(p.Stacks))),
		"no samples":    keepSamples(p, func(int) bool { return false }),
		"compact":       Compact(p),
	} {
		if q.StackTree() != nil {
			t.Errorf("%s: it has the stack tree of others", name)
		}
	}
}

// Memory is taken before it is used, and a tree that doesn't get it fails.
func TestStackTreeBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 39))
	p := treeProfile(r, 5000, 90, 90, 30, false)
	p = WithStackTree(p, stackTreeOf(p))
	all := &budget{left: 1 << 40}
	tree, err := NewTree(p, TreeOptions{Budget: all})
	if err != nil {
		t.Fatal(err)
	}
	if least := int64(len(tree.Frame)) * (4 + 4 + 1 + 4 + 16); all.taken < least {
		t.Errorf("it took %d bytes for a tree of at least %d", all.taken, least)
	}
	for left := int64(0); left < all.taken; left += all.taken / 7 {
		if _, err := NewTree(p, TreeOptions{Budget: &budget{left: left}}); err == nil {
			t.Errorf("it did with %d bytes of %d", left, all.taken)
		}
	}
}
