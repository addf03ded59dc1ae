package rules

import (
	"fmt"
	"strings"
)

// shiftLoopCore moves elements of a slice by a constant distance.
func shiftLoopCore(g *gen) core {
	typ, xs := "[]int", g.some("[]int", "in.Nums()")
	switch g.pick(5) {
	case 0:
		typ, xs = "[]string", g.strs()
	case 1:
		typ, xs = "[]pair", g.some("[]pair", "in.Pairs()")
	case 2:
		typ, xs = "[]byte", g.some("[]byte", "in.Bytes()")
	}
	k := g.small()
	pre := ""
	if g.pick(3) == 0 {
		k = g.one("0", "1", "2")
	} else if g.pick(2) == 0 {
		pre = "if " + k + " < 0 {\nreturn nil\n}\n"
	}
	i := g.name("i")
	loop := g.one(
		"for I := K; I < len(X)-1; I++ {\nX[I] = X[I+1]\n}\n",
		"for I := K + 1; I < len(X); I++ {\nX[I-1] = X[I]\n}\n",
		"for I := len(X) - 1; I > K; I-- {\nX[I] = X[I-1]\n}\n",
		"for I := len(X) - 1; I >= K; I-- {\nX[I] = X[I-1]\n}\n",
		"for I := len(X) - 3; I >= K; I-- {\nX[I+2] = X[I]\n}\n",
		"for I := K; I <= len(X)-3; I++ {\nX[I] = X[2+I]\n}\n",
		"for I := K; I+1 < N; I++ {\nX[I] = X[I+1]\n}\n",
		"for I := N; I > K; I-- {\nX[I] = X[I-1]\n}\n",
		"for I := K; I < len(X)-2; I++ {\nX[I] = X[I+1]\n}\n",
		"for I := len(X) - 2; I > K; I-- {\nX[I] = X[I-1]\n}\n",
		"for I := K; I < len(X); I++ {\nX[I-1] = X[I]\n}\n",
		"for K := range X {\nif K == 1 {\nfor I := K; I < len(X)-1; I++ {\nX[I] = X[I+1]\n}\n}\n}\n",
	)
	if strings.Contains(loop, "range") {
		k = g.name("k")
	}
	n := ""
	if strings.Contains(loop, "N") {
		n = g.small()
	}
	loop = strings.NewReplacer("I", i, "K", k, "X", xs, "N", n).Replace(loop)
	if pre != "" {
		return core{result: typ, body: pre + loop + "r = " + xs + "\n", keep: true}
	}
	if g.odd(8, "alias") {
		whole := g.name("whole")
		return core{result: typ, pre: fmt.Sprintf("%s := %s\nnote(\"%%d\", len(%s))\n", whole, xs, whole), body: loop + "r = " + whole + "\n"}
	}
	return core{result: typ, body: loop + "r = " + xs + "\n"}
}
