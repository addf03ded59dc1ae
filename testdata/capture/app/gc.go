package main

import (
	"context"
	"runtime/debug"
)

type leafNode struct {
	left, right *leafNode
	payload     []byte
}

func grown(depth int) *leafNode {
	if depth == 0 {
		return &leafNode{payload: make([]byte, 24)}
	}
	return &leafNode{left: grown(depth - 1), right: grown(depth - 1)}
}

// gcHeavy builds pointer-rich trees with an eager collector.
func gcHeavy(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	live := make([]*leafNode, 8)
	for i := 0; ctx.Err() == nil; i++ {
		live[i%len(live)] = grown(14)
		table := map[int]*leafNode{}
		for k := range 2000 {
			table[k] = &leafNode{payload: make([]byte, k%128)}
		}
		live[i%len(live)].right = table[i%2000]
	}
	keep = live
	return nil
}
