package loops

import (
	"bytes"
	"math/big"
	"sort"
	"strconv"
	"strings"
)

func joined(rows [][]int) []string {
	var out []string
	for _, row := range rows {
		// want A: Each iteration of the loop at line 13 makes a new slice buf
		buf := make([]byte, 0, 64) // alloc
		for _, n := range row {
			buf = strconv.AppendInt(buf, int64(n), 10)
			buf = append(buf, ' ')
		}
		out = append(out, string(buf))
	}
	return out
}

func distinct(rows [][]string) (n int) {
rows:
	for _, row := range rows {
		// want A: a new map seen
		seen := make(map[string]bool, len(row)) // alloc
		for _, s := range row {
			if seen[s] {
				continue rows
			}
			seen[s] = true
		}
		n += len(seen)
	}
	return n
}

func sorted(rows map[string][]string, out *bytes.Buffer) {
	for key, row := range rows {
		var keys []string
		for _, s := range row {
			// want A: slice keys
			keys = append(keys, key+s) // alloc
		}
		sort.Strings(keys)
		out.WriteString(strings.Join(keys, ","))
	}
}

func histogram(rows [][]byte) (most int) {
	for _, row := range rows {
		// want A: slice counts
		counts := make([]int, len(row)+1) // alloc
		for _, b := range row {
			counts[int(b)%len(counts)]++
		}
		for _, n := range counts {
			most = max(most, n)
		}
	}
	return most
}

func copied(rows [][]byte) (sum int) {
	for _, row := range rows {
		// want A: slice block
		block := make([]byte, 4096) // alloc
		n := copy(block, row)
		for _, b := range block[:n] {
			sum += int(b)
		}
	}
	return sum
}

func digits(n *big.Int) (out []int64) {
	radix := big.NewInt(58)
	for n.Sign() > 0 {
		// want A: a new number mod and drops it. Declared before the loop and set in each iteration
		mod := new(big.Int) // alloc
		n.DivMod(n, radix, mod)
		out = append(out, mod.Int64())
	}
	return out
}

func products(rows [][]byte, m *big.Int) (sum int) {
	for i, row := range rows {
		// want A: a new number x
		x := new(big.Int).SetBytes(row) // alloc
		// want A: a new number y
		y := big.NewInt(int64(i)) // alloc
		// want A: a new number z
		var z big.Int // alloc
		x.Mul(x, y)
		z.Mod(x, m)
		sum += len(z.Bytes()) + x.Cmp(&z)
	}
	return sum
}

func nearest(xs []float64, x float64) (best []int) {
	least := 0.0
	for i, v := range xs {
		d := max(v-x, x-v)
		switch {
		case len(best) == 0:
			best = []int{i}
			least = d
		case d < least:
			least = d
			// want A: sets best to a new slice, and nothing needs the old one
			best = []int{i} // alloc
		case d == least:
			best = append(best, i)
		}
	}
	return best
}

func values(input []byte, key string) (out int) {
	i, l := 1, len(input)
	for i < l && input[i] != '}' {
		state := 1
		k := make([]byte, 0)
		for ch := input[i]; i < l && state != 4; ch = input[i] {
			switch state {
			case 1:
				state = 2
			case 2:
				if ch == '"' {
					state = 4
				} else {
					// want A: a new slice k
					k = append(k, byte(ch)) // alloc
				}
			}
			i++
		}
		if key == string(k) {
			return i
		}
	}
	return out
}
