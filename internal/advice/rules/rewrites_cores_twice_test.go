package rules

import "fmt"

// callTwiceCore calls a function of the standard library twice, with something in between that may change what it
// depends on.
func callTwiceCore(g *gen) core {
	arg := g.str()
	if g.pick(3) == 0 {
		arg = g.some("string", "in.Str()")
	}
	call := g.one(
		"strings.ToLower("+arg+")",
		"strings.TrimSpace("+arg+")",
		"strings.ToUpper("+arg+" + "+g.some("string", "in.Str()")+")",
		"strings.Repeat("+arg+", "+g.one("2", g.small())+")",
		"strconv.Itoa("+g.int()+")",
		"fmt.Sprintf(\"%s/%d\", "+arg+", "+g.int()+")",
		"fmt.Sprint("+g.value()+", "+arg+")",
		"strings.ReplaceAll(string("+g.bytes()+"), \"a\", \"b\")",
		"strings.Map("+"func(r rune) rune { return r + 1 }"+", "+arg+")",
	)
	v := g.name("v")
	between := ""
	if g.odd(50, "changes") {
		between = g.one(
			"touch()\n",
			g.some("string", "in.Str()")+" += \"x\"\n",
			g.host()+".bump()\n",
			g.some("[]byte", "in.Bytes()")+" = append("+g.some("[]byte", "in.Bytes()")+"[:0], 'z')\n",
			"gs += \"g\"\n",
			"defer func() { note(\"%q\", "+call+") }()\n",
			"func() { "+g.some("string", "in.Str()")+" = \"closed\" }()\n",
			"if len(r) > 3 {\nreturn r\n}\n",
			v+" += \"!\"\n",
			"p := &"+v+"\n*p = \"\"\n",
			"for range 2 {\nr += "+call+"\n"+g.some("string", "in.Str()")+" += \"y\"\n}\n",
			g.some("chan string", "in.Chan()")+" <- \"c\"\n",
		)
	}
	c := core{result: "string"}
	switch g.pick(7) {
	case 0:
		c.body = fmt.Sprintf("%s := %s\n%sr += %s + %s\n", v, call, between, v, call)
	case 1:
		c.body = fmt.Sprintf("%s := \"\"\nif %s == \"a\" {\n%sr += %s + %s\n}\n", v, call, between, v, call)
	case 2:
		c.body = fmt.Sprintf("%s := \"\"\nr += %s\n%sr += %s + %s\n", v, call, between, v, call)
	case 3:
		c.body = fmt.Sprintf("%s := \"\"\nr += %s + %s\n%s_ = %s\n", v, call, call, between, v)
	case 4:
		c.body = fmt.Sprintf("var %s = %s\nswitch {\ncase len(r) > 2:\n%sr += %s\ndefault:\nr += %s\n}\n", v, call, between, call, v)
	case 5:
		c.body = fmt.Sprintf("%s := \"\"\nif %s || %s == \"a\" {\n%sr += %s + %s\n}\n", v, g.bool(), call, between, v, call)
	default:
		c.body = fmt.Sprintf("for range %s {\n%s := %s\n%sr += %s + %s\n}\n", g.strs(), v, call, between, v, call)
	}
	return c
}
