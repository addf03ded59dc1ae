package keys

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type node struct {
	address uint64
	label   string
}

func (n *node) name() string { return fmt.Sprintf("%016x %s", n.address, n.label) }

func order(nodes []*node, words []string) {
	sort.Slice(nodes, func(i, j int) bool {
		n := nodes[i]
		// want C: n.name is called for both elements in each comparison
		return n.name() < nodes[j].name() // hot: example.com/keys.(*node).name
	})
	slices.SortFunc(words, func(a, b string) int {
		// want C: is called for both elements in each comparison
		return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) // hot: strings.ToLower
	})
}

type byName []*node

func (s byName) Len() int      { return len(s) }
func (s byName) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s byName) Less(i, j int) bool {
	// want C: s[i].name is called
	return s[i].name() < s[j].name() // hot: example.com/keys.(*node).name
}
