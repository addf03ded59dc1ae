package waits

import "testing"

func BenchmarkSum(b *testing.B) {
	items := make([]int, 100000)
	for b.Loop() {
		sum(items)
	}
}

func BenchmarkSumInChunks(b *testing.B) {
	items := make([]int, 100000)
	for b.Loop() {
		sumInChunks(items)
	}
}
