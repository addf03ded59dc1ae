package rules

import (
	"fmt"
	"strings"
)

// appendVariantCore is a call of a function that makes a text, and that function.
func appendVariantCore(g *gen) core {
	call, text := g.textMaker()
	bytesOf, textOf := call, call
	if text {
		bytesOf = "[]byte(" + call + ")"
	} else {
		textOf = "string(" + call + ")"
	}
	switch g.pick(10) {
	case 8:
		if text {
			return g.expression("", g.one(g.str()+" + "+call, call+" + "+g.str(), call+" + strconv.Itoa("+g.int()+") + "+call), "string")
		}
		fallthrough
	case 0, 1:
		dst := g.one(g.bytes(), g.bytes(), "gb", g.bytes()+"[:0]", "[]byte(nil)")
		return g.expression("", "append("+dst+", "+call+"...)", "[]byte")
	case 2:
		own := g.name("own")
		return core{pre: "var " + own + " []byte\n", body: fmt.Sprintf("%s = append(%[1]s, %s...)\n%[1]s = append(%[1]s, %s...)\n", own, g.str(), call), result: "[]byte", after: own}
	case 3:
		h := g.host()
		return core{body: fmt.Sprintf("%s.b = append(%s.b, %s...)\n", h, h, call)}
	case 4:
		return g.expression("", textOf+g.one(" == ", " != ", " < ")+g.str(), "bool")
	case 5:
		return g.expression("", g.one("len("+call+")", "gm["+textOf+"]", "copy("+g.bytes()+", "+call+")"), "int")
	case 6:
		x := g.name("x")
		if text {
			return g.expression(x+" := "+call+"\n", "len("+x+") + gm["+x+"]", "int")
		}
		return core{body: x + " := " + call + "\n" + g.one("for _, c := range "+x+" {\nr += int(c)\n}\n", "r = len("+x+")\n", "if len("+x+") > 1 {\n"+x+"[0]++\nr = int("+x+"[0])\n}\n"), result: "int"}
	case 7:
		return g.expression("", "bytes.Equal("+bytesOf+", "+g.bytes()+")", "bool")
	}
	t := g.writee("builder", "buffer", "bufio", "builder", "buffer", "bufio", "other")
	call = g.one(t.name+".WriteString("+textOf+")", t.name+".Write("+bytesOf+")")
	if g.pick(3) == 0 {
		n, err := g.name("n"), g.name("err")
		call = fmt.Sprintf("%s, %s := %s\nnote(\"%%d %%v\", %s, %s)", n, err, call, n, err)
	}
	return g.written(t, "", call)
}

// textMaker declares a function that makes a text, and returns a call of it. text says that it is a string.
func (g *gen) textMaker() (call string, text bool) {
	outer := g.params
	g.params = nil
	text = g.pick(3) > 0
	typ := "[]byte"
	if text {
		typ = "string"
	}
	body := g.guard(text)
	into := "" // the slice that a variant that exists appends to
	switch g.pick(6) {
	case 5:
		body, into = g.appendingTo()
	case 4:
		body += g.adding(text)
	case 0:
		body += g.appending(text)
	case 1:
		body += g.filling(text)
	case 2:
		body += g.writing(text)
	default:
		body += g.returning(text)
	}
	own := g.params
	g.params = outer
	var params, args []string
	for _, p := range own {
		params = append(params, p.name+" "+p.typ)
		args = append(args, g.some(p.typ, p.value))
	}
	name := fmt.Sprintf("text%d", g.number)
	if into != "" {
		variant := name + "To"
		call := fmt.Sprintf("%s(%s)", variant, strings.Join(append([]string{g.one("nil", "make([]byte, 0, 16)", "[]byte{}")}, paramNames(own)...), ", "))
		if text {
			call = "string(" + call + ")"
		}
		body = fmt.Sprintf("return %s\n}\n\nfunc %s(%s) []byte {\n%s", call, variant, strings.Join(append([]string{into + " []byte"}, params...), ", "), body)
	}
	g.decls = append(g.decls, fmt.Sprintf("func %s(%s) %s {\n%s}\n", name, strings.Join(params, ", "), typ, body))
	return name + "(" + strings.Join(args, ", ") + ")", text
}

