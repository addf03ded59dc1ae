package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// cores makes, for each rule with a rewrite, the code that it is about.
var cores = map[string]func(*gen) core{
	"sprintf-simple":          sprintfCore,
	"bytes-sprintf":           bytesSprintfCore,
	"concat-into-buffer":      concatCore,
	"slice-grows":             sliceGrowsCore,
	"map-grows":               mapGrowsCore,
	"bulk-append":             bulkAppendCore,
	"byte-loop":               byteLoopCore,
	"loop-invariant-call":     invariantCore,
	"deferred-call":           deferredCore,
	"adjacent-indexes":        adjacentCore,
	"loop-invariant-load":     loadsCore,
	"loop-stores-field":       storesCore,
	"string-concat-loop":      concatLoopCore,
	"buffer-to-builder":       toBuilderCore,
	"buffer-grow":             bufferGrowCore,
	"string-bytes-conversion": conversionCore,
	"split-for-one-part":      splitCore,

	"sort-slice":           sortCore,
	"deep-equal":           deepEqualCore,
	"header-key":           headerKeyCore,
	"header-twice":         headerTwiceCore,
	"join-literal":         joinCore,
	"regexp-engine":        engineCore,
	"regexp-per-call":      regexpCore,
	"template-per-call":    templateCore,
	"location-per-call":    locationCore,
	"replacer-per-call":    replacerCore,
	"rand-source-per-call": randCore,
	"encoder-per-call":     encoderCore,
	"tolower-equal":        tolowerCore,
	"contains-any":         containsAnyCore,
	"large-copy":           largeCopyCore,
	"range-lookup":         rangeLookupCore,
	"map-twice":            mapTwiceCore,
	"math-max":             mathMaxCore,
	"math-pow":             mathPowCore,
	"pool-candidate":       poolCore,
	"object-per-element":   objectCore,
	"call-twice":           callTwiceCore,
	"slice-on-stack":       stackCore,
	"scanner-text":         scannerCore,
	"errorf-static":        errorfCore,
	"hash-sum":             hashSumCore,
	"errors-as":            errorsAsCore,
	"reflect-assert":       reflectAssertCore,
	"reflect-type":         reflectTypeCore,
	"append-chain":         appendChainCore,
	"map-guard":            mapGuardCore,
	"delete-guard":         deleteGuardCore,
	"copy-loop":            copyLoopCore,
	"slide-loop":           slideLoopCore,
	"time-since":           timeSinceCore,
	"escapes-in-branch":    branchCore,
	"append-formatted":     appendFormattedCore,
	"shift-loop":           shiftLoopCore,
	"prepend-loop":         prependCore,
	"error-formatted":      errorFormattedCore,
	"literal-per-call":     literalCore,
	"append-variant":       appendVariantCore,
	"kept-temporary":       keptCore,
}

// formatted is a call of fmt with values, after fmt.Sprint or the like and what it prints to.
func (g *gen) formatted(name, first string, values ...string) string {
	n := 1 + g.pick(3)
	args := values
	for len(args) < n {
		args = append(args, g.value())
	}
	kind := g.pick(6)
	if kind < 4 {
		var f strings.Builder
		f.WriteString(g.one("", "x", "<", "100%% "))
		for _, a := range args {
			verb := g.one("%s", "%v", "%d", "%s", "%v", "%q", "%x", "%t", "%c", "%03d", "%5s", "%+v", "%.2f", "%g", "%x", "%02x", "%#x", "%.12f", "%08x", "%04d", "%020d")
			if slices.ContainsFunc(g.params, func(p param) bool { return p.name == a && (p.typ == "error" || p.typ == "any") }) && !strings.ContainsAny(verb, "svqx") {
				verb = "%v" // others show the addresses of pointers in it
			}
			f.WriteString(verb)
			f.WriteString(g.one("", ":", "-", "\\n", " é "))
		}
		return fmt.Sprintf("fmt.%sf(%s\"%s\", %s)", name, first, f.String(), strings.Join(args, ", "))
	}
	if kind == 4 {
		name += "ln"
	}
	return fmt.Sprintf("fmt.%s(%s%s)", name, first, strings.Join(args, ", "))
}

