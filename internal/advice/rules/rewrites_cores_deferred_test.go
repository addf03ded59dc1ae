package rules

import (
	"fmt"
	"strings"
)

// deferredCore is a function literal that defers a call and returns in a few places.
func deferredCore(g *gen) core {
	c := core{result: "int"}
	h, k := g.host(), g.some("int", "in.Int()")
	call := g.one("touch()", "effN("+k+")", h+".bump()", "note(\"deferred\")", g.some("*rec", "in.Rec()")+".bump()", "effS(\"s\")", "next()", h+".w.Write(nil)", "func() { r += 100 }()")
	value := func() string {
		return g.one("gn", k, h+".n", "len(gs)", "1", "effN(2)", "len("+h+".xs)", g.int(), "gn + "+k)
	}
	var body strings.Builder
	if g.pick(4) == 0 {
		body.WriteString(g.one("touch()\n", h+".n++\n", "if "+g.bool()+" {\nreturn "+value()+"\n}\n", "note(\"before\")\n"))
	}
	body.WriteString("defer " + call + "\n")
	for range g.pick(4) {
		body.WriteString(g.one(
			"if "+g.bool()+" {\nreturn "+value()+"\n}\n", "r += "+value()+"\n", "gn += 2\n", h+".n++\n", k+" = 7\n", h+" = nil\n", "for i := range 3 {\nif i == "+k+" {\nreturn i\n}\n}\n",
			"for i := range slices.Values([]int{1, 2}) {\nif i > 1 {\nreturn "+value()+"\n}\n}\n", "switch {\ncase "+g.bool()+":\nreturn "+value()+"\ndefault:\ngn++\n}\n", "defer touch()\n", "gs = gs + \"x\"\n", "note(\"%d\", gn)\n",
		))
	}
	f := g.name("f")
	switch g.pick(4) {
	case 0: // without results
		text := strings.NewReplacer("return "+k+"\n", "return\n").Replace(body.String())
		for _, e := range []string{"gn", h + ".n", "len(gs)", "1", "effN(2)", "len(" + h + ".xs)", "gn + " + k, "i"} {
			text = strings.ReplaceAll(text, "return "+e+"\n", "return\n")
		}
		c.body = fmt.Sprintf("%s := func() {\n%s}\n%[1]s()\nr += gn\n", f, text)
	case 1: // with a named result
		c.body = fmt.Sprintf("%s := func() (out int) {\n%sout = %s\n%s}\nr += %[1]s()\n", f, body.String(), value(), g.one("return\n", "return out\n", "return out + 1\n"))
	default:
		c.body = fmt.Sprintf("%s := func() int {\n%sreturn %s\n}\nr += %[1]s() + gn\n", f, body.String(), value())
	}
	return c
}