func paramNames(params []param) (all []string) {
	for _, p := range params {
		all = append(all, p.name)
	}
	return all
}

// appendingTo is the body of a function that appends to its first parameter, or does something else with it, too.
func (g *gen) appendingTo() (body, b string) {
	b = g.name("b")
	if g.pick(3) == 0 {
		body = "if " + g.bool() + " {\nreturn " + g.one(b, b, "append("+b+", '-')", "nil", "gb") + "\n}\n"
	}
	for range 1 + g.pick(3) {
		body += g.plainOr(func() string { return b + " = append(" + b + ", " + g.str() + "...)" },
			choice{"", func() string { return b + " = strconv.AppendInt(append(" + b + ", '='), int64(" + g.int() + "), 10)" }},
			choice{"", func() string { return b + " = append(" + b + ", " + g.bytes() + "...)" }},
			choice{"", func() string { return b + " = fmt.Appendf(" + b + ", \"%v\", " + g.value() + ")" }},
			choice{"alias", func() string { return b + " = append(" + b + ", " + b + "...)" }},
			choice{"", func() string {
				return "if len(" + b + ") > 1 {\n" + b + g.one("[0] = '#'", " = append("+b+", '+')", " = "+b+"[:1]") + "\n}"
			}},
			choice{"", func() string { return g.one("gb = "+b, "effB("+b+")", "gi += "+g.int()) }},
			choice{"", func() string { return "for range 2 {\n" + b + " = append(" + b + ", 'x')\n}" }},
		) + "\n"
	}
	return body + "return " + g.one(b, "append("+b+", '>')", "strconv.AppendInt("+b+", 7, 10)", b+"[0:]") + "\n", b
}

func (g *gen) guard(text bool) string {
	if g.pick(3) > 0 {
		return ""
	}
	result := g.one("nil", "gb", `[]byte("x")`)
	if text {
		result = g.one(`""`, `"none"`, "gs", g.str())
	}
	return "if " + g.bool() + " {\nreturn " + result + "\n}\n"
}

func (g *gen) appending(text bool) string {
	b := g.name("b")
	body := g.one(
		b+" := make([]byte, 0, 16)\n", "var "+b+" []byte\n", b+" := []byte{}\n", b+" := make([]byte, 0, len("+g.str()+"))\n",
		b+" := []byte("+g.str()+")\n", "var s"+b+" [8]byte\n"+b+" := s"+b+"[:0]\n", b+" := []byte(\"<\")\n", b+" := "+g.bytes()+"\n",
	)
	for range 1 + g.pick(3) {
		body += b + " = " + g.plainOr(func() string { return "append(" + b + ", " + g.str() + "...)" },
			choice{"", func() string { return "append(" + b + ", ',')" }},
			choice{"", func() string { return "strconv.AppendInt(" + b + ", int64(" + g.int() + "), 10)" }},
			choice{"", func() string { return "append(append(" + b + ", 'x'), " + g.str() + "...)" }},
			choice{"", func() string { return "append(" + b + ", " + g.bytes() + "...)" }},
			choice{"alias", func() string { return "append(" + b + ", " + b + "...)" }},
			choice{"alias", func() string { return b + "[:0]" }},
			choice{"", func() string { return "fmt.Appendf(" + b + ", \"%v\", " + g.value() + ")" }},
		) + "\n"
		if g.pick(4) == 0 {
			body += "if len(" + b + ") > 2 {\n" + b + " = append(" + b + ", '+')\n}\n"
		}
	}
	result := g.one(b, "append("+b+", '>')", b+"[1:]")
	if text {
		result = "string(" + result + ")"
	}
	return body + "return " + result + "\n"
}