// written makes a core of statements that write to a target.
func (g *gen) written(t writee, pre string, statements ...string) core {
	c := core{pre: t.pre + pre, body: strings.Join(statements, "\n") + "\n"}
	if t.text != "" {
		c.result, c.after = "string", t.text
	}
	return c
}

func sprintfCore(g *gen) core {
	if g.pick(8) == 7 {
		return g.chosen()
	}
	if g.pick(2) == 0 {
		return g.expression("", g.formatted("Sprint", ""), "string")
	}
	t := g.writee()
	pre := ""
	var args []string
	if g.pick(4) == 0 {
		var data string
		pre, data = g.aliased(t)
		args = append(args, data)
	}
	call := g.formatted("Fprint", t.ref()+", ", args...)
	if g.pick(3) == 0 {
		n, err := g.name("n"), g.name("err")
		call = fmt.Sprintf("%s, %s := %s\nnote(\"%%d %%v\", %s, %s)", n, err, call, n, err)
	}
	return g.written(t, pre, call)
}

// chosen is a call of fmt.Sprintf with one of a few formats.
func (g *gen) chosen() core {
	format := g.name("format")
	call := g.formatted("Sprint", "")
	parts := regexp.MustCompile(`^fmt\.Sprintf\(("(?:[^"\\]|\\.)*"), `).FindStringSubmatch(call)
	if parts == nil {
		return g.expression("", call, "string")
	}
	call = strings.Replace(call, parts[1], format, 1)
	other := g.one(strings.Replace(parts[1], "%", "<%", 1), strings.Replace(parts[1], "%d", "%x", 1), strings.Replace(parts[1], "%s", "%v", 1), `"none"`, "nextS()")
	pre := fmt.Sprintf("%s := %s\nif %s {\n%s = %s\n}\n", format, parts[1], g.bool(), format, other)
	switch text := g.name("text"); g.pick(4) {
	case 1:
		return core{pre: pre, result: "string", body: text + " := " + call + "\nr += " + text + "\n"}
	case 2:
		return core{pre: pre, result: "string", body: "r += " + call + "\n"}
	case 3:
		return core{pre: pre, result: "string", body: "return " + call + "\n", keep: true}
	}
	return core{pre: pre, result: "string", body: "r = " + call + "\n"}
}

func bytesSprintfCore(g *gen) core {
	switch g.pick(4) {
	case 0:
		return g.expression("", "[]byte("+g.formatted("Sprint", "")+")", "[]byte")
	case 1:
		return g.expression("", "append("+g.bytes()+", "+g.formatted("Sprint", "")+"...)", "[]byte")
	}
	t := g.writee()
	pre := ""
	var args []string
	if g.pick(4) == 0 {
		var data string
		pre, data = g.aliased(t)
		args = append(args, data)
	}
	text := g.formatted("Sprint", "", args...)
	return g.written(t, pre, g.one(t.name+".Write([]byte("+text+"))", t.name+".Write([]byte("+text+"))", t.name+".WriteString("+text+")"))
}

// concatenated is a sum of two to four strings.
func (g *gen) concatenated(more ...string) string {
	parts := more
	for range 2 + g.pick(3) - len(more) {
		parts = append(parts, g.str())
	}
	return strings.Join(parts, " + ")
}

func concatCore(g *gen) core {
	if g.pick(3) == 0 {
		dst := g.bytes()
		var more []string
		if g.pick(3) == 0 {
			g.hostile["alias"] = true
			more = append(more, "string("+g.bytes()+")")
		}
		if g.pick(2) == 0 {
			return g.expression("", "append("+dst+", "+g.concatenated(more...)+"...)", "[]byte")
		}
		h := g.host()
		return core{body: fmt.Sprintf("%s.b = append(%s.b, (%s)...)\n", h, h, g.concatenated(more...))}
	}
	t := g.writee("builder", "buffer", "bufio")
	pre := ""
	var more []string
	if g.pick(3) == 0 {
		var data string
		pre, data = g.aliased(t)
		more = append(more, "string("+data+")")
	}
	text := g.concatenated(more...)
	return g.written(t, pre, g.one(t.name+".WriteString("+text+")", t.name+".Write([]byte("+text+"))"))
}

