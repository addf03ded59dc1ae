package main

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
)

// A heapOf is a binary heap of values ordered by less.
type heapOf[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (h *heapOf[T]) push(x T) {
	h.items = append(h.items, x)
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			break
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

func (h *heapOf[T]) pop() T {
	top := h.items[0]
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.less(h.items[child+1], h.items[child]) {
			child++
		}
		if !h.less(h.items[child], h.items[i]) {
			break
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
	return top
}

type pair[K cmp.Ordered, V any] struct {
	key   K
	value V
}

func sortedPairs[K cmp.Ordered, V any](m map[K]V) []pair[K, V] {
	out := make([]pair[K, V], 0, len(m))
	for k, v := range m {
		out = append(out, pair[K, V]{k, v})
	}
	slices.SortFunc(out, func(a, b pair[K, V]) int { return cmp.Compare(a.key, b.key) })
	return out
}

func mapSeq[T, U any](in iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for x := range in {
			if !yield(f(x)) {
				return
			}
		}
	}
}

func sum[N int | float64](in iter.Seq[N]) (total N) {
	for x := range in {
		total += x
	}
	return total
}

// generics runs generic types and functions instantiated several ways, and
// range-over-func iterators.
func generics(ctx context.Context) error {
	var kept [][]pair[string, []float64]
	for n := 0; ctx.Err() == nil; n++ {
		heapSort(5000, func(i int) int { return i * 7919 % 5003 })
		heapSort(5000, func(i int) string { return string(rune('a'+i%26)) + string(rune('a'+i*31%26)) })
		heapSort(2000, func(i int) pair[int, string] { return pair[int, string]{i * 37 % 2003, "v"} })
		groups := map[string][]float64{}
		for i := range 3000 {
			key := string(rune('a'+i%26)) + string(rune('a'+i/26%26))
			groups[key] = append(groups[key], float64(i))
		}
		pairs := sortedPairs(groups)
		if len(kept) < 16 {
			kept = append(kept, pairs)
		}
		squares := mapSeq(maps.Values(groups), func(v []float64) float64 { return sum(slices.Values(v)) })
		keep = sum(squares)
	}
	keep = kept
	return nil
}

func heapSort[T any](n int, make func(int) T) T {
	h := heapOf[T]{less: lessOf[T]()}
	for i := range n {
		h.push(make(i))
	}
	var last T
	for range n {
		last = h.pop()
	}
	return last
}

func lessOf[T any]() func(a, b T) bool {
	return func(a, b T) bool { return compareAny(a, b) < 0 }
}

func compareAny(a, b any) int {
	switch a := a.(type) {
	case int:
		return cmp.Compare(a, b.(int))
	case string:
		return cmp.Compare(a, b.(string))
	case pair[int, string]:
		return cmp.Compare(a.key, b.(pair[int, string]).key)
	}
	return 0
}
