// Package numbers computes with numbers.
package numbers

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
)

type span struct{ low, high float64 }

func join(a, b *span) span {
	return span{math.Min(a.low, b.low), math.Max(a.high, b.high)}
}

func within(n, size int) int {
	return int(math.Max(0, math.Min(float64(n), float64(size-1))))
}

func largest(xs []float64) float64 {
	most := math.Inf(-1)
	for _, x := range xs {
		most = math.Max(most, x)
	}
	return most
}

func distance(a, b *span, n int) (float64, float64) {
	return math.Sqrt(math.Pow(a.low-b.low, 2) + math.Pow(a.high-b.high, 2)), math.Pow(2, float64(n))
}

func steps(n int) (out []int) {
	defer func() {
		if err := recover(); err != nil {
			out = append(out, -1)
		}
	}()
	row := make([]int, n)
	for i := range row {
		row[i] += i * i
	}
	row = append(row, len(row), cap(row))
	return append(out, row...)
}

func lines(r io.Reader) (n int) {
	buf := make([]byte, 1024)
	for {
		m, err := r.Read(buf)
		n += bytes.Count(buf[:m], []byte("\n")) + int(buf[1000])
		if err != nil {
			return n
		}
	}
}

func spans(xs []float64, keep func(*span) bool) (all []*span) {
	for _, x := range xs {
		// says: &span{...} escapes to heap
		s := &span{x, x + 1}
		if keep(s) {
			all = append(all, s)
		}
	}
	for i := range all {
		// says: new(span) escapes to heap
		all[i] = new(span)
		all[i].low = float64(i)
	}
	return all
}

func Run() string {
	var out strings.Builder
	for _, s := range spans([]float64{1, -1, 3}, func(s *span) bool { return s.low > 0 }) {
		fmt.Fprintln(&out, *s)
	}
	for _, n := range []int{-1, 0, 3, 31, 32, 33, 500} {
		fmt.Fprintln(&out, steps(n))
	}
	for n := range 5 {
		fmt.Fprintln(&out, lines(strings.NewReader(strings.Repeat("a line\n", n*300))))
	}
	for _, n := range []int{math.MinInt, -1, 0, 1, 9, 10, math.MaxInt} {
		fmt.Fprintln(&out, within(n, 10))
	}
	for _, xs := range [][]float64{nil, {1}, {1, math.NaN()}, {math.Inf(1), 2}, {math.Copysign(0, -1), 0}} {
		fmt.Fprintln(&out, largest(xs))
	}
	for _, n := range []int{math.MinInt, -1100, -1074, -1, 0, 10, 1023, 1024, math.MaxInt} {
		d, power := distance(&span{1, 2}, &span{-3, 5}, n)
		fmt.Fprintln(&out, n, d, power)
	}
	for _, a := range []float64{0, -1, 1e300, math.Inf(-1)} {
		fmt.Fprintln(&out, join(&span{a, a + 1}, &span{-a, a * 2}))
	}
	return out.String()
}