// loop is a loop with a body, of something with a length.
func (g *gen) loop(body func(element string) string) string {
	x := g.name("x")
	element, head, first := x, "", ""
	switch g.pick(7) {
	case 0:
		head = "_, X := range " + g.nums()
	case 1:
		n := g.small()
		if g.odd(15, "size") {
			n, first = g.param("int", "in.Far()"), "next()\n"
		}
		head = "X := 0; X < " + n + "; X++"
	case 2:
		element, head = "len("+x+")", "X := range "+g.some("map[string]int", "in.One()")
	case 3:
		head = "X := range " + g.small()
	case 4:
		head = "X := range " + g.host() + ".xs"
	case 5:
		head = "X := range " + g.some("[]pair", "in.Pairs()")
	default:
		head = "X := range " + g.strs()
	}
	text := first + body(element)
	if !regexp.MustCompile(`\b` + x + `\b`).MatchString(text) {
		head = strings.Replace(strings.Replace(head, "_, X := range", "range", 1), "X := range", "range", 1)
	}
	return "for " + strings.ReplaceAll(head, "X", x) + " {\n" + text + "}\n"
}

func sliceGrowsCore(g *gen) core {
	switch g.pick(7) {
	case 4:
		return sumCore(g)
	case 5:
		return g.grownFirst()
	case 6:
		return piecesCore(g)
	}
	out := g.name("out")
	elem := g.one("int", "string", "pair", "*pair", "[2]int")
	c := core{result: "[]" + elem, after: out, keep: true}
	c.pre = g.one(out+" := []"+elem+"{}\n", "var "+out+" []"+elem+"\n", out+" := make([]"+elem+", 0)\n")
	of := func(x string) string {
		n := x
		switch {
		case g.odd(10, "panic"):
			n = "next()"
		case g.odd(10, "effect"):
			n = "effN(" + x + ")"
		}
		switch elem {
		case "int":
			return n
		case "string":
			return "string(rune('a'+(" + n + ")%20))"
		case "pair":
			return "pair{n: " + n + "}"
		case "*pair":
			return "&pair{n: " + n + "}"
		}
		return "[2]int{" + n + ", 1}"
	}
	before := ""
	if g.pick(3) == 0 {
		before = "note(\"before %v\", " + out + " == nil)\n"
	}
	c.body = before + g.loop(func(x string) string {
		var b strings.Builder
		if g.odd(8, "early") {
			b.WriteString("if " + x + " == 3 {\n" + g.one("continue\n", "break\n", "return nil\n", "panic(\"three\")\n", "return "+out+"\n") + "}\n")
		}
		grows := out + " = append(" + out + ", " + of(x) + ")\n"
		if g.odd(15, "branch") {
			grows = "if " + x + " > 1 {\n" + grows + "}\n"
		}
		b.WriteString(grows)
		if g.odd(25, "inside") {
			switch kept := g.name("at"); g.pick(6) {
			case 0:
				c.pre += "var " + kept + " []*" + elem + "\n"
				fmt.Fprintf(&b, "%s = append(%s, &%s[len(%s)-1])\n", kept, kept, out, out)
				c.post += fmt.Sprintf("for _, p := range %s {\n*p = %s[0]\n}\n", kept, out)
			case 1:
				c.pre += "var " + kept + " [][]" + elem + "\n"
				fmt.Fprintf(&b, "%s = append(%s, %s[:1])\n", kept, kept, out)
				c.post += fmt.Sprintf("var zero %s\nfor _, p := range %s {\nif len(%s) > 2 {\np[0] = zero\n}\n}\n", elem, kept, out)
			case 2:
				fmt.Fprintf(&b, "note(\"%%d\", cap(%s) > 0)\n", out)
			case 3:
				c.pre += "var " + kept + " []" + elem + "\n"
				fmt.Fprintf(&b, "if len(%s) == 1 {\n%s = %s\n} else {\n%s[0] = %s[len(%s)-1]\n}\n", out, kept, out, out, out, out)
				c.post += fmt.Sprintf("note(\"%%v\", len(%s))\nif len(%s) > 0 && len(%s) > 1 {\nnote(\"same %%v\", &%s[0] == &%s[0])\n}\n", kept, kept, out, kept, out)
			case 4:
				f := g.name("f")
				c.pre += "var " + f + " func() *" + elem + "\n"
				fmt.Fprintf(&b, "if %s == nil {\nlast := &%s[len(%s)-1]\n%s = func() *%s { return last }\n}\n", f, out, out, f, elem)
				c.post += fmt.Sprintf("if %s != nil {\nvar zero %s\n*%s() = zero\n}\n", f, elem, f)
			default:
				if elem == "pair" {
					fmt.Fprintf(&b, "note(\"%%v\", %s[0].n)\n", out)
				}
			}
		}
		return b.String()
	})
	if g.odd(10, "nil") {
		c.post = "note(\"nil %v\", " + out + " == nil)\n" + c.post
	}
	c.post = "r = " + out + "\n" + c.post
	c.after = ""
	return c
}

