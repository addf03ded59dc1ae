package silent

import (
	"fmt"
	"math/big"
	"os"
	"strings"
)

type row struct{ cells []string }

func kept(lines []string) (rows [][]string, all []row) {
	for _, line := range lines {
		cells := make([]string, 0, 8) // alloc
		cells = append(cells, strings.Fields(line)...)
		rows = append(rows, cells)
	}
	for _, line := range lines {
		var r []string
		r = append(r, line) // alloc
		all = append(all, row{r})
	}
	return rows, all
}

func later(lines []string) (fs []func() int) {
	for _, line := range lines {
		seen := make(map[rune]bool) // alloc
		for _, r := range line {
			seen[r] = true
		}
		fs = append(fs, func() int { return len(seen) })
	}
	return fs
}

func told(lines []string) (n int) {
	for _, line := range lines {
		var b []byte
		if len(line) > 2 {
			b = append(b, line...) // alloc
		}
		if b != nil {
			n++
		}
	}
	return n
}

func further(lines []string, sizes []int) (n int) {
	for i, line := range lines {
		b := make([]byte, 0, 64) // alloc
		b = append(b, line...)
		for _, c := range b[:cap(b)] {
			n += int(c)
		}
		// Its size may be negative.
		c := make([]byte, sizes[i]) // alloc
		n += copy(c, b)
	}
	return n
}

func named(lines []string) (n int) {
	for _, line := range lines {
		b := make([]byte, 0, 64) // alloc
		b = append(b, line...)
		n += len(b)
	}
	b := n
	return b
}

func passed(lines []string, each func([]byte)) {
	for _, line := range lines {
		b := make([]byte, 0, 64) // alloc
		b = append(b, line...)
		each(b)
	}
}

func inner(lines []string) (all []*byte) {
	for _, line := range lines {
		b := make([]byte, 0, 64) // alloc
		b = append(b, line...)
		all = append(all, &b[0])
	}
	return all
}

func once(lines []string) int {
	for _, line := range lines {
		b := make([]byte, 0, 64) // alloc
		b = append(b, line...)
		return len(b)
	}
	return 0
}

var defaults = append(make([]string, 0, 8), "a")

// The next iteration would write to the array of defaults.
func others(lines []string) (n int) {
	for _, line := range lines {
		var words []string
		words = append(words, line) // alloc
		if n > 0 {
			words = defaults
		}
		n += len(words)
	}
	return n
}

func numbers(rows [][]byte, base *big.Int) (all []*big.Int, least *big.Int) {
	for _, row := range rows {
		x := new(big.Int).SetBytes(row) // alloc
		all = append(all, x)
	}
	for _, row := range rows {
		x := new(big.Int).SetBytes(row) // alloc
		if y := x.Add(x, base); y.Sign() > 0 {
			least = y
		}
	}
	for _, row := range rows {
		x := new(big.Int).SetBytes(row) // alloc
		fmt.Println(x)
		// It may be nil.
		y := new(big.Int).Exp(x, base, base) // alloc
		if y.Sign() > 0 {
			x.Set(y)
		}
		z, ok := new(big.Int).SetString(string(row), 10) // alloc
		if ok && z.Sign() > 0 {
			defer func() { fmt.Println(z) }()
		}
		words := new(big.Int).SetBytes(row) // alloc
		for _, w := range words.Bits() {
			fmt.Println(w)
		}
	}
	return all, least
}

type point struct{ x, y int }

func sets(xs []int) (all [][]int, best []int, points []point) {
	var last, next, held []int
	for _, x := range xs {
		last = []int{x} // alloc
		all = append(all, last)
		for _, y := range next {
			next = []int{x, y} // alloc
		}
		points = []point{{x, x}} // alloc
		held = []int{x}          // alloc
	}
	f := func() int { return len(held) }
	for _, x := range xs {
		best = []int{x + f()} // alloc
		break
	}
	return all, best, points
}

func written(lines []byte, f *os.File) {
	var last []byte
	for _, c := range lines {
		last = []byte{c, '\n'} // alloc
		defer f.Write(last)
	}
}
