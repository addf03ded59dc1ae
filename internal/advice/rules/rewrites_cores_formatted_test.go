package rules

import "fmt"

// stringMade is a call of a function that makes a string of a value and has a counterpart that appends.
func (g *gen) stringMade() string {
	switch g.pick(15) {
	case 0:
		return "strconv.FormatInt(int64(" + g.int() + "), " + g.one("10", "16", "2", g.int()) + ")"
	case 1:
		return "strconv.FormatUint(uint64(" + g.int() + "), " + g.one("10", "36") + ")"
	case 2:
		return "strconv.FormatFloat(" + g.float() + ", " + g.one("'g', -1", "'f', 3", "'e', -1", "'f', -1") + ", 64)"
	case 3:
		return g.one("strconv.Quote(", "strconv.QuoteToASCII(", "strconv.QuoteToGraphic(") + g.str() + ")"
	case 4:
		return g.one("strconv.QuoteRune(", "strconv.QuoteRuneToASCII(") + g.some("rune", "rune(in.Int())") + ")"
	case 5:
		return g.some("time.Time", "time.Unix(int64(in.pick(1<<30)), 0).UTC()") + ".Format(" + g.one("time.RFC3339", `"15:04"`, "time.RFC1123", `""`, g.str()) + ")"
	case 6:
		return g.some("netip.Addr", `[]netip.Addr{{}, netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1%eth0")}[in.pick(3)]`) + ".String()"
	case 7:
		x := g.some("*big.Int", "[]*big.Int{nil, big.NewInt(int64(in.Int())), new(big.Int).Lsh(big.NewInt(7), 200)}[in.pick(3)]")
		return x + g.one(".String()", ".Text(10)", ".Text(62)")
	case 8:
		return "hex.EncodeToString(" + g.bytes() + ")"
	case 9:
		return "base64.StdEncoding.EncodeToString(" + g.bytes() + ")"
	}
	return "strconv.Itoa(" + g.int() + ")"
}

func appendFormattedCore(g *gen) core {
	switch g.pick(5) {
	case 0:
		return g.expression("", "[]byte("+g.stringMade()+")", "[]byte")
	case 1:
		h := g.host()
		return core{body: fmt.Sprintf("%s.b = append(%s.b, %s...)\n", h, h, g.stringMade())}
	case 2:
		dst := g.one(g.bytes(), g.bytes(), "gb", g.bytes()+"[:0]")
		return g.expression("", "append("+dst+", "+g.stringMade()+"...)", "[]byte")
	}
	t := g.writee("builder", "buffer", "bufio", "builder", "buffer", "bufio", "other")
	text := g.stringMade()
	call := g.one(t.name+".WriteString("+text+")", t.name+".WriteString("+text+")", t.name+".Write([]byte("+text+"))")
	if g.pick(3) == 0 {
		n, err := g.name("n"), g.name("err")
		call = fmt.Sprintf("%s, %s := %s\nnote(\"%%d %%v\", %s, %s)", n, err, call, n, err)
	}
	if g.odd(20, "defer") {
		call = "defer " + t.name + ".WriteString(" + text + ")"
	}
	return g.written(t, "", call)
}