// grownFirst has a loop that appends to a field or a parameter.
func (g *gen) grownFirst() core {
	h := g.host()
	to := g.one(h+".xs", g.some("[]string", "in.Strs()"))
	c := core{result: "[]string"}
	before := g.one("", "note(\"%v\", "+to+" == nil)\n")
	c.body = before + g.loop(func(x string) string {
		early := ""
		if g.odd(15, "early") {
			early = "if " + x + " == 2 {\n" + g.one("break\n", "return\n", "panic(\"two\")\n") + "}\n"
		}
		grows := to + " = append(" + to + ", " + g.str() + ")\n"
		if g.odd(15, "branch") {
			grows = "if " + g.bool() + " {\n" + grows + "}\n"
		}
		return early + grows
	})
	if g.odd(20, "memory") {
		other := g.name("other")
		c.pre = other + " := append(" + to + ", \"spare\")\n"
		c.post = "note(\"%q\", " + other + ")\n"
	}
	c.post += "r = " + to + "\n"
	return c
}

func mapGrowsCore(g *gen) core {
	m := g.name("m")
	elem := g.one("int", "string", "*pair")
	c := core{result: "map[int]" + elem, keep: true}
	c.pre = g.one(m+" := map[int]"+elem+"{}\n", m+" := make(map[int]"+elem+")\n", "var "+m+" = make(map[int]"+elem+", 0)\n")
	c.body = g.loop(func(x string) string {
		value := map[string]string{"int": x, "string": `"v"`, "*pair": "&pair{n: " + x + "}"}[elem]
		key := x
		switch {
		case g.odd(10, "panic"):
			key = "next()"
		case g.odd(10, "effect"):
			key = "effN(" + x + ")"
		}
		early := ""
		if g.odd(8, "early") {
			early = "if " + x + " == 3 {\n" + g.one("continue\n", "break\n", "return nil\n", "panic(\"three\")\n", "return "+m+"\n") + "}\n"
		}
		store := fmt.Sprintf("%s[%s] = %s\n", m, key, value)
		switch g.pick(6) {
		case 4:
			return early + fmt.Sprintf("if _, ok := %s[%s]; !ok {\n%s}\n", m, key, store)
		case 5:
			return early + fmt.Sprintf("if _, ok := %s[%s]; ok {\ncontinue\n}\n%s", m, key, store)
		}
		return early + store
	})
	if g.pick(3) == 0 {
		x := g.name("x")
		more := map[string]string{"int": x, "string": `"more"`, "*pair": "&pair{n: " + x + "}"}[elem]
		other := g.one(g.param("[]int", "in.Nums()"), "append("+g.nums()+", 7)")
		c.body += g.one("", "", "note(\"between\")\n", g.param("[]int", "in.Nums()")+" = nil\n")
		c.body += fmt.Sprintf("for _, %s := range %s {\n%s[%s] = %s\n}\n", x, other, m, x, more)
	}
	c.post = "r = " + m + "\n"
	return c
}

