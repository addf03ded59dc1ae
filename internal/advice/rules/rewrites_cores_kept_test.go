package rules

import (
	"fmt"
	"strings"
)

// keptCore is a loop whose iterations make a slice or map.
func keptCore(g *gen) core {
	c := core{result: "int"}
	x := g.name("x")
	var body string
	switch g.pick(10) {
	case 6, 7:
		body = g.bigNumber(x)
	case 8, 9:
		return g.lastLiteral(x)
	case 0:
		body = fmt.Sprintf("%s := %s\n", x, g.one("make(map[string]int)", "map[string]int{}", "make(map[string]int, 8)", "make(map[string]int, len("+g.str()+"))"))
		for range 1 + g.pick(3) {
			body += g.one(
				fmt.Sprintf("%s[%s] += %s\n", x, g.str(), g.int()), fmt.Sprintf("%s[%s]++\nr += len(%[1]s)\n", x, g.str()), fmt.Sprintf("for _, n := range %s {\nr += n\n}\n", x),
				fmt.Sprintf("delete(%s, %s)\n", x, g.str()), fmt.Sprintf("if _, ok := %s[%s]; ok {\nr++\n}\n", x, g.str()), fmt.Sprintf("gm = %s\n", x), fmt.Sprintf("if %s == nil {\nr++\n}\n", x),
			)
		}
	case 1, 2:
		size := g.one("8", "len("+g.str()+")", "1+len("+g.str()+")", g.small())
		body = fmt.Sprintf("%s := make([]int, %s)\n", x, size)
		for range 1 + g.pick(3) {
			body += g.one(
				fmt.Sprintf("for i := range %s {\n%[1]s[i] += i + %[2]s\n}\n", x, g.int()), fmt.Sprintf("r += len(%s) + cap(%[1]s)\n", x), fmt.Sprintf("r += %s[1]\n", x),
				fmt.Sprintf("for _, n := range %s[:2] {\nr += n\n}\n", x), fmt.Sprintf("%s[0]++\n", x), fmt.Sprintf("%s = append(%[1]s, %s)\n", x, g.int()), fmt.Sprintf("%s = %[1]s[1:]\n", x),
				fmt.Sprintf("note(\"%%v\", %s)\n", x),
			)
		}
	default:
		body = fmt.Sprintf("%s := %s\n", x, g.one("make([]byte, 0, 16)", "[]byte{}", "make([]byte, 0)", "make([]byte, 0, len("+g.str()+"))", "[]byte(nil)"))
		if g.pick(3) == 0 {
			body = fmt.Sprintf("var %s []byte\n", x)
		}
		for range 1 + g.pick(3) {
			body += g.one(
				fmt.Sprintf("%s = append(%[1]s, %s...)\n", x, g.str()), fmt.Sprintf("%s = append(%[1]s, %s...)\nr += len(%[1]s)\n", x, g.bytes()), fmt.Sprintf("note(\"%%q\", string(%s))\n", x),
				fmt.Sprintf("gb = append(gb, %s...)\n", x), fmt.Sprintf("for _, b := range %s {\nr += int(b)\n}\n", x), fmt.Sprintf("if len(%s) > 1 {\n%[1]s = %[1]s[1:]\n}\n", x),
				fmt.Sprintf("gb = %s\n", x), fmt.Sprintf("for _, b := range %s[:cap(%[1]s)] {\nr += int(b)\n}\n", x), fmt.Sprintf("if %s == nil {\nr++\n}\n", x), fmt.Sprintf("r += cap(%s)\n", x),
				fmt.Sprintf("%s = effB(%[1]s)\n", x), fmt.Sprintf("defer func() { note(\"%%q\", %s) }()\n", x), fmt.Sprintf("%s = %[1]s[:len(%[1]s)+1]\n", x),
			)
		}
	}
	if g.odd(15, "end") {
		body += "if " + g.bool() + " {\n" + g.one("continue\n", "break\n", "return\n") + "}\n"
	}
	c.body = g.loop(func(string) string { return body })
	return c
}

// bigNumber is an iteration that makes a big.Int and calculates with it.
func (g *gen) bigNumber(x string) string {
	n, p := g.some("*big.Int", "big.NewInt(int64(in.Int()))"), x
	body := fmt.Sprintf("%s := %s\n", x, g.one(
		"new(big.Int)", "big.NewInt(0)", "&big.Int{}", "big.NewInt(int64("+g.int()+"))", "new(big.Int).SetBytes("+g.bytes()+")", "new(big.Int).Add("+n+", "+n+")", "new(big.Int).Neg("+n+")",
		"new(big.Int).Quo("+n+", big.NewInt(int64("+g.int()+")))",
	))
	if g.pick(4) == 0 {
		body, p = fmt.Sprintf("var %s big.Int\n", x), "&"+x
	}
	for range 1 + g.pick(4) {
		body += strings.NewReplacer("X", x, "P", p, "N", n).Replace(g.one(
			"X.Mul(P, N)\n", "r += int(X.Int64())\n", "r += len(X.String())\n", "N.DivMod(N, big.NewInt(7), P)\n", "N.Add(N, P)\n", "if X.Cmp(N) > 0 {\nr++\n}\n", "X.Lsh(P, 70)\n", "X.SetInt64(int64("+g.int()+"))\n",
			"X.Quo(N, P)\n", "X.Set(N)\n", "r += len(X.Bits())\n", "y := X.Add(P, N)\nr += int(y.Int64())\n", "N = P\n", "note(\"%v\", P)\n", "defer func() { note(\"%s\", X.String()) }()\n", "r += X.Sign() + X.BitLen()\n", "X.Rsh(N, 1)\n",
		))
	}
	return body
}

// lastLiteral has a loop that sets a slice to new literals, and may keep the old ones.
func (g *gen) lastLiteral(x string) core {
	c := core{result: "int", keep: g.pick(2) == 0}
	loop := g.loop(func(string) string {
		var body strings.Builder
		for range 1 + g.pick(3) {
			body.WriteString(strings.NewReplacer("X", x, "I", g.int(), "J", g.int()).Replace(g.one(
				"X = []int{I}\n", "X = []int{I, J}\n", "if I > J {\nX = []int{I}\n} else {\nX = append(X, J)\n}\n", "X = []int{len(X), I}\n", "if len(X) > 1 {\nX = []int{X[1], X[0]}\n}\n", "r += len(X)\n",
				"for _, n := range X {\nr += n\nX = []int{n, I}\n}\n", "y := X\ndefer func() { note(\"%v\", y) }()\n", "r += cap(X)\n", "if len(X) > 0 {\nX[0]++\n}\n", "X = X[1:]\n", "X = nil\n", "note(\"%v\", X)\n", "if X == nil {\nr += 3\n}\n",
				"func() { X = append(X, I) }()\n",
			)))
		}
		if g.odd(15, "end") {
			body.WriteString("if " + g.bool() + " {\n" + g.one("continue\n", "break\n", "return len("+x+")\n") + "}\n")
		}
		return body.String() + x + " = []int{" + g.int() + "}\n"
	})
	c.body = g.one("var "+x+" []int\n", x+" := []int{"+g.int()+"}\n", x+" := make([]int, 0, 4)\n", x+" := "+g.nums()+"\n") + loop + g.one("for _, n := range "+x+" {\nr += n\n}\n", "r += len("+x+")\n", "note(\"%v\", "+x+")\n")
	return c
}
