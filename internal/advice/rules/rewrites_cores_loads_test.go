package rules

import (
	"fmt"
	"strings"
)

// loadsCore is a loop that loads slices and numbers through pointers and elements again and again, and may change what leads
// there.
func loadsCore(g *gen) core {
	c := core{result: "int"}
	p, h, i := g.some("*rec", "in.Rec()"), g.host(), g.name("i")
	k := g.small()
	lists := []string{p + ".tags", h + ".xs", p + ".next.tags", h + ".b", p + ".next.next.tags"}
	switch g.pick(4) {
	case 1:
		lists = append(lists, g.some("[][]int", "[][]int{in.Nums(), in.Nums()}")+"["+k+"]", g.some("[]*rec", "[]*rec{in.Rec(), in.Rec()}")+"["+k+"].tags")
	case 2:
		rows := g.some("[][]int", "[][]int{in.Nums(), in.Nums()}")
		c.pre, k = fmt.Sprintf("for %s := range %s {\n", k, rows), "0"
		lists = append(lists, rows+"["+strings.Fields(c.pre)[1]+"]")
		c.post = "}\n"
	}
	list := func() string { return lists[g.pick(len(lists))] }
	numbers := []string{h + ".n", p + ".id", p + ".next.id", "len(" + h + ".s)", "len(" + p + ".pair.a)", p + ".n"}
	number := func() string { return numbers[g.pick(len(numbers))] }
	var body strings.Builder
	for range 1 + g.pick(3) {
		at := list()
		body.WriteString(g.one(
			fmt.Sprintf("r += len(%s) + len(%[1]s[%s:])\n", at, i), fmt.Sprintf("for j := range %s {\nr += j + len(%[1]s)\n}\n", at), fmt.Sprintf("r += %s + %s\n", number(), number()),
			fmt.Sprintf("if %s < len(%s) {\nr += len(%[2]s[%[1]s:])\n}\n", i, at), fmt.Sprintf("r += %s * len(%s)\n", number(), at), fmt.Sprintf("if r > %s {\nr -= %[1]s + len(%s)\n}\n", number(), at),
			fmt.Sprintf("r += func() int { return len(%s) }() + len(%[1]s)\n", at),
		))
	}
	if g.odd(40, "change") {
		body.WriteString(g.one(
			h+".n++\n", h+".xs = nil\n", p+".next = nil\n", p+".tags = append("+p+".tags, \"x\")\n", p+" = "+p+".next\n", h+".b = "+h+".b[:0]\n", "touch()\n", "r += effN(r & 3)\n", "gxs = nil\n",
			"r += "+h+".bump() & 3\n", p+".id, "+p+".pair.n = r & 7, r & 3\n", "if q := &"+h+".n; r > 2 {\n*q = 1\n}\n", "if len("+h+".b) > 0 {\n"+h+".b[0] = 1\n}\n", k+"++\n", "*"+p+" = rec{}\n",
			"func() { "+p+" = nil }()\n", "if q := &"+p+"; r > 1 {\n*q = &rec{}\n}\n", h+".s += \"s\"\n",
		))
	}
	if g.odd(20, "end") {
		body.WriteString("if " + g.bool() + " {\n" + g.one("continue\n", "break\n") + "}\n")
	}
	head := g.one(
		"I := 0; I < "+g.small()+"; I++", "I := range "+g.small(), "I := 0; I < min(4, len("+list()+")); I++", "I := 0; I < len("+list()+") && I < 5; I++", "I := range "+list(), "I := range "+g.strs(),
		"I := 0; I < 5 && I < len("+list()+"); I++", "I := range effN(2) & 3", "I, n := 0, "+number()+"; I < n && I < 4; I++", "I := range garray",
	)
	c.body = "for " + strings.ReplaceAll(head, "I", i) + " {\n" + body.String() + "_ = " + i + "\n}\n"
	if c.post != "" {
		c.body, c.pre, c.post = c.pre+c.body+c.post, "", ""
	}
	if g.pick(2) == 0 { // otherwise, few loops go through their pointers first
		c.pre = fmt.Sprintf("r += %s.n + %s.id\n", h, p)
	} else if g.odd(50, "before") {
		c.pre = g.one("if "+p+" == nil {\nreturn 0\n}\n", "r += len("+p+".tags)\n", "if "+h+".n > 3 {\nreturn 1\n}\n", "if len("+p+".next.tags) > 2 {\nreturn 2\n}\n")
	}
	return c
}

// storesCore is a loop that changes a field in each iteration, and that may look at it in other ways.
func storesCore(g *gen) core {
	c := core{result: "int"}
	p, h, i := g.some("*rec", "in.Rec()"), g.host(), g.name("i")
	field := g.one(h+".n", p+".id", p+".pair.n", p+".next.id", g.some("[]*rec", "[]*rec{in.Rec(), in.Rec()}")+"["+g.one("0", "1")+"].id")
	change := func() string {
		return g.one(field+" += "+i+"\n", field+"++\n", field+" = "+field+"*3 + "+i+"\n", field+" ^= "+g.some("int", "in.Int()")+"\n", "r += "+field+"\n", "if "+field+" > 9 {\n"+field+" = 0\n}\n")
	}
	var body strings.Builder
	for range 1 + g.pick(3) {
		body.WriteString(change())
	}
	if g.odd(30, "look") {
		body.WriteString(g.one(
			"r += effN(r & 3)\n", "touch()\n", "r += "+h+".bump() & 3\n", p+".next = nil\n", p+" = "+p+".next\n", "if q := &"+field+"; r > 3 {\n*q = 1\n}\n", "*"+p+" = rec{}\n",
			"r += func() int { return "+field+" }()\n", "defer func() { note(\"%d\", "+field+") }()\n", h+".n, "+p+".id = "+p+".id, "+h+".n\n", "note(\"%d\", "+field+")\n", "if x := *"+p+"; x.id > 3 {\nr++\n}\n",
			"*"+g.some("*int", "new(int)")+" = 2\n",
		))
	}
	if g.odd(25, "end") {
		body.WriteString("if r > 3 {\n" + g.one("continue\n", "break\n", "return\n", "note(\"%d\", "+field+")\nbreak\n", field+" = 7\nbreak\n", "panic(\"three\")\n") + "}\n")
	}
	if g.odd(20, "panic") {
		body.WriteString("r += len(" + g.strs() + "[" + i + "])\n")
	}
	body.WriteString(change())
	head := g.one("I := 0; I < "+g.small()+"; I++", "I := range "+g.small(), "I := range "+g.strs(), "I := 0; I < 5 && "+field+" < 90; I++", "I := range "+field+" & 3", "_, I := range "+g.nums())
	c.body = "for " + strings.ReplaceAll(head, "I", i) + " {\n" + body.String() + "_ = " + i + "\n}\nr += " + field + "\n"
	if g.odd(25, "before") {
		c.pre = g.one("if "+p+" == nil {\nreturn 0\n}\n", "r += "+field+"\n")
	}
	return c
}