func bulkAppendCore(g *gen) core {
	x := g.name("x")
	typ := g.one("[]byte", "[]byte", "[]byte", "[]string", "[]int")
	var dst, src string
	switch typ {
	case "[]byte":
		dst, src = g.bytes(), g.bytes()
		if g.pick(3) == 0 {
			src = g.str()
			dst = g.some("[]byte", "in.Bytes()")
			i := g.name("i")
			return core{result: typ, keep: g.pick(2) == 0, body: fmt.Sprintf("out := %s\nfor %s := 0; %s < len(%s); %s++ {\nout = append(out, %s[%s])\n}\nr = out\n", dst, i, i, src, i, src, i)}
		}
	case "[]string":
		dst, src = g.strs(), g.strs()
	case "[]int":
		dst, src = g.nums(), g.nums()
	}
	out := g.name("out")
	pre := fmt.Sprintf("%s := %s\n", out, g.one(dst, dst, typ+"(nil)", "append("+typ+"(nil), "+dst+"...)", typ+"{}", "make("+typ+", 0, 8)"))
	if g.odd(12, "alias") {
		pre += g.one(fmt.Sprintf("%s = %s[:0]\n", out, out), fmt.Sprintf("%s = %s\n", out, src))
		if g.pick(2) == 0 {
			src = out
		}
	}
	loop := fmt.Sprintf("for _, %s := range %s {\n%s = append(%s, %s)\n}\n", x, src, out, out, x)
	switch g.pick(3) {
	case 0:
		loop = fmt.Sprintf("for %s := range %s {\n%s = append(%s, %s[%s])\n}\n", x, src, out, out, src, x)
	case 1:
		loop = fmt.Sprintf("for %s := 0; %s < len(%s); %s++ {\n%s = append(%s, %s[%s])\n}\n", x, x, src, x, out, out, src, x)
	}
	return core{result: typ, pre: pre, body: loop, post: "r = " + out + "\n", keep: g.pick(2) == 0}
}

func byteLoopCore(g *gen) core {
	n, i := g.small(), g.name("i")
	switch g.pick(4) {
	case 0:
		b := g.name("b")
		text := g.one("string("+b+")", "string("+b+") + "+g.str())
		return core{result: "string", body: fmt.Sprintf("%s := make([]byte, %s)\nfor %s := range %s {\n%s[%s] = ' '\n}\nr = %s\n", b, n, i, b, b, i, text)}
	case 1:
		b := g.name("b")
		return core{result: "[]byte", body: fmt.Sprintf("%s := make([]byte, %s)\nfor %s := 0; %s < %s; %s++ {\n%s[%s] = '-'\n}\n%s\nr = %s\n", b, n, i, i, n, i, b, i, g.one("", b+"[0] = '+'", "note(\"%d\", cap("+b+"))"), b)}
	case 2:
		s := g.name("s")
		add := g.one(s+` += " "`, s+` = "0" + `+s, s+` += "é"`)
		return core{result: "string", body: fmt.Sprintf("%s := %s\nfor len(%s) < %s {\n%s\n}\nr = %s\n", s, g.str(), s, g.one(n, n+"+3", n+"-1", "5"), add, s)}
	}
	out := g.name("out")
	if g.pick(2) == 0 {
		return core{result: "[]byte", body: fmt.Sprintf("%s := %s\nfor len(%s) < %s {\n%s = append(%s, 0)\n}\nr = %s\n", out, g.bytes(), out, g.one(n, n+"+6"), out, out, out)}
	}
	h := g.host()
	return core{body: fmt.Sprintf("for len(%s.xs) < %s {\n%s.xs = append(%s.xs, \"\")\n}\n", h, g.one(n, n+"+3", h+".n"), h, h)}
}

func invariantCore(g *gen) core {
	arg := g.str()
	call := "strings.ToUpper(" + arg + ")"
	switch g.pick(10) {
	case 9:
		when := g.some("time.Time", "time.Unix(int64(in.pick(1000)), 0).UTC()")
		call = g.one(when+".Format(time.RFC3339)", when+".Format("+arg+")", "time.Duration("+g.int()+").String()", "("+when+").String()")
	case 0:
		call = "strings.ToLower(" + arg + ")"
	case 1:
		n := g.param("int", "in.Far()") // not one that takes all memory
		call = "strings.Repeat(" + g.one(arg, `"ab"`) + ", " + g.one(n, g.small(), g.host()+".n") + ")"
		g.hostile["size"] = true
	case 2:
		call = g.formatted("Sprint", "")
	case 3:
		call = "strconv.Itoa(" + g.int() + ")"
	case 4:
		call = "strings.TrimSpace(" + arg + ")"
	case 5:
		call = "strings.Join(" + g.strs() + ", " + arg + ")"
	case 6:
		call = "strings.ReplaceAll(" + arg + ", " + g.str() + ", " + g.str() + ")"
	}
	c := core{result: "int"}
	c.body = g.loop(func(x string) string {
		change := ""
		if g.odd(20, "changes") {
			change = g.one("touch()\n", "note(\"turn\")\n", "gs += \"x\"\n", g.host()+".bump()\n", "next()\n", "if "+x+" > 1 {\nbreak\n}\n", "if "+x+" > 1 {\ncontinue\n}\n", g.host()+".s += \"f\"\n")
		}
		if g.pick(2) == 0 {
			return change + fmt.Sprintf("r += len(%s) + %s\n", call, x)
		}
		return fmt.Sprintf("if strings.HasPrefix(%s, %s) {\nr += %s\n}\n%s", g.str(), call, x, change)
	})
	return c
}

