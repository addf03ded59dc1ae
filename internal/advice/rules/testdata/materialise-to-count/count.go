package count

import (
	"path/filepath"
	"strings"
)

type node struct{ next *node }

type selection struct{ nodes []*node }

func (s *selection) Length() int { return len(s.nodes) }

func (n *node) after() (all []*node) {
	for m := n.next; m != nil; m = m.next {
		all = append(all, m)
	}
	return all
}

func (n *node) all() *selection { return push(n.after()) }

func push(nodes []*node) *selection { return &selection{nodes} }

func (n *node) index() int {
	// want C: are collected only to be counted n.all collects all items
	return n.all().Length() // hot: runtime.growslice
}

func (n *node) index2() int {
	// want C: n.after collects
	return len(n.after()) // hot: runtime.growslice
}

func columns(line, pattern string) (int, int) {
	// want C: strings.Count(text
	n := len(strings.Split(line, ",")) // hot: strings.Split strings.genSplit runtime.makeslice
	// want C: strings.Fields collects
	n += len(strings.Fields(line)) // hot: strings.Fields runtime.makeslice
	all, _ := filepath.Glob(pattern)
	return n, len(all)
}
