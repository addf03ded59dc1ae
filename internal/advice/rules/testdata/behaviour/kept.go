package kept

import (
	"fmt"
	"math/big"
	"strings"
)

func base58(n *big.Int) string {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	radix, text := big.NewInt(58), ""
	for n.Sign() > 0 {
		mod := new(big.Int)
		n.DivMod(n, radix, mod)
		text = string(digits[mod.Int64()]) + text
	}
	return text
}

func hashes(texts []string, m *big.Int) (sum uint64) {
	for i, text := range texts {
		x := new(big.Int).SetBytes([]byte(text))
		y := big.NewInt(int64(i))
		var z big.Int
		x.Mul(x, x)
		z.Add(x, y)
		z.Mod(&z, m)
		sum += z.Uint64()
	}
	return sum
}

func nearest(xs []int, x int) (best []int) {
	for i, v := range xs {
		switch {
		case len(best) == 0 || max(v-x, x-v) < max(xs[best[0]]-x, x-xs[best[0]]):
			best = []int{i}
		case max(v-x, x-v) == max(xs[best[0]]-x, x-xs[best[0]]):
			best = append(best, i)
		}
	}
	return best
}

func path(dirs []string) string {
	all := "end"
	for i, d := range dirs {
		if i == 2 {
			all = "/" + all
		}
		if d == "stop" {
			break
		}
		all = d + "é." + all
	}
	return all
}

func second(line string) string {
	if strings.SplitN(line, ",", 3)[1] == "" {
		return "none"
	}
	part := strings.Split(line, ",")[1]
	return "<" + part + ">"
}

func pixels(pix []int, i int) (sum int) {
	for ; i+4 <= len(pix); i += 3 {
		// says: index checked
		sum += pix[i] * pix[i+1]
		pix[i+2] = sum - pix[i+3]
		sum += pix[i+2]
	}
	return sum
}

func Run() string {
	var out []string
	add := func(x ...any) { out = append(out, fmt.Sprintln(x...)) }
	for _, text := range []string{"", "a", "a longer text that is more than one word long", "\x00\xff"} {
		add(base58(new(big.Int).SetBytes([]byte(text))), hashes([]string{text, "", "b", text + text}, big.NewInt(1_000_003)))
	}
	add(nearest(nil, 1), nearest([]int{5, 9, 3, 4, 2, 3}, 3), nearest([]int{1, 2}, 7))
	add(path(nil), path([]string{"a"}), path([]string{"a", "", "béc", "d"}), path([]string{"a", "stop", "c"}))
	for _, line := range []string{"a,b", ",", "a,,c", "a,b,c,d"} {
		add(second(line))
	}
	pix := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	add(pixels(pix, 0), pix, pixels(nil, 0), pixels(pix[:4], 0))
	return strings.Join(out, "")
}