func concatLoopCore(g *gen) core {
	s := g.name("s")
	c := core{result: "string", keep: g.pick(2) == 0}
	declare := g.one(s+" := \"\"\n", "var "+s+" string\n", s+" := "+g.str()+"\n")
	before := g.pick(3) == 1
	loop := g.loop(func(x string) string {
		piece := g.one(g.str(), `"x"`, g.str()+" + "+g.str())
		early := ""
		if g.odd(12, "early") {
			early = "if " + x + " == 2 {\n" + g.one("continue\n", "break\n", "return "+s+"\n", "panic("+s+")\n") + "}\n"
		}
		if before {
			return early + s + " = " + piece + " + " + s + "\n"
		}
		return early + s + " += " + piece + "\n"
	})
	c.body = declare + loop + "r = " + s + "\n"
	if g.odd(10, "recover") {
		c.body = strings.ReplaceAll(c.body, s, "r") // a named result, which who recovers sees half done
		c.body = strings.Replace(strings.Replace(strings.Replace(c.body, "var r string\n", "", 1), "r := ", "r = ", 1), "r = r\n", "", 1)
	}
	return c
}

// pieces are writes to a buffer of the function's own.
func (g *gen) pieces(b string) string {
	var s strings.Builder
	for range 1 + g.pick(4) {
		switch g.pick(8) {
		case 0:
			s.WriteString(b + ".WriteByte('x')\n")
		case 1:
			s.WriteString(b + ".WriteRune('é')\n")
		case 2:
			s.WriteString(b + ".Write(" + g.bytes() + ")\n")
		case 3:
			s.WriteString(g.formatted("Fprint", g.one("&", "&")+b+", ") + "\n")
		case 4:
			s.WriteString("if " + b + ".Len() > 0 {\n" + b + ".WriteByte(',')\n}\n")
		default:
			s.WriteString(b + ".WriteString(" + g.str() + ")\n")
		}
	}
	return s.String()
}

func toBuilderCore(g *gen) core {
	b := g.name("buf")
	pieces := g.pieces(b)
	declare := "var " + b + " bytes.Buffer\n"
	if g.pick(3) == 0 {
		declare = b + " := new(bytes.Buffer)\n"
		pieces = strings.ReplaceAll(pieces, "&"+b, b)
	}
	if g.pick(3) == 0 {
		pieces = g.in(pieces)
	}
	if g.odd(8, "size") {
		pieces = b + ".Grow(" + g.param("int", "in.Far()") + ")\n" + pieces
	}
	body := declare + pieces + "r = " + b + ".String()\n"
	if g.odd(10, "closure") {
		body = declare + "add := func() {\n" + pieces + "}\nadd()\nadd()\nr = " + b + ".String()\n"
	}
	if g.odd(8, "copy") {
		body += g.one("copied := "+b+"\nr += copied.String()\n", b+".WriteString(\"more\")\nr += "+b+".String()\n")
	}
	return core{result: "string", body: body}
}

