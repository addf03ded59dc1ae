package waits

import (
	"fmt"
	"io"
	"sync"
	"testing"
)

func parallel(b *testing.B, run func(i int)) {
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			run(i)
		}
	})
}

func BenchmarkLogger(b *testing.B) {
	l := &logger{out: io.Discard}
	parallel(b, func(i int) { l.log("a line of text") })
}

func BenchmarkTable(b *testing.B) {
	t := new(table)
	for i := range 1000 {
		t.add(fmt.Sprint("row ", i))
	}
	parallel(b, func(i int) { t.has("row 990") })
}

func BenchmarkServer(b *testing.B) {
	s := &server{hits: make(map[int]int), conns: make(map[int]string)}
	parallel(b, func(i int) {
		if i%2 == 0 {
			s.hit(i % 1000)
		} else {
			s.open(i%1000, "name")
		}
	})
}

func BenchmarkCache(b *testing.B) {
	c := &cache{values: make(map[int]int)}
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			for i := range b.N {
				c.get(4*i + w)
			}
		})
	}
	workers.Wait()
}