func (g *gen) filling(text bool) string {
	b := g.name("b")
	body := b + " := make([]byte, " + g.one("8", "4+len("+g.str()+")", "len("+g.bytes()+")", g.small()) + ")\n"
	for range 1 + g.pick(3) {
		body += g.one("copy("+b+", "+g.str()+")", "copy("+b+"[1:], "+g.bytes()+")", b+"[2] = byte("+g.int()+")", "for i := range "+b+" {\n"+b+"[i]++\n}", "gb = "+b, "effB("+b+")") + "\n"
	}
	result := g.one(b, b, b+"[:3]", b+"[1:]", b+"[:len("+b+")]")
	if text {
		result = "string(" + result + ")"
	}
	return body + "return " + result + "\n"
}

func (g *gen) writing(text bool) string {
	w := g.name("w")
	kind, get := "bytes.Buffer", ".Bytes()"
	if text {
		kind, get = g.one("strings.Builder", "bytes.Buffer"), ".String()"
	}
	body := g.one("var "+w+" "+kind+"\n", w+" := new("+kind+")\n", w+" := &"+kind+"{}\n")
	ref := w
	if strings.HasPrefix(body, "var") {
		ref = "&" + w
	}
	for range 1 + g.pick(3) {
		body += g.plainOr(func() string { return w + ".WriteString(" + g.str() + ")" },
			choice{"", func() string { return w + ".WriteByte(byte(" + g.int() + "))" }},
			choice{"", func() string { return w + ".WriteRune(rune(" + g.int() + "))" }},
			choice{"", func() string { return w + ".WriteRune('é')" }},
			choice{"", func() string { return w + ".WriteByte('a')" }},
			choice{"", func() string { return w + ".Write(" + g.bytes() + ")" }},
			choice{"", func() string { return w + ".WriteString(" + g.str() + " + " + g.str() + ")" }},
			choice{"", func() string { return w + ".Grow(" + g.one("10", "len("+g.str()+")") + ")" }},
			choice{"", func() string {
				return "if " + w + ".Len() > 0 {\n" + w + ".WriteByte(' ')\n}"
			}},
			choice{"", func() string { return "fmt.Fprintf(" + ref + ", \"%v-%v\", " + g.value() + ", " + g.value() + ")" }},
			choice{"", func() string { return w + ".WriteString(string(" + g.bytes() + "))" }},
		) + "\n"
	}
	return body + "return " + w + get + "\n"
}

func (g *gen) returning(text bool) string {
	if !text {
		return "return []byte(" + g.str() + ")\n"
	}
	one := func() string {
		return g.plainOr(func() string { return g.str() + " + " + g.str() },
			choice{"", func() string { return g.str() + " + \":\" + strconv.Itoa(" + g.int() + ")" }},
			choice{"", func() string { return g.formatted("Sprint", "") }},
			choice{"", func() string { return "string(" + g.bytes() + ")" }},
			choice{"", func() string { return "string(rune(" + g.int() + ")) + " + g.str() }},
		)
	}
	if g.pick(3) == 0 {
		return "switch " + g.int() + " {\ncase 1:\nreturn " + one() + "\n}\nreturn " + one() + "\n"
	}
	return "return " + one() + "\n"
}

func (g *gen) adding(text bool) string {
	s := g.name("s")
	body := g.one(s+" := "+g.str()+"\n", "var "+s+" string\n", s+" := "+g.str()+" + "+g.str()+"\n", s+" := \"\"\n")
	for range 1 + g.pick(3) {
		body += g.one(
			s+" += "+g.str()+"\n", s+" += "+g.str()+" + strconv.Itoa("+g.int()+")\n", s+" = "+s+" + "+g.str()+"\n", "if "+s+" != \"\" {\n"+s+" += \",\"\n}\n",
			"for range 2 {\n"+s+" += "+g.str()+"\n}\n", "if len("+s+") > 3 {\n"+s+" += string(rune("+g.int()+"))\n}\n", s+" += "+s+"\n", s+" = "+g.str()+"\n", s+" = "+g.str()+" + "+s+"\n",
		)
	}
	result := g.one(s, s, s+" + "+g.str(), "strings.TrimSpace("+s+")", g.str()+" + "+s)
	if !text {
		result = "[]byte(" + result + ")"
	}
	return body + "return " + result + "\n"
}