func bufferGrowCore(g *gen) core {
	b := g.name("sb")
	declare := g.one("var "+b+" strings.Builder\n", b+" := strings.Builder{}\n")
	pieces := b + ".WriteString(" + g.str() + ")\n"
	for range 1 + g.pick(3) {
		pieces += g.one(b+".WriteString("+g.str()+")\n", b+".WriteByte('=')\n", b+".Write("+g.bytes()+")\n")
	}
	early := ""
	if g.odd(12, "early") {
		early = "if " + g.bool() + " {\nreturn \"early\"\n}\n"
	}
	c := core{result: "string", body: declare + early + pieces + "r = " + b + ".String()\n"}
	c.keep = early != ""
	return c
}

func conversionCore(g *gen) core {
	b, s := g.bytes(), g.str()
	switch g.pick(8) {
	case 0:
		return g.expression("", "strings.HasPrefix(string("+b+"), "+s+")", "bool")
	case 1:
		return g.expression("", "strings.Index(string("+b+"), "+g.one(s, "string("+g.bytes()+")", `"a"`)+")", "int")
	case 2:
		return g.expression("", "bytes.Contains([]byte("+s+"), []byte("+g.str()+"))", "bool")
	case 3:
		return g.expression("", "bytes.Equal([]byte("+s+"), "+g.one(b, "[]byte("+g.str()+")")+")", "bool")
	case 4:
		return g.expression("", "strings.Count(string("+b+"), string("+g.bytes()+"))", "int")
	}
	t := g.writee()
	pre, data := "", b
	if g.pick(4) == 0 {
		pre, data = g.aliased(t)
	}
	switch g.pick(3) {
	case 0:
		return g.written(t, pre, "io.WriteString("+t.ref()+", string("+data+"))")
	case 1:
		return g.written(t, pre, t.name+".Write([]byte("+s+"))")
	}
	return g.written(t, pre, t.name+".WriteString(string("+data+"))")
}

func splitCore(g *gen) core {
	s, sep := g.str(), g.one(`"="`, `","`, `":"`, `""`, "sep", g.str())
	pre := ""
	if sep == "sep" {
		pre = "const sep = \", \"\n"
	}
	switch g.pick(6) {
	case 0:
		return g.expression(pre, g.one("strings.Split("+s+", "+sep+")[0]", "strings.SplitN("+s+", "+sep+", 2)[0]", "strings.SplitN("+s+", "+sep+", 2)[1]", "strings.Split("+s+", "+sep+")[1]", "strings.SplitN("+s+", "+sep+", 3)[1]"), "string")
	case 1:
		parts := g.name("parts")
		return core{pre: pre, result: "string", body: fmt.Sprintf("%s := strings.SplitN(%s, %s, 2)\nif len(%s) != 2 {\nnote(\"one\")\n} else {\nr = %s[1] + %s[0]\n}\n", parts, s, sep, parts, parts, parts)}
	case 2:
		parts := g.name("parts")
		return core{pre: pre, result: "string", body: fmt.Sprintf("%s := strings.Split(%s, %s)\nr = %s\n", parts, s, sep, g.one(parts+"[len("+parts+")-1]", parts+"[0]"))}
	case 3:
		v := g.some("[]byte", "in.Bytes()")
		x := g.name("x")
		return core{pre: pre, result: "[]byte", body: fmt.Sprintf("for _, %s := range %s {\nnote(\"%%q\", %s)\n%s\nr = %s\n}\n", x, g.one("bytes.Split("+v+", []byte(\",\"))", "bytes.Fields("+v+")"), x, g.one("", "touch()", v+"[0] = 'Z'", x+" = append("+x+", '!')"), x)}
	}
	x := g.name("x")
	i := g.one("_", "_", g.name("i"))
	body := "r += " + x + "\n"
	if i != "_" {
		body += "note(\"%d\", " + i + ")\n"
	}
	if g.odd(20, "changes") {
		body += g.one("touch()\n", "if len("+x+") == 1 {\nbreak\n}\n", "if len("+x+") == 1 {\ncontinue\n}\n", "defer note(\"%s\", "+x+")\n", "if len("+x+") == 2 {\nreturn \"two\"\n}\n", "must("+x+")\n")
	}
	return core{pre: pre, result: "string", body: fmt.Sprintf("for %s, %s := range %s {\n%s}\n", i, x, g.one("strings.Split("+s+", "+sep+")", "strings.Fields("+s+")", "strings.SplitAfter("+s+", "+sep+")"), body), keep: strings.Contains(body, "return")}
}
