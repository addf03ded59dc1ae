package hotlines

import (
	"fmt"
	"testing"
)

func BenchmarkAll(b *testing.B) {
	numbers := make([]int, 4096)
	words := make([]string, 512)
	counts := make(map[int]int)
	for i := range numbers {
		numbers[i] = i * 31 % 4096
		counts[i] = i
	}
	for i := range words {
		words[i] = fmt.Sprint(i * 7919 % 512)
	}
	for b.Loop() {
		Total(numbers, 64, 64, squares{1})
		Mix(numbers)
		Shares(counts, numbers)
		var root *Node
		for _, w := range words {
			root = Insert(root, w)
		}
	}
}
