package rules

import "fmt"

// piecesCore has a loop that appends the slices in a slice.
func piecesCore(g *gen) core {
	out, parts, p := g.name("out"), g.name("parts"), g.name("part")
	elem := g.one("int", "string", "byte")
	piece := map[string]func() string{"int": g.nums, "string": g.strs, "byte": g.bytes}[elem]
	single := map[string]func() string{"int": g.int, "string": g.str, "byte": func() string { return "byte(" + g.int() + ")" }}[elem]
	c := core{result: "[]" + elem, keep: true}
	c.pre = fmt.Sprintf("%s := [][]%s{%s, nil, %s}\n", parts, elem, piece(), piece())
	switch {
	case g.odd(15, "memory"):
		c.pre += out + " := " + g.one(parts+"[0]", piece()) + "\n"
	case g.odd(10, "capacity"):
		c.pre += out + " := make([]" + elem + ", 0, 3)\n"
	default:
		c.pre += g.one(out+" := []"+elem+"{}\n", "var "+out+" []"+elem+"\n", out+" := append([]"+elem+"{}, "+single()+")\n")
	}
	c.body = "for _, " + p + " := range " + parts + g.one("", "", "[1:]", "[:2]") + " {\n"
	if g.odd(10, "early") {
		c.body += "if len(" + p + ") == 2 {\n" + g.one("continue\n", "break\n", "return nil\n", "panic(\"two\")\n", "return "+out+"\n") + "}\n"
	}
	if g.odd(8, "inside") {
		c.body += g.one("note(\"%v\", "+out+" == nil)\n", "note(\"%d\", len("+out+"))\n", "note(\"%d\", cap("+out+"))\n", p+" = append("+p+", "+single()+")\n", parts+"[1] = "+piece()+"\n")
	}
	if g.pick(3) == 0 {
		c.body += fmt.Sprintf("%s = append(%[1]s, %s)\n", out, single())
	}
	c.body += fmt.Sprintf("%s = append(%[1]s, %s...)\n}\n", out, p)
	if g.odd(10, "nil") {
		c.post = "note(\"nil %v\", " + out + " == nil)\n"
	}
	if g.odd(10, "memory") {
		c.post += "note(\"%v\", " + parts + "[0])\n"
	}
	c.post += "r = " + out + "\n"
	return c
}
