package rules

import (
	"fmt"
	"strings"
)

// adjacentCore uses neighbouring elements of a slice or string, and may change what leads to them.
func adjacentCore(g *gen) core {
	c := core{result: "int"}
	xs, n := g.name("xs"), g.name("n")
	typ := g.one("[]int", "[]int", "string", "[]byte")
	value := map[string]string{"[]int": g.one(g.nums(), "make([]int, 8)", "append("+g.nums()+", 1, 2, 3, 4, 5)"), "string": g.one(g.str(), g.str()+` + "a text"`), "[]byte": g.one(g.bytes(), "make([]byte, 9)")}[typ]
	c.pre = fmt.Sprintf("%s, %s := %s, %s\n", xs, n, value, g.one("0", g.small(), g.int()))
	index := func() string {
		return xs + "[" + g.one(n, n+"+1", n+"+2", n+"+3", n+"-1", "2+"+n, n+"+1+1", "("+n+"+4)", "2*"+n+"+1", "2*"+n, "1", n+"*2+3") + "]"
	}
	for _, at := range []string{"", "+1", "+2", "+3"} {
		c.body += fmt.Sprintf("r += int(%s[%s%s])\n", xs, n, at)
	}
	var more strings.Builder
	for range g.pick(5) {
		set := "r ^= int(" + index() + ")\n"
		if typ != "string" {
			set = index() + " = " + index() + "\n"
		}
		more.WriteString(g.one("r += int("+index()+") * int("+index()+")\n", set, set, "note(\"%d\", r)\n"))
		if g.odd(25, "change") {
			more.WriteString(g.one(
				n+"++\n", xs+" = "+xs+"[1:]\n", xs+" = nil\n", "r += effN(r & 3)\n", n+", r = r & 1, int("+index()+")\n", "if r > 3 {\n"+n+"++\n}\n", "if r > 5 {\nreturn\n}\n", "func() { "+n+"++ }()\n",
				"if p := &"+n+"; r > 2 {\n*p = 1\n}\n", "r += func() int { return int("+index()+") }()\n", "if r > 1 && "+index()+" > 3 {\nr++\n}\n", "touch()\n",
			))
		}
	}
	c.body += more.String()
	if typ == "string" {
		c.body = strings.ReplaceAll(c.body, xs+" = nil\n", xs+" = \"\"\n")
	}
	if g.pick(3) == 1 {
		c.body = "for i := 0; i < 4 && " + n + "+6 <= len(" + xs + "); i, " + n + " = i+1, " + n + "+2 {\n" + c.body + "}\n"
	}
	return c
}
