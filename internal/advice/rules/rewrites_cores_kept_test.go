package rules

import "fmt"

// keptCore is a loop whose iterations make a slice or map.
func keptCore(g *gen) core {
	c := core{result: "int"}
	x := g.name("x")
	var body string
	switch g.pick(6) {
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
