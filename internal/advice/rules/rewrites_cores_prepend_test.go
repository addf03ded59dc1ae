package rules

import "fmt"

// prependCore has a loop that prepends to a slice.
func prependCore(g *gen) core {
	out := g.name("out")
	elem := g.one("int", "string", "*pair")
	c := core{result: "[]" + elem, keep: true}
	c.pre = g.one(out+" := []"+elem+"{}\n", "var "+out+" []"+elem+"\n", out+" := make([]"+elem+", 0)\n", out+" := []"+elem+"(nil)\n")
	if g.odd(10, "defer") {
		c.pre += "defer func() { note(\"at the end %d\", len(" + out + ")) }()\n"
	}
	c.body = g.loop(func(x string) string {
		n := x
		switch {
		case g.odd(8, "panic"):
			n = "next()"
		case g.odd(8, "effect"):
			n = "effN(" + x + ")"
		case g.odd(10, "inside"):
			n = "len(" + out + ")+" + x
		}
		value := map[string]string{"int": n, "string": "string(rune('a'+(" + n + ")%20))", "*pair": "&pair{n: " + n + "}"}[elem]
		early := ""
		if g.odd(6, "early") {
			early = "if " + x + " == 3 {\n" + g.one("continue\n", "break\n", "return nil\n", "panic(\"three\")\n", "return "+out+"\n", "return\n") + "}\n"
		}
		if g.odd(12, "inside") {
			early += g.one("note(\"%d\", len("+out+"))\n", "if len("+out+") > 0 {\nnote(\"%v\", "+out+"[0] == "+out+"[len("+out+")-1])\n}\n")
		}
		return early + g.one(
			fmt.Sprintf("%[1]s = append([]%[2]s{%[3]s}, %[1]s...)\n", out, elem, value),
			fmt.Sprintf("%[1]s = append([]%[2]s{%[3]s}, %[1]s...)\n", out, elem, value),
			fmt.Sprintf("%[1]s = slices.Insert(%[1]s, 0, %[3]s)\n", out, elem, value),
		)
	})
	if g.odd(10, "nil") {
		c.post = "note(\"nil %v\", " + out + " == nil)\n"
	}
	if g.odd(10, "capacity") {
		c.post += g.one("note(\"%v\", cap("+out+") > 0)\n", "a := append("+out+", "+out+"...)\nb := append("+out+", "+out+"...)\nif len(a) > 1 {\na[len(a)-1] = a[0]\n}\nnote(\"%d %d\", len(a), len(b))\n")
	}
	c.post += "r = " + out + "\n"
	if g.odd(6, "result") {
		c.body = "r = r[:0:0]\n" + c.body
	}
	return c
}

// sumCore appends slices to a slice, one after the other.
func sumCore(g *gen) core {
	out := g.name("out")
	typ := g.one("[]int", "[]string", "[]byte")
	c := core{result: typ, keep: g.pick(2) == 0}
	part := func() string {
		switch typ {
		case "[]int":
			return g.nums() + "..."
		case "[]string":
			return g.strs() + g.one("...", "...", "[1:]...")
		}
		return g.one(g.bytes(), g.str()) + "..."
	}
	c.body = g.one("var "+out+" "+typ+"\n", "var "+out+" "+typ+"\n", out+" := "+typ+"{}\n", out+" := make("+typ+", 0)\n", out+" := "+typ+"(nil)\n")
	appends := 2 + g.pick(2)
	if g.pick(2) == 1 {
		c.body = g.startOfSum(out, typ, part)
		appends = 1 + g.pick(2)
	}
	for range appends {
		c.body += fmt.Sprintf("%s = append(%s, %s)\n", out, out, part())
		if g.odd(6, "element") {
			c.body += fmt.Sprintf("%s = append(%s, %s)\n", out, out, map[string]string{"[]int": g.int(), "[]string": g.str(), "[]byte": "byte(" + g.int() + ")"}[typ])
		}
	}
	if g.odd(8, "capacity") {
		c.body += "note(\"%v\", cap(" + out + ") > 3)\n"
	}
	if g.odd(6, "nil") {
		c.body += "note(\"nil %v\", " + out + " == nil)\n"
	}
	c.body += "r = " + out + "\n"
	return c
}

// startOfSum declares a slice with elements, or with what is appended to nothing, and sets some of them.
func (g *gen) startOfSum(out, typ string, part func() string) string {
	element := func() string {
		switch typ {
		case "[]int":
			return g.int()
		case "[]string":
			return g.str()
		}
		return "byte(" + g.int() + ")"
	}
	value := ""
	switch g.pick(7) {
	case 0:
		value = typ + "{" + element() + "}"
	case 1:
		value = typ + "{" + element() + ", " + element() + "}"
	case 2:
		value = "append(" + typ + "{}, " + part() + ")"
	case 3:
		value = "append(" + typ + "(nil), " + part() + ")"
	case 4:
		value = "append(" + typ + "{" + element() + "}, " + part() + ")"
	case 5:
		value = "append(append(" + typ + "(nil), " + element() + "), " + part() + ")"
	default:
		value = "make(" + typ + ", " + g.one("2", "len("+g.nums()+")", "len("+g.nums()+")-1", g.small()) + ")"
	}
	text := out + " := " + value + "\n"
	if g.pick(2) == 1 {
		text += g.one("copy("+out+", "+out+")\n", out+"[0] = "+element()+"\n", "copy("+out+"[1:], "+typ+"{"+element()+"})\n", "p := &"+out+"[0]\n*p = "+element()+"\ndefer func() { note(\"%v\", *p) }()\n", "touch()\n")
	}
	return text
}
