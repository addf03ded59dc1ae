package rules

import (
	"fmt"
	"strings"
)

// poolCore has a buffer that its function doesn't need afterwards.
func poolCore(g *gen) core {
	buf, size := g.name("buf"), g.one("512", "1 << 10", "600")
	c := core{result: "string"}
	read := func(text string) string {
		return g.one("r = "+text+"\n", "r += "+text+"\n", "note(\"%q\", "+text+")\n")
	}
	switch g.pick(5) {
	case 0, 1:
		c.pre = fmt.Sprintf("%s := make([]byte, %s)\n", buf, size)
		if g.pick(3) == 0 {
			c.pre = fmt.Sprintf("%s := make([]byte, %s, %s)\n", buf, g.one("0", "8"), size)
		}
	case 2, 3:
		c.pre = fmt.Sprintf("var %s [%s]byte\n", buf, size)
		slice := buf + "[:]"
		n := g.name("n")
		c.body = g.one(fmt.Sprintf("%s := copy(%s, %s)\n", n, slice, g.str())+read("string("+buf+"[:"+n+"])"),
			fmt.Sprintf("%s[3] += %s[2] + 7\n", buf, buf)+read("string("+buf+"[:5])"),
			fmt.Sprintf("for i := range %s[:4] {\n%s[i]++\n}\n", buf, buf)+read("string("+buf+"[1:5])"),
			fmt.Sprintf("%s, _ := io.ReadFull(strings.NewReader(%s), %s)\n", n, g.str(), slice)+read("string("+buf+"[:"+n+"+1])"))
		return c
	default:
		c.pre = fmt.Sprintf("%s := make([]int, %s)\n", buf, size)
		c.body = fmt.Sprintf("%s[3] += len(%s)\n%s[4]--\n", buf, g.str(), buf) + read(fmt.Sprintf("strconv.Itoa(%s[3] + %[1]s[4] + cap(%[1]s))", buf))
		return c
	}
	n := g.name("n")
	c.body = g.one(
		fmt.Sprintf("%s := copy(%s, %s)\n", n, buf, g.str())+read("string("+buf+"[:"+n+"])"),
		fmt.Sprintf("%s = append(%[1]s[:0], %s...)\n", buf, g.str())+read("string("+buf+")"),
		fmt.Sprintf("%s = append(%[1]s, %s...)\n", buf, g.str())+read("string("+buf+"[len("+buf+")/2:])"),
		fmt.Sprintf("%s = strconv.AppendInt(%[1]s, int64(%s), 10)\n", buf, g.int())+read("string("+buf+")"),
		fmt.Sprintf("%s := %s[:6]\n%[1]s[2] += 5\n", n, buf)+read("string("+n+")"),
		fmt.Sprintf("%s, _ := io.ReadFull(strings.NewReader(%s), %s)\n", n, g.str(), buf)+read("string("+buf+"[:"+n+"])"),
		fmt.Sprintf("%s.Write(%s[:cap(%[2]s)/2])\n", g.writee("writer", "other").name, buf),
	)
	return c
}

// objectCore has a loop that allocates an object per element.
func objectCore(g *gen) core {
	x, all := g.name("x"), g.name("all")
	c := core{result: "int"}
	c.pre = "var " + all + " []*pair\n"
	value := g.one("new(pair)", "&pair{}", "&pair{n: "+g.int()+"}", "&pair{n: "+g.int()+", a: "+g.str()+"}")
	store := g.one(fmt.Sprintf("%s = append(%[1]s, %s)\n", all, value), fmt.Sprintf("%s := %s\n%[3]s = append(%[3]s, %[1]s)\n%[1]s.n++\n", x, value, all))
	if g.pick(5) == 4 {
		store = "if " + g.bool() + " {\n" + store + "}\n"
	}
	if g.odd(10, "end") {
		store += "if len(" + all + ") > 2 {\n" + g.one("break\n", "continue\n", "panic(\"enough\")\n") + "}\n"
	}
	if g.odd(10, "touch") {
		store = "touch()\n" + store
	}
	switch i := g.name("i"); g.pick(5) {
	case 0:
		c.body = fmt.Sprintf("for range %s {\n%s}\n", g.strs(), store)
	case 1:
		c.body = fmt.Sprintf("for %s := range %s {\n%s%s[len(%[4]s)-1].n += %[1]s\n}\n", i, g.nums(), store, all)
	case 2:
		c.body = fmt.Sprintf("for %s := 0; %[1]s < %s; %[1]s++ {\n%s}\n", i, g.small(), store)
	case 3:
		h := g.host()
		c.body = fmt.Sprintf("for %s := 0; %[1]s < len(%s.xs); %[1]s++ {\n%s}\n", i, h, store)
	default:
		c.body = fmt.Sprintf("for range gxs {\n%s}\n", store)
	}
	c.post = fmt.Sprintf("for _, p := range %s {\np.n++\nnote(\"%%v\", *p)\nr += p.n\n}\nfor i := range %[1]s {\nr += len(%[1]s[i].a)\nnote(\"%%v\", i > 0 && %[1]s[i] == %[1]s[i-1])\n}\n", all)
	return c
}

// stackCore has a slice that doesn't outlive its function.
func stackCore(g *gen) core {
	x := g.name("x")
	n := g.one("len("+g.str()+")", g.small(), "len("+g.some("[]string", "in.Strs()")+")+1", g.small()+"*20", g.some("*rec", "in.Rec()")+".id % 40")
	c := core{result: "int"}
	made := g.one("make([]int, "+n+")", "make([]int, 0, "+n+")", "make(nums, "+n+")")
	if strings.Contains(made, "nums") {
		g.decls = append(g.decls, fmt.Sprintf("type nums%d []int\n", g.number))
		made = strings.Replace(made, "nums", fmt.Sprintf("nums%d", g.number), 1)
	}
	c.body = fmt.Sprintf("%s := %s // stays\n", x, made)
	c.body += g.one("", fmt.Sprintf("%s = append(%[1]s, len(%s))\n", x, g.str())) +
		fmt.Sprintf("for i := range %s {\n%[1]s[i] += i + 1\nr += %[1]s[i]\n}\n", x) +
		g.one(fmt.Sprintf("r += cap(%s)\n", x), fmt.Sprintf("r += len(%s)\n", x), fmt.Sprintf("%s = %[1]s[:cap(%[1]s)]\nnote(\"%%v\", %[1]s)\n", x), fmt.Sprintf("r += %s[2]\n", x))
	return c
}
