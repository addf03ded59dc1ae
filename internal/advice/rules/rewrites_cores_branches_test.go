package rules

import "fmt"

// branchCore has a variable whose address is taken in a branch.
func branchCore(g *gen) core {
	x := g.name("x")
	c := core{result: "*pair", keep: true}
	seen := g.name("seen")
	c.pre = "var " + seen + " []*pair\n"
	c.post = fmt.Sprintf("note(\"%%d\", len(%[1]s))\nfor _, p := range %[1]s {\np.n++\nnote(\"%%v\", *p)\n}\n", seen)
	taken := func() string {
		keep := fmt.Sprintf("%s = append(%s, &%s)\n", seen, seen, x)
		switch g.pick(6) {
		case 0:
			f := g.name("f")
			return fmt.Sprintf("%[1]s := func() *pair { %[2]s.n++; return &%[2]s }\n%[3]s = append(%[3]s, %[1]s(), %[1]s())\n", f, x, seen)
		case 1:
			return x + ".n++\n" + keep + x + ".a += \"!\"\n"
		case 2:
			return "defer func() { note(\"deferred %v\", " + x + ") }()\n" + keep + x + ".n = 7\n"
		case 3:
			return keep + keep
		}
		return keep
	}
	ends := func(inLoop bool) string {
		all := []string{"return &" + x + "\n", "return &" + x + "\n", "return r\n", "panic(\"in the branch\")\n", ""}
		if inLoop {
			all = append(all, "continue\n", "continue\n", "break\n")
		}
		return g.one(all...)
	}
	branch := func(inLoop bool) string {
		cond := g.one(x+".n > 2", x+".a != \"\"", g.bool(), x+".n == 0")
		inner := taken()
		if g.odd(8, "nested") {
			inner = "if " + x + ".n > 3 {\n" + inner + ends(inLoop) + "}\n" + taken()
		}
		switch g.pick(4) {
		case 0:
			return "switch {\ncase " + cond + ":\n" + inner + ends(inLoop) + "default:\nnote(\"default\")\n}\n"
		case 1:
			return "if " + cond + " {\nnote(\"%d\", " + x + ".n)\n} else {\n" + inner + ends(inLoop) + "}\n"
		}
		return "if " + cond + " {\n" + inner + ends(inLoop) + "}\n"
	}
	rest := func() string {
		return g.one("", "note(\"after %v\", "+x+")\n", x+".n += 2\nnote(\"after %v\", "+x+")\n")
	}
	odd := func() string {
		if !g.odd(10, "closure") {
			return ""
		}
		return g.one("defer func() { note(\"at the end %v\", "+x+") }()\n", "p := &"+x+"\ndefer func() { note(\"%v\", *p) }()\n")
	}
	pairs := g.some("[]pair", "in.Pairs()")
	switch g.pick(6) {
	case 5:
		c.body = fmt.Sprintf("if %s := %s[0]; %s.n > 0 {\n%s%s} else if %s {\n%s}\n", x, pairs, x, branch(false), rest(), g.bool(), taken())
	case 0:
		c.body = fmt.Sprintf("for _, %s := range %s {\n%s%s}\n", x, pairs, branch(true), rest())
	case 1:
		i := g.name("i")
		c.body = fmt.Sprintf("for %s := range %s {\n%s := %s[%s]\n%s%s%s}\n", i, pairs, x, pairs, i, odd(), branch(true), rest())
	case 2:
		i := g.name("i")
		c.body = fmt.Sprintf("var %s pair\nfor %s := range %s {\n%s.n += %s[%s].n\n%s%s}\n", x, i, pairs, x, pairs, i, branch(true), rest())
	case 3:
		c.body = fmt.Sprintf("%s := pair{a: %s, n: len(%s)}\n%s%s%s", x, g.str(), pairs, odd(), branch(false), rest())
	default:
		x = g.param("pair", "in.Pair()")
		c.body = odd() + branch(false) + branch(false) + rest()
	}
	return c
}
