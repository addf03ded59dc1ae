package rules

import (
	"cmp"
	"fmt"
	"strings"
)

func sortCore(g *gen) core {
	typ, xs := "[]int", ""
	switch g.pick(6) {
	case 0, 1:
		xs = g.nums()
	case 2:
		typ, xs = "[]string", g.some("[]string", "in.Strs()")
	case 3:
		g.hostile["NaN"] = true
		typ, xs = "[]float64", g.some("[]float64", "in.Floats()")
	case 4:
		typ, xs = "[]pair", g.some("[]pair", "in.Pairs()")
	default:
		typ, xs = "[]*pair", g.some("[]*pair", "in.PairPtrs()")
	}
	pre := ""
	if g.odd(10, "field") && typ == "[]string" {
		xs = g.host() + ".xs"
	}
	whole := xs
	fn := g.one("sort.Slice", "sort.Slice", "sort.SliceStable")
	var less string
	switch typ {
	case "[]pair", "[]*pair":
		less = g.one(
			"return X[i].n < X[j].n",
			"return X[i].a < X[j].a",
			"return X[i].n > X[j].n",
			"if X[i].a != X[j].a {\nreturn X[i].a < X[j].a\n}\nreturn X[i].n < X[j].n",
			"if X[i].n == X[j].n {\nreturn X[i].a > X[j].a\n}\nreturn X[i].n < X[j].n",
			"return X[i].n < X[j].n || X[i].n == X[j].n && X[i].a < X[j].a",
			"x, y := X[i], X[j]\nif x.n < y.n {\nreturn true\n}\nif x.n > y.n {\nreturn false\n}\nreturn x.a < y.a",
			"return effN(X[i].n) < effN(X[j].n)",
			"return must(X[i].a) < must(X[j].a)",
			"return strings.ToLower(X[i].a) < strings.ToLower(X[j].a)",
			"return strings.Compare(X[i].a, X[j].a) < 0",
			"return len(X[i].a) < len(X[j].a)",
			"return X[i].n-X[j].n < 0",
			"if c := strings.Compare(X[i].a, X[j].a); c != 0 {\nreturn c > 0\n}\nreturn X[i].n < X[j].n",
			"if c := sub(X[i].n, X[j].n); c != 0 {\nreturn c < 0\n}\nreturn X[i].a < X[j].a",
			"return sub(X[i].n, X[j].n) < 0",
			"return X[i].n <= X[j].n",
		)
	default:
		less = g.one("return X[i] < X[j]", "return X[i] < X[j]", "return X[i] > X[j]", "return X[j] < X[i]", "return X[i] <= X[j]", "a, b := X[i], X[j]\nreturn a < b", "note(\"less\")\nreturn X[i] < X[j]", "return X[i]+X[0] < X[j]+X[0]", "return Y[i] < Y[j]")
	}
	if strings.Contains(less, "sub(") {
		g.decls = append(g.decls, fmt.Sprintf("func sub%d(a, b int) int { return a - b }\n", g.number))
		less = strings.ReplaceAll(less, "sub(", fmt.Sprintf("sub%d(", g.number))
	}
	call := ""
	switch g.pick(8) {
	case 0:
		switch typ {
		case "[]int":
			call = g.one("sort.Sort(sort.IntSlice(X))", "sort.Sort(sort.Reverse(sort.IntSlice(X)))", "sort.Stable(sort.IntSlice(X))", "note(\"%v\", sort.IsSorted(sort.IntSlice(X)))")
		case "[]string":
			call = g.one("sort.Sort(sort.StringSlice(X))", "sort.Sort(sort.Reverse(sort.StringSlice(X)))", "sort.Stable(sort.StringSlice(X))")
		case "[]float64":
			call = g.one("sort.Sort(sort.Float64Slice(X))", "sort.Sort(sort.Reverse(sort.Float64Slice(X)))", "sort.Stable(sort.Float64Slice(X))", "note(\"%v\", sort.IsSorted(sort.Reverse(sort.Float64Slice(X))))")
		}
	case 1:
		if !strings.Contains(typ, "pair") {
			call = g.one("slices.SortFunc(X, cmp.Compare)", "slices.SortFunc(X, func(a, b "+typ[2:]+") int { return cmp.Compare(a, b) })", "slices.SortStableFunc(X, func(a, b "+typ[2:]+") int { return cmp.Compare(a, b) })")
		}
	}
	if call == "" && g.pick(3) == 0 {
		call = g.sorter(typ, less)
	}
	if call == "" && g.pick(5) == 0 {
		call = fmt.Sprintf("note(\"%%v\", sort.SliceIsSorted(X, func(i, j int) bool {\n%s\n}))", less)
	}
	if call == "" {
		call = fmt.Sprintf("%s(X, func(i, j int) bool {\n%s\n})", fn, less)
	}
	if g.odd(6, "alias") {
		name := g.name("sorted")
		pre = name + " := " + xs + "\n"
		xs = name
	}
	if g.odd(8, "global") && typ == "[]string" {
		xs = "gxs"
	}
	call = strings.ReplaceAll(call, "Y[", "("+whole+")[")
	return core{pre: pre, result: typ, body: strings.ReplaceAll(call, "X", xs) + "\nr = " + xs + "\n"}
}

// sorter is a call of sort.Sort, or the like, with a type whose Less method has a body.
func (g *gen) sorter(typ, less string) string {
	name := fmt.Sprintf("sorter%d", g.number)
	recv := g.one("s", "a", "x", "sort", "cmp")
	of := g.one("", "", "", ".all")
	def, star, arg := typ, "", name+"(X)"
	if of != "" {
		star = g.one("", "*")
		def = "struct {\nn int\nall " + typ + "\n}"
		arg = map[string]string{"": "", "*": "&"}[star] + name + g.one("{0, X}", "{all: X}", "{n: len(X), all: X}", "{next(), X}")
	}
	part := recv + of
	if strings.Contains(less, "Y[") {
		less = "return X[i] < X[j]"
	}
	less = strings.ReplaceAll(less, "X[", part+"[")
	swap := fmt.Sprintf("%[1]s[i], %[1]s[j] = %[1]s[j], %[1]s[i]", part)
	if g.odd(12, "swap") {
		swap += "\nnote(\"swap\")"
	}
	method := func(rest string) string { return fmt.Sprintf("func (%s %s%s) %s\n", recv, star, name, rest) }
	g.decls = append(g.decls, fmt.Sprintf("type %s %s\n", name, def), method("Len() int { return len("+part+") }"), method("Swap(i, j int) {\n"+swap+"\n}"), method("Less(i, j int) bool {\n"+less+"\n}"))
	return g.one("sort.Sort("+arg+")", "sort.Sort("+arg+")", "sort.Stable("+arg+")", "sort.Sort(sort.Reverse("+arg+"))", "note(\"%v\", sort.IsSorted("+arg+"))")
}

func deepEqualCore(g *gen) core {
	typ, value := "string", "in.Str()"
	switch g.pick(15) {
	case 11, 12:
		typ, value = "deep", "in.Deep()"
	case 13:
		typ, value = "*deep", "func() *deep { if in.pick(4) == 0 { return nil }; d := in.Deep(); return &d }()"
	case 14:
		typ, value = "float64", "in.Float()"
	case 1:
		typ, value = "int", "in.Int()"
	case 2:
		typ, value = "pair", "in.Pair()"
	case 3:
		typ, value = "[]string", "in.Strs()"
	case 4:
		typ, value = "[]byte", "in.Bytes()"
	case 5:
		typ, value = "map[string]int", "in.One()"
	case 6:
		typ, value = "[]int", "in.Nums()"
	case 7:
		typ, value = "[2]string", "[2]string{in.Str(), in.Str()}"
	case 8:
		typ, value = "[]pair", "in.Pairs()"
	case 9:
		typ, value = "str", "str(in.Str())"
	case 10:
		typ, value = "[]float64", "in.Floats()"
	}
	x := g.param(typ, value)
	y := g.param(typ, value)
	same := g.pick(4)
	if same == 0 {
		y = x
	}
	if typ == "string" {
		x, y = g.one(x, g.str()), g.one(y, g.str())
	}
	if g.odd(8, "effect") {
		x = "func() " + typ + " { note(\"left\"); touch(); return " + x + " }()"
	}
	if g.odd(5, "panic") {
		x = "func() " + typ + " { next(); return " + x + " }()"
	}
	e := "reflect.DeepEqual(" + x + ", " + y + ")"
	if g.pick(6) == 5 {
		e = "reflect.ValueOf(" + x + ").IsZero()"
	}
	if g.pick(4) == 0 {
		e = "!" + e
	}
	if g.pick(6) == 0 {
		return core{result: "bool", body: "if " + e + " && " + g.bool() + " {\nr = true\n}\n"}
	}
	return g.expression("", e, "bool")
}

func (g *gen) headerName() string {
	return g.one(`"content-type"`, `"Content-type"`, `"x-id"`, `"bad name"`, `"a\u00e9"`, `"CONTENT-LENGTH"`, `"x:y"`, `""`, `"etag"`, "`x-raw`", `"Host"`)
}

func headerKeyCore(g *gen) core {
	h := g.some("http.Header", "http.Header(in.Lists())")
	name := g.headerName()
	switch g.pick(4) {
	case 0:
		return core{body: h + g.one(".Set(", ".Add(") + name + ", " + g.str() + ")\n"}
	case 1:
		return core{body: h + ".Del(" + name + ")\n"}
	case 2:
		return g.expression("", h+".Values("+name+")", "[]string")
	}
	return g.expression("", h+".Get("+name+")", "string")
}

func headerTwiceCore(g *gen) core {
	h := g.some("http.Header", "http.Header(in.Lists())")
	name := "http.CanonicalHeaderKey(" + g.one(g.str(), g.headerName()) + ")"
	switch g.pick(4) {
	case 0:
		return core{body: h + g.one(".Set(", ".Add(") + name + ", " + g.str() + ")\n"}
	case 1:
		return core{body: h + ".Del(" + name + ")\n"}
	}
	return g.expression("", h+".Get("+name+")", "string")
}

func joinCore(g *gen) core {
	var parts []string
	for range 1 + g.pick(4) {
		parts = append(parts, g.str())
	}
	sep := g.one(`", "`, `""`, g.some("string", "in.Str()"), g.str())
	call := "strings.Join("
	pre := ""
	if g.odd(15, "variable") {
		join := g.name("join")
		pre = join + " := strings.Join\n"
		if g.pick(4) == 0 {
			pre += "if len(gs) > 100 {\n" + join + " = nil\n}\n"
		} else {
			pre += "note(\"%v\", " + join + " != nil)\n"
		}
		call = join + "("
	}
	e := call + "[]string{" + strings.Join(parts, ", ") + "}, " + sep + ")"
	if g.pick(4) == 0 {
		e += g.one("[1:]", " + "+g.str(), "[len(gs):]")
	}
	return g.expression(pre, e, "string")
}

func engineCore(g *gen) core {
	re := fmt.Sprintf("re%d", g.number)
	pattern := g.one("abc", "^a", "b$", "^key$", `\.`, "", "K", "(?i)abc", "é", `^\xff`, "a.c", `\x{fffd}`, "(abc)", "(?m)^a", "a|b", "[a]", `^$`, `(?s:.)a`, `\Aa`, `a\z`,
		`^[a-z]+$`, `\d+`, `\bkey\b`, `(a|b)+c`, `[^=]*=`, `^(\w+)=(\w*)`, `a(?:,(b))?`, `^.b`, `(?i)^k+`)
	g.decls = append(g.decls, fmt.Sprintf("var %s = regexp.MustCompile(`%s`)\n", re, pattern))
	pre := ""
	if g.odd(6, "changes") {
		g.decls = append(g.decls, fmt.Sprintf("func change%d() { %s = regexp.MustCompile(\"x\") }\n", g.number, re))
	}
	if g.odd(4, "nil") {
		g.decls = append(g.decls, fmt.Sprintf("func drop%d(to **regexp.Regexp) { *to = nil }\n", g.number))
		pre = fmt.Sprintf("drop%d(&%s)\n", g.number, re)
	}
	if g.pick(4) == 0 {
		local := g.name("re")
		pre += g.one(local+" := "+re+"\n", "var "+local+" = "+re+" // a copy\n\n", local+" := "+re+"\nnote(\"%v\", "+local+".MatchString(\"key\"))\n",
			local+" := "+re+"\nif "+g.bool()+" {\n"+local+" = regexp.MustCompile(\"x\")\n}\n", local+" := "+re+"\nfunc("+re+" string) { note(\"%v\", "+local+".MatchString("+re+")) }("+g.str()+")\n",
			local+", _ := "+re+", 0\n")
		re = local
	}
	switch g.pick(6) {
	case 4:
		find := g.one(`ReplaceAllString "-" string`, `ReplaceAllString "" string`, `ReplaceAllString "$0" string`, "ReplaceAllLiteralString "+g.str()+" string", "FindAllString -1 []string", "FindAllStringIndex -1 [][]int", "FindAllString 2 []string")
		method, rest, _ := strings.Cut(find, " ")
		i := strings.LastIndexByte(rest, ' ')
		return g.expression(pre, re+"."+method+"("+g.str()+", "+rest[:i]+")", rest[i+1:])
	case 1:
		return g.expression(pre, re+".Match("+g.bytes()+")", "bool")
	case 2:
		find := g.one("FindString ", "FindStringIndex []int", "FindStringSubmatch []string", "FindStringSubmatchIndex []int")
		method, result, _ := strings.Cut(find, " ")
		return g.expression(pre, re+"."+method+"("+g.str()+")", cmp.Or(result, "string"))
	case 3:
		find := g.one("Find []byte", "FindIndex []int", "FindSubmatch [][]byte", "FindSubmatchIndex []int")
		method, result, _ := strings.Cut(find, " ")
		return g.expression(pre, re+"."+method+"("+g.bytes()+")", result)
	}
	e := g.one("", "!") + re + ".MatchString(" + g.str() + ")"
	return g.expression(pre, e, "bool")
}

func regexpCore(g *gen) core {
	pattern := g.one("`a+`", "`^[a-z]+=`", "`(?i)key`", "`b|bb`", "`(`", "`k(e)y`", "``")
	text := g.str()
	switch g.pick(9) {
	case 0:
		m, err := g.name("ok"), g.name("err")
		return core{result: "bool", body: fmt.Sprintf("%s, %s := regexp.MatchString(%s, %s)\nif %s != nil {\nnote(\"%%v\", %s)\n}\nr = %s\n", m, err, pattern, text, err, err, m)}
	case 1:
		re, err := g.name("re"), g.name("err")
		return core{result: "string", body: fmt.Sprintf("%s, %s := regexp.Compile(%s)\nif %s != nil {\nreturn %s.Error()\n}\nr = %s.FindString(%s)\n", re, err, pattern, err, err, re, text), keep: true}
	case 2:
		re := g.name("re")
		declared := g.one(re+" := regexp.MustCompile(%s)\n", "var "+re+" = regexp.MustCompile(%s)\n", re+" := regexp.MustCompile(%s) // a pattern\n\n", "var "+re+" interface {\nLongest()\nReplaceAllString(string, string) string\n} = regexp.MustCompile(%s)\n")
		before := g.one("", "touch()", re+".Longest()", "func() { "+re+".Longest() }()", "also := "+re+"\nalso.Longest()", "if "+g.bool()+" {\n"+re+" = regexp.MustCompile(\"x\")\n}", "also := &"+re+"\n*also = regexp.MustCompile(\"x\")")
		return core{result: "string", body: fmt.Sprintf(declared+"%s\nr = %s.ReplaceAllString(%s, \"<$0>\")\n", pattern, before, re, text)}
	case 3:
		return core{result: "*regexp.Regexp", body: "r = regexp.MustCompile(" + pattern + ")\n" + g.one("", "r.Longest()\n", "note(\"%v\", r == regexp.MustCompile("+pattern+"))\n")}
	case 4:
		quoted := g.one("regexp.QuoteMeta("+g.some("string", "in.Str()")+")", `"^" + regexp.QuoteMeta(`+g.some("string", "in.Str()")+`)`, `regexp.QuoteMeta(`+g.some("string", "in.Str()")+`) + "$"`, `"(?i)" + regexp.QuoteMeta(`+g.some("string", "in.Str()")+`)`)
		return g.expression("", "regexp.MustCompile("+quoted+").MatchString("+text+")", "bool")
	case 5:
		m, err := g.name("ok"), g.name("err")
		return core{result: "bool", body: fmt.Sprintf("%s, %s := regexp.MatchString(\"^\"+regexp.QuoteMeta(%s), %s)\nr = %s && %s == nil\n", m, err, g.str(), text, m, err)}
	}
	return g.expression("", "regexp.MustCompile("+pattern+").MatchString("+text+")", "bool")
}

func templateCore(g *gen) core {
	text := g.one("`Hello, {{.}}!`", "`{{.x}}`", "`{{`", "`{{template \"t\"}}`", "`{{define \"t\"}}x{{end}}{{template \"t\"}}`", "`{{.Name}}`", "``")
	t, sb := g.name("t"), g.name("sb")
	data := g.one(g.str(), g.value(), g.some("map[string]int", "in.Map()"))
	execute := fmt.Sprintf("var %s strings.Builder\nif err := %s.Execute(&%s, %s); err != nil {\nnote(\"failed %%.60v\", err)\n}\nr = %s.String()\n", sb, t, sb, data, sb)
	change := ""
	if g.odd(10, "changes") {
		change = g.one(t+".Funcs(nil)\n", t+".Delims(\"<\", \">\")\n", "also := "+t+"\nalso.Parse(\"other\")\n", t+".Option(\"missingkey=error\")\n")
	}
	if g.pick(2) == 0 {
		return core{result: "string", body: fmt.Sprintf("%s := template.Must(template.New(\"x\").Parse(%s))\n%s%s", t, text, change, execute)}
	}
	err := g.name("err")
	return core{result: "string", keep: true, body: fmt.Sprintf("%s, %s := template.New(\"x\").Parse(%s)\nif %s != nil {\nreturn \"error\"\n}\n%s%s", t, err, text, err, change, execute)}
}

func locationCore(g *gen) core {
	name := g.one(`"Europe/Berlin"`, `"America/New_York"`, `"No/Where"`, `"Asia/Tokyo"`)
	loc, err := g.name("loc"), g.name("err")
	use := g.one("r = %s.String()\n", "r = time.Unix(1700000000, 0).In(%s).Format(time.RFC3339)\n", "*%s = *time.UTC\nr = \"changed\"\n")
	return core{result: "string", body: fmt.Sprintf("%s, %s := time.LoadLocation(%s)\nif %s == nil {\n%s} else {\nr = %s.Error()\n}\n", loc, err, name, err, fmt.Sprintf(use, loc), err)}
}

func replacerCore(g *gen) core {
	pairs := g.one(`"a", "b"`, `"<", "&lt;", ">", "&gt;"`, `"key", "KEY", "", "-"`, `"a", "1", "a", "2"`)
	text := g.str()
	switch g.pick(4) {
	case 0:
		rp := g.name("rp")
		return core{result: "string", body: fmt.Sprintf("%s := strings.NewReplacer(%s)\nr = %s.Replace(%s)\n", rp, pairs, rp, text)}
	case 1:
		return core{result: "bool", body: fmt.Sprintf("x, y := strings.NewReplacer(%s), strings.NewReplacer(%s)\nr = x == y && x.Replace(%s) != \"\"\n", pairs, pairs, text)}
	case 2:
		return core{body: fmt.Sprintf("strings.NewReplacer(%s).WriteString(%s, %s)\n", pairs, g.some("io.Writer", "in.Writer()"), text)}
	}
	return g.expression("", "strings.NewReplacer("+pairs+").Replace("+text+")", "string")
}

func randCore(g *gen) core {
	seed := g.one("time.Now().UnixNano()", "time.Now().Unix() + int64("+g.int()+")", "int64("+g.int()+") ^ time.Now().UTC().UnixNano()")
	src := "rand.New(rand.NewSource(" + seed + "))"
	draw := g.one(".Intn(1)", ".Intn("+g.small()+") * 0", ".Perm(1)[0]", ".Int() & 0", ".Int31n(1) + 0")
	if strings.HasPrefix(draw, ".Int31n") {
		draw = ".Perm(" + g.small() + ")[0] * 0"
	}
	if g.pick(2) == 0 {
		return g.expression("", src+draw, "int")
	}
	rnd := g.name("rnd")
	more := g.one("", "", rnd+".Seed(1)\n", "also := "+rnd+"\nnote(\"%v\", also == "+rnd+")\n", rnd+".Shuffle("+g.small()+", func(i, j int) {})\n")
	return core{result: "int", body: rnd + " := " + src + "\n" + more + "r = " + rnd + draw + "\n"}
}

func encoderCore(g *gen) core {
	c := core{result: "string", keep: true}
	w := g.name("w")
	switch g.pick(4) {
	case 0, 1:
		buf := g.name("buf")
		c.pre = fmt.Sprintf("var %s bytes.Buffer\n%s := gzip.NewWriter(&%s)\n", buf, w, buf)
		body := w + ".Write(" + g.bytes() + ")\n"
		if g.odd(12, "changes") {
			body = g.one(w+".Name = \"name\"\n", w+".Header.Comment = \"c\"\n", "other := "+w+"\nother.Name = \"x\"\n", w+".Extra = []byte{1}\n") + body
		}
		if g.odd(10, "panic") {
			body += "note(must(" + g.str() + "))\n"
		}
		c.body = body + g.one(w+".Close()\n", w+".Close()\n"+w+".Close()\n", w+".Flush()\n"+w+".Close()\n", w+".Flush()\n") + "r = " + buf + ".String()\n"
	case 2:
		to := g.one(g.some("*watcher", "&watcher{left: in.pick(20) - 5}"), g.some("*texter", "&texter{watcher{left: -1}}"))
		c.pre = fmt.Sprintf("%s := bufio.NewWriter(%s)\n", w, to)
		c.body = w + ".WriteString(" + g.str() + ")\n" + g.one("", "defer "+w+".Flush()\n", w+".Flush()\n", w+".Flush()\n") + "note(\"%d %d\", " + w + ".Buffered(), " + w + ".Available())\n"
		if g.odd(10, "panic") {
			c.body += "note(must(" + g.str() + "))\n"
		}
	default:
		from := g.some("*strings.Reader", "in.Lines()")
		c.pre = fmt.Sprintf("%s := bufio.NewReader(%s)\n", w, from)
		c.body = fmt.Sprintf("r, _ = %s.ReadString('\\n')\n", w) + g.one("", w+".UnreadByte()\nnote(\"%d\", "+w+".Buffered())\n", "b, _ := "+w+".ReadBytes('\\n')\nr += string(b)\n")
	}
	return c
}

func tolowerCore(g *gen) core {
	fn := g.one("strings.ToLower", "strings.ToUpper")
	a := g.str()
	if g.pick(6) == 0 {
		fn = strings.Replace(fn, "strings", "bytes", 1)
		return g.expression("", fmt.Sprintf("bytes.Equal(%s(%s), %s)", fn, g.bytes(), g.one(fn+"("+g.bytes()+")", `[]byte("key=value")`, `[]byte("ABC")`)), "bool")
	}
	b := g.one(fn+"("+g.str()+")", `"k"`, `"abc"`, `"S"`, `"KEY=VALUE"`, `"get"`)
	x, y := fn+"("+a+")", b
	if g.pick(3) == 0 {
		x, y = y, x
	}
	return g.expression("", x+g.one(" == ", " != ")+y, "bool")
}

func containsAnyCore(g *gen) core {
	chars := g.one(`"=:"`, `"a,"`, `" \n"`, `"%dx"`, `"\x00a"`)
	e := "strings.ContainsAny(" + g.str() + ", " + chars + ")"
	if g.pick(3) == 0 {
		e = "bytes.ContainsAny(" + g.bytes() + ", " + chars + ")"
	}
	switch g.pick(5) {
	case 0:
		e = "!" + e
	case 1:
		e = e + " && " + g.bool()
	case 2:
		e = g.bool() + " || " + e
	case 3:
		e = e + " == (" + g.bool() + ")"
	}
	return g.expression("", e, "bool")
}

func mathMaxCore(g *gen) core {
	operand := func() string {
		return g.plainOr(g.float,
			choice{"", func() string { return g.one("0", "1.5", "-0.0", "1e99") }},
			choice{"", func() string { return "float64(" + g.int() + ")" }},
			choice{"panic", func() string {
				return "*" + g.some("*float64", "func() *float64 { if in.Bool() { return nil }; f := in.Float(); return &f }()")
			}},
			choice{"", func() string { return "math.Min(" + g.float() + ", " + g.float() + ")" }},
			choice{"effect", func() string { return "float64(effN(" + g.int() + "))" }},
		)
	}
	call := g.one("math.Max(", "math.Min(") + operand() + ", " + operand() + ")"
	if g.pick(4) == 3 {
		call += g.one(" + ", " / ", " * ") + operand()
	}
	return g.expression("", call, "float64")
}

func mathPowCore(g *gen) core {
	base := g.plainOr(g.float,
		choice{"", func() string { return g.float() + " - " + g.float() }},
		choice{"", func() string { return "-float64(" + g.int() + ")" }},
		choice{"panic", func() string {
			return "*" + g.some("*float64", "func() *float64 { if in.Bool() { return nil }; f := in.Float(); return &f }()")
		}},
	)
	call := "math.Pow(" + base + ", " + g.one("2", "3", "0.5") + ")"
	if g.pick(3) == 2 {
		call = "math.Pow(" + g.one("2", "10") + ", float64(" + g.int() + "))"
	}
	if g.pick(4) == 3 {
		call = g.one("-", "1 / ", g.float()+" * ") + call + g.one("", " + "+g.float(), " / "+g.float())
	}
	return g.expression("", call, "float64")
}

// elementCopied copies an element and reads parts of the copy, while something may change the element.
func (g *gen) elementCopied() core {
	v := g.name("v")
	read, other := v+".id", "rec{id: 5}"
	var xs string
	switch g.pick(4) {
	case 0:
		xs = g.some("[]rec", "in.Recs()")
	case 1:
		xs = g.some("[3]rec", "func() (all [3]rec) { copy(all[:], in.Recs()); return all }()")
	case 2:
		xs = g.some("*[3]rec", "func() *[3]rec { if in.pick(5) == 0 { return nil }; all := [3]rec{}; copy(all[:], in.Recs()); return &all }()")
	default:
		xs = g.some("[][4]int", "[][4]int{{in.pick(4), 1}, {2, 3}}")
		read, other = v+"[0]", "[4]int{5}"
	}
	at := xs + "[" + g.one("0", "1", g.small()) + "]"
	var body strings.Builder
	fmt.Fprintf(&body, "%s := %s\n", v, at)
	if g.odd(45, "changes") {
		body.WriteString(g.one(
			"touch()\n",
			at+" = "+other+"\n",
			xs+"[0] = "+xs+"[1]\n",
			"p := &"+at+"\n*p = "+other+"\n",
			"defer func() { note(\"%d\", "+read+") }()\n",
			"func() { "+at+" = "+other+" }()\n",
			g.host()+".bump()\n",
			read+" = 4\n",
			"keep := "+v+"\nr += len(fmt.Sprint(keep))\n",
			"for i := range "+xs+" {\n"+xs+"[i] = "+other+"\nr += "+read+"\n}\n",
			"clear("+xs+"[:1])\n",
		))
	}
	fmt.Fprintf(&body, "r += %s\n", read)
	if g.pick(2) == 1 {
		fmt.Fprintf(&body, "if %s > 1 {\nr += %s\n}\n", read, read)
	}
	return core{result: "int", body: body.String()}
}

func largeCopyCore(g *gen) core {
	if g.pick(2) == 1 {
		return g.elementCopied()
	}
	xs := g.one(g.some("[]rec", "in.Recs()"), g.some("[3]rec", "func() (all [3]rec) { copy(all[:], in.Recs()); return all }()"), g.some("*[3]rec", "func() *[3]rec { if in.pick(5) == 0 { return nil }; all := [3]rec{}; copy(all[:], in.Recs()); return &all }()"), "global")
	if xs == "global" {
		xs = fmt.Sprintf("recs%d", g.number)
		g.decls = append(g.decls, fmt.Sprintf("var %s = []rec{{id: 1, name: \"a\"}, {id: 2, name: \"b\"}}\n\nfunc change%d() {\n%s[1].id++\n%s = append(%s[:1:1], rec{id: 9})\n}\n", xs, g.number, xs, xs, xs))
	}
	v := g.name("v")
	key := g.one("_", g.name("i"))
	var body strings.Builder
	if key != "_" {
		fmt.Fprintf(&body, "note(\"%%d\", %s)\n", key)
	}
	for range 1 + g.pick(2) {
		body.WriteString(g.one("r += "+v+".id\n", "r += len("+v+".name)\n", "r += len("+v+".Name())\n", "if "+v+".id > 2 {\nnote(\"%d\", "+v+".n)\n}\n", "r += len("+v+".tags)\n", "if "+v+".name == \"a\" {\nbreak\n}\n", "if "+v+".id == 1 {\ncontinue\n}\n"))
	}
	if g.odd(45, "changes") {
		switch c := g.pick(10); {
		case c == 0 && strings.HasPrefix(xs, "recs"):
			fmt.Fprintf(&body, "change%d()\nr += %s.id\n", g.number, v)
		case c == 1:
			fmt.Fprintf(&body, "if %s.id > 1 {\ng := func() int { return %s.id }\nr += g()\n}\n", v, v)
		case c == 2:
			body.WriteString("touch()\nr += " + v + ".id\n")
		case c == 3:
			fmt.Fprintf(&body, "if %s.id > 0 {\nkeep := %s\nkeep.id++\nr += keep.id + %s.id\n}\n", v, v, v)
		case c == 4:
			fmt.Fprintf(&body, "defer func() {\nnote(\"%%d\", %s.id)\n}()\n", v)
		case c == 5:
			p := g.some("*rec", "in.Rec()")
			fmt.Fprintf(&body, "%s.bump()\nr += %s.id\n", p, v)
		case c == 6:
			fmt.Fprintf(&body, "if %s.next != nil {\n%s.next.bump()\nr += %s.id\n}\n", v, v, v)
		case c == 7:
			fmt.Fprintf(&body, "if %s.id > 1 {\nnote(\"%%v\", %s.pair)\n}\n", v, v)
		case c == 8:
			h := g.host()
			fmt.Fprintf(&body, "%s.bump()\nr += %s.id\n", h, v)
		default:
			p := g.some("*int", "func() *int { x := in.pick(9); return &x }()")
			fmt.Fprintf(&body, "*%s = 7\nr += %s.id\n", p, v)
		}
	}
	return core{result: "int", body: fmt.Sprintf("for %s, %s := range %s {\n%s}\n", key, v, xs, body.String())}
}

func rangeLookupCore(g *gen) core {
	m, pre := "", ""
	value := "%s"
	switch g.pick(6) {
	case 0, 1:
		m = g.some("map[string]int", "in.One()")
	case 2:
		m, value = g.some("map[int]pair", "map[int]pair{in.pick(3): in.Pair()}"), "%s.n"
	case 3:
		m, value = g.some("map[int]*pair", "map[int]*pair{in.pick(3): {in.Str(), in.pick(3)}}"), "%s.n"
	case 4:
		m = "gm"
		pre = "for k := range gm {\nif len(gm) > 1 {\ndelete(gm, k)\n}\n}\n"
	default:
		m = g.host() + ".m"
		pre = "for k := range " + m + " {\nif len(" + m + ") > 1 {\ndelete(" + m + ", k)\n}\n}\n"
	}
	k := g.name("k")
	entry := m + "[" + k + "]"
	head := k
	if g.pick(3) == 0 {
		v := g.name("v")
		head += ", " + v
		entry2 := fmt.Sprintf("note(\"%%v\", %s)\n", v)
		return core{pre: pre, result: "int", body: fmt.Sprintf("for %s := range %s {\n%sr += %s\n%s}\n", head, m, entry2, fmt.Sprintf(value, entry), g.afterEntry(m, k, entry, value))}
	}
	return core{pre: pre, result: "int", body: fmt.Sprintf("for %s := range %s {\nr += %s\n%s}\n", head, m, fmt.Sprintf(value, entry), g.afterEntry(m, k, entry, value))}
}

// afterEntry is what a loop does between two looks at an entry.
func (g *gen) afterEntry(m, k, entry, value string) string {
	if !g.odd(50, "changes") {
		return ""
	}
	again := "r += " + fmt.Sprintf(value, entry) + "\n"
	switch g.pick(8) {
	case 0:
		return "touch()\n" + again
	case 1:
		name := g.name("also")
		return name + " := " + m + "\nfor x := range " + name + " {\ndelete(" + name + ", x)\n}\n" + again
	case 2:
		return "delete(" + m + ", " + k + ")\n" + again
	case 3:
		return g.host() + ".bump()\n" + again
	case 4:
		f := g.name("f")
		return f + " := func() int { return " + fmt.Sprintf(value, entry) + " }\ntouch()\nr += " + f + "()\n"
	case 5:
		return "if v, ok := " + entry + "; ok {\nnote(\"%v\", v)\n}\n"
	case 6:
		return "r += next()\n" + again
	}
	return "if r > 2 {\nbreak\n}\n" + again
}

// mapTwiceCore looks an element up in a condition or an assignment, and then again.
func mapTwiceCore(g *gen) core {
	m, value := "", "%s"
	switch g.pick(5) {
	case 0, 1:
		m = g.some("map[string]int", "in.Map()")
	case 2:
		m, value = g.some("map[string]pair", "map[string]pair{in.Str(): in.Pair()}"), "%s.n"
	case 3:
		m = "gm"
	default:
		m = g.host() + ".m"
	}
	k := g.some("string", "in.Str()")
	entry := m + "[" + k + "]"
	of := fmt.Sprintf(value, entry)
	again := "r += " + of + "\n"
	if g.odd(50, "changes") {
		again = g.one(
			"touch()\n"+again,
			"delete("+m+", "+k+")\n"+again,
			g.host()+".bump()\n"+again,
			"r += next()\n"+again,
			"for range 2 {\n"+again+"delete("+m+", "+k+")\n}\n",
			"defer func() { note(\"%v\", "+of+") }()\n",
			"r += next() + "+of+"\n",
			k+" = "+k+" + "+k+"\n"+again,
			"if r > 2 {\nreturn r\n}\n"+again,
		)
	}
	ok, v := g.name("ok"), g.name("v")
	switch g.pick(6) {
	case 0:
		return core{result: "int", body: "if _, " + ok + " := " + entry + "; " + ok + " {\n" + again + "}\n"}
	case 1:
		return core{result: "int", body: "if " + v + ", " + ok + " := " + entry + "; !" + ok + " {\nr++\n_ = " + v + "\n} else {\n" + again + "}\n"}
	case 2:
		return core{result: "int", body: v + ", " + ok + " := " + entry + "\nif " + ok + " {\n" + again + "}\nnote(\"%v\", " + v + ")\n"}
	case 3:
		return core{result: "int", body: "if " + of + " > 0 && " + of + " < 3 {\n" + again + "}\n"}
	}
	return core{result: "int", body: "if " + of + " > 0 {\n" + again + "} else {\nr -= " + of + "\n}\n"}
}

func scannerCore(g *gen) core {
	sc, line := g.name("sc"), g.name("line")
	pre := fmt.Sprintf("%s := bufio.NewScanner(%s)\n", sc, g.some("*strings.Reader", "in.Lines()"))
	if g.pick(2) == 0 {
		pre += sc + ".Buffer(make([]byte, 4), 64)\n"
	}
	var body strings.Builder
	for range 1 + g.pick(3) {
		body.WriteString(g.one(
			"r += len("+line+")\n",
			"if "+line+" == \"a\" {\ncontinue\n}\n",
			"if strings.HasPrefix("+line+", \"a\") {\nr++\n}\n",
			"if strings.Contains("+line+", \"=\") {\nr += 2\n}\n",
			"switch "+line+" {\ncase \"x\":\nr += 3\n}\n",
			"r += "+g.some("map[string]int", "in.Map()")+"["+line+"]\n",
			"if "+line+" != "+g.str()+" {\nr += 5\n}\n",
			"if "+line+" != \"\" && "+line+"[0] == '#' {\nr += 7\n}\n",
			"r += strings.Index("+line+", \":\")\n",
		))
	}
	if g.odd(30, "changes") {
		body.WriteString(g.one(sc+".Scan()\n", "last = "+line+"\n", "seen["+line+"]++\n", "note("+line+")\n", "defer note("+line+")\n", "next()\n", "func(s *bufio.Scanner) { s.Scan() }("+sc+")\n", "f := func() { "+sc+".Scan() }\nf()\n", "touch()\n"))
		body.WriteString(g.one("if "+line+" == \"b\" {\nr += 100\n}\n", "r += len("+line+")\n"))
		pre += "var last string\nseen := map[string]int{}\n"
		body.WriteString("_, _ = last, seen\n")
	}
	return core{pre: pre, result: "int", keep: g.pick(3) > 0, body: fmt.Sprintf("for %s.Scan() {\n%s := %s.Text()\n%s}\n", sc, line, sc, body.String())}
}

func errorfCore(g *gen) core {
	text := g.one("bad input %d", "no such thing %d", "100%% of %d", "%d: \\\"quoted\\\"", "same")
	text = strings.ReplaceAll(text, "%d", fmt.Sprint(g.number))
	call := "fmt.Errorf(\"" + text + "\")"
	if g.pick(2) == 0 {
		call = "errors.New(\"" + text + "\")"
	}
	switch g.pick(7) {
	case 0:
		return core{result: "error", keep: true, body: "if " + g.bool() + " {\nreturn " + call + "\n}\nr = nil\n"}
	case 1:
		g.hostile["identity"] = true
		return core{result: "bool", body: "x := " + call + "\ny := " + call + "\nr = x == y\n"}
	case 2:
		g.hostile["identity"] = true
		return core{result: "[]error", body: "r = append(r, " + strings.Replace(call, "(", "(", 1) + ")\n"}
	case 3:
		g.hostile["identity"] = true
		return core{result: "error", body: "err := " + call + "\nif r == err {\nnote(\"same\")\n}\nr = err\n"}
	case 4:
		return core{result: "error", body: "r = wrapErr{" + call + "}\n"}
	case 5:
		return core{result: "error", body: "r = errors.Join(r, " + call + ")\n"}
	}
	return core{result: "error", body: "r = " + call + "\n"}
}

func hashSumCore(g *gen) core {
	h := g.name("h")
	pre := ""
	switch g.pick(4) {
	case 0:
		pre = h + " := sha256.New()\n" + h + ".Write(" + g.bytes() + ")\n"
	case 1:
		pre = h + " := fnv.New32a()\n" + h + ".Write(" + g.bytes() + ")\n"
	case 2:
		g.decls = append(g.decls, "type sum"+fmt.Sprint(g.number)+" struct{ last []byte }\n\nfunc (*sum"+fmt.Sprint(g.number)+") Size() int { return 2 }\nfunc (*sum"+fmt.Sprint(g.number)+") BlockSize() int { return 2 }\nfunc (s *sum"+fmt.Sprint(g.number)+") Sum(b []byte) []byte {\nnote(\"Sum %d\", len(b))\nif b == nil {\nreturn []byte(\"ab\")\n}\nreturn append(b, \"cd\"...)\n}\n")
		g.hostile["method"] = true
		pre = h + " := &sum" + fmt.Sprint(g.number) + "{}\n"
	default:
		pre = "var " + h + " hash.Hash = md5.New()\n" + h + ".Write(" + g.bytes() + ")\n"
	}
	return g.expression(pre, "append("+g.bytes()+", "+h+".Sum(nil)...)", "[]byte")
}

func errorsAsCore(g *gen) core {
	v := g.name("target")
	err := g.err()
	if g.odd(10, "effect") {
		err = "func() error { note(\"asked\"); touch(); return " + err + " }()"
	}
	typ := g.one("*errValue", "*errValue", "wrapErr", "interface{ Unwrap() error }", "interface{ Timeout() bool }")
	use := map[bool]string{true: "r = \"found\"\n", false: "r = " + v + ".Error()\n"}[strings.HasPrefix(typ, "interface")]
	body := ""
	switch g.pick(8) {
	case 4:
		return core{result: "bool", keep: true, body: fmt.Sprintf("var %s %s\nreturn errors.As(%s, &%s)\n", v, typ, err, v)}
	case 5:
		body = fmt.Sprintf("var %s %s\nfound%s := errors.As(%s, &%s)\nif found%s {\n%s}\n", v, typ, v, err, v, v, use)
	case 6:
		body = fmt.Sprintf("var %s %s\nfound%s := errors.As(%s, &%s)\nnote(\"%%v\", found%s)\n", v, typ, v, err, v, v)
	case 7:
		body = fmt.Sprintf("var %s %s\nif !errors.As(%s, &%s) || %s {\nr = \"none\"\n}\n", v, typ, err, v, g.bool())
	case 0:
		body = fmt.Sprintf("var %s %s\nif !errors.As(%s, &%s) {\nr = \"none\"\n}\n", v, typ, err, v)
	case 1:
		body = fmt.Sprintf("var %s %s\nif errors.As(%s, &%s) {\n%s} else {\nr = \"none\"\n}\n", v, typ, err, v, use)
	case 2:
		body = fmt.Sprintf("var %s %s\nif errors.As(%s, &%s) && %s {\n%s}\n", v, typ, err, v, g.bool(), use)
	default:
		body = fmt.Sprintf("var %s %s\nif errors.As(%s, &%s) {\n%s}\n", v, typ, err, v, use)
	}
	if g.odd(10, "changes") {
		body += "note(\"%v\", any(" + v + ") == nil)\n"
	}
	return core{result: "string", body: body}
}

func reflectAssertCore(g *gen) core {
	x := g.one(g.some("any", "in.Any()"), g.some("*rec", "in.Rec()"))
	v := g.one("reflect.ValueOf("+x+")", "reflect.ValueOf(&"+x+").Elem()", "reflect.ValueOf([]any{"+x+"}).Index(0)", "reflect.ValueOf(struct{ x any }{"+x+"}).Field(0)", "(reflect.Value{})")
	typ := g.one("string", "int", "error", "interface{ String() string }", "str", "[]byte", "pair", "*rec", "any")
	s, ok := g.name("x"), g.name("ok")
	if g.pick(2) == 0 {
		return core{result: "any", body: fmt.Sprintf("if %s, %s := %s.Interface().(%s); %s {\nr = %s\n}\n", s, ok, v, typ, ok, s)}
	}
	return core{result: "any", body: fmt.Sprintf("%s, %s := %s.Interface().(%s)\nnote(\"%%v\", %s)\nr = %s\n", s, ok, v, typ, ok, s)}
}

func reflectTypeCore(g *gen) core {
	typ := g.one("(*error)(nil)).Elem()", "(*pair)(nil)).Elem()", "[]str(nil)).Elem()", "pair{})", "0)", "\"text\")", "str(\"\"))", "(*rec)(nil))", "any(1))", "[]int(nil)).Elem()", "map[string]int(nil)).Elem()", "nil)")
	return g.expression("", "reflect.TypeOf("+typ+".String()", "string")
}

func appendChainCore(g *gen) core {
	typ := "[]string"
	a, b, c := g.strs(), g.strs(), g.strs()
	if g.pick(2) == 0 {
		typ, a, b, c = "[]byte", g.bytes(), g.bytes(), g.bytes()
	}
	base := g.one("append("+typ+"{}, "+a+"...)", "append("+typ+"(nil), "+a+"...)", a+"[:len("+a+"):len("+a+")]", "append("+a+"[:0:0], "+a+"...)",
		typ+"{"+g.one("", map[string]string{"[]string": g.str(), "[]byte": "byte(" + g.int() + ")"}[typ])+"}")
	e := "append(" + base + ", " + b + "...)"
	if g.pick(2) == 0 {
		e = "append(" + e + ", " + c + "...)"
	}
	return g.expression("", e, typ)
}

func mapGuardCore(g *gen) core {
	key := g.one(g.some("string", "in.Str()"), g.some("string", "in.Str()"), g.str())
	switch g.pick(4) {
	case 0:
		m := g.some("map[string][]string", "in.Lists()")
		v := g.str()
		return core{body: fmt.Sprintf("if _, ok := %s[%s]; ok {\n%s[%s] = append(%s[%s], %s)\n} else {\n%s[%s] = []string{%s}\n}\n", m, key, m, key, m, key, v, m, key, v)}
	case 1:
		m := g.one(g.some("map[string]int", "in.Map()"), "gm", g.host()+".m")
		return core{body: fmt.Sprintf("if _, ok := %s[%s]; ok {\n%s[%s]++\n} else {\n%s[%s] = 1\n}\n", m, key, m, key, m, key)}
	case 2:
		m := g.some("map[float64]int", "map[float64]int{in.Float(): 1}")
		f := g.some("float64", "in.Float()")
		return core{body: fmt.Sprintf("if _, ok := %s[%s]; ok {\n%s[%s] += 2\n} else {\n%s[%s] = 2\n}\n", m, f, m, f, m, f)}
	}
	m := g.one(g.some("map[string]int", "in.Map()"), "gm")
	v := g.int()
	return core{body: fmt.Sprintf("if _, ok := %s[%s]; ok {\n%s[%s] += %s\n} else {\n%s[%s] = %s\n}\n", m, key, m, key, v, m, key, v)}
}

func deleteGuardCore(g *gen) core {
	m := g.one(g.some("map[string]int", "in.Map()"), "gm", g.host()+".m")
	key := g.one(g.some("string", "in.Str()"), g.str(), `"a"`)
	if g.pick(5) == 0 {
		m = g.some("map[any]int", "map[any]int{in.Any(): 1}")
		key = g.some("any", "in.Any()")
	}
	return core{body: fmt.Sprintf("if _, ok := %s[%s]; ok {\ndelete(%s, %s)\n}\n", m, key, m, key)}
}

func copyLoopCore(g *gen) core {
	var dst, src, typ string
	switch g.pick(4) {
	case 0:
		typ, dst, src = "[]string", g.strs(), g.strs()
	case 1:
		typ, dst, src = "[]int", g.nums(), g.nums()
	case 2:
		typ, dst, src = "[]byte", g.some("[]byte", "in.Bytes()"), g.some("[]byte", "in.Bytes()")
	default:
		a, b := g.param("[4]int", "[4]int{in.Int(), 2}"), g.param("[4]int", "[4]int{3, in.Int()}")
		return core{result: "[4]int", body: fmt.Sprintf("for i, x := range %s {\n%s[i] = x\n}\nr = %s\n", b, a, a)}
	}
	pre := ""
	if g.odd(15, "alias") {
		whole, part := g.name("whole"), g.name("part")
		pre = fmt.Sprintf("%s := append(%s, %s...)\n%s := %s[min(1, len(%s)):]\n", whole, dst, src, part, whole, whole)
		dst, src = part, whole
		if g.pick(2) == 0 {
			dst, src = src, dst
		}
	}
	body := fmt.Sprintf("for i, x := range %s {\n%s[i] = x\n}\nr = %s\n", src, dst, dst)
	if g.pick(2) == 0 {
		body = fmt.Sprintf("for i := range %s {\n%s[i] = %s[i]\n}\nr = %s\n", src, dst, src, dst)
	}
	return core{pre: pre, result: typ, body: body}
}

func slideLoopCore(g *gen) core {
	typ, buf := "[]byte", g.some("[]byte", "in.Bytes()")
	if g.pick(2) == 0 {
		typ, buf = "[]int", g.nums()
	}
	n, offset := g.small(), g.one("1", g.small())
	pre := ""
	if g.pick(2) == 0 {
		name := g.name("n")
		pre = name + " := len(" + buf + ") - " + offset + "\n"
		n = name
	}
	return core{pre: pre, result: typ, body: fmt.Sprintf("for i := 0; i < %s; i++ {\n%s[i] = %s[%s+i]\n}\nr = %s\n", n, buf, buf, offset, buf)}
}

func timeSinceCore(g *gen) core {
	begin := g.one("time.Unix(int64("+g.small()+"), 0)", "time.Time{}", "time.Now().Add(-time.Hour)", "time.Unix(1<<40, 0)", g.some("[]time.Time", "[]time.Time{time.Unix(1, 0)}")+"["+g.small()+"]", "func() time.Time { note(\"begin\"); return time.Now() }()")
	e := g.one("time.Now().Sub("+begin+") > time.Minute", "time.Now().Sub("+begin+") < 0", "time.Now().Sub("+begin+").Hours() > 1e6")
	return g.expression("", e, "bool")
}

// errorFormattedCore creates an error, changes what its message may depend on, and looks at the error in
// the ways that don't see its type.
func errorFormattedCore(g *gen) core {
	var format strings.Builder
	format.WriteString(g.one("bad input: ", "", "100%% wrong ", "e "))
	var args []string
	wraps := ""
	for range 1 + g.pick(3) {
		arg, verb := g.value(), g.one("%v", "%d", "%s", "%q", "%x", "%5v", "%+v", "%t")
		if g.pick(3) == 0 {
			arg, verb = g.err(), g.one("%w", "%v", "%s")
			if verb == "%w" {
				wraps = arg
			}
		}
		args = append(args, arg)
		format.WriteString(verb + g.one("", " ", ": "))
	}
	call := fmt.Sprintf("fmt.Errorf(%q, %s)", format.String(), strings.Join(args, ", "))
	switch g.pick(6) {
	case 4:
		if wraps == "" {
			call = "errors.New(" + strings.Replace(call, "Errorf", "Sprintf", 1) + ")"
		}
	case 5:
		call, wraps = "errors.New("+g.concatenated()+")", ""
	}
	err := g.name("err")
	body := err + " := " + call + "\n"
	switch g.pick(4) {
	case 1:
		body = "var " + err + " error\n" + err + " = " + call + "\n"
	case 2:
		body = err + " := func() error {\nreturn " + call + "\n}()\n"
	case 3:
		n := g.name("n")
		body = n + ", " + err + " := " + g.int() + ", " + call + "\nnote(\"%d\", " + n + ")\n"
	}
	if wraps != "" && g.pick(2) == 0 {
		body = "if " + wraps + " != nil {\n" + body + "r = " + err + ".Error()\n}\n"
		return core{result: "string", body: body}
	}
	body += g.one("", "touch()\n")
	if wraps != "" {
		body += fmt.Sprintf("note(\"%%v %%v\", errors.Is(%s, io.EOF), errors.Unwrap(%s) == nil)\nvar as%s *errValue\nnote(\"%%v\", errors.As(%s, &as%s))\n", err, err, err, err, err)
	}
	return core{result: "string", body: body + g.one("r = "+err+".Error()\n", "r = fmt.Sprintf(\"%v|%s|%q\", "+err+", "+err+", "+err+")\n")}
}

// literalCore makes a table of constants and uses it.
func literalCore(g *gen) core {
	if g.pick(5) == 4 {
		w := g.writee("writer", "other").name
		return core{body: w + ".Write([]byte{" + g.one("0", "'a', 'b'", "'\\n'") + "})\n"}
	}
	t := g.name("t")
	var literal, key, value, change string
	switch g.pick(4) {
	case 0, 1:
		literal, key, value = g.one(`map[string]int{"a": 1, "key=value": 2, "": 3}`, `map[string]int{"K": `+g.one("4", "2 + 3", "gn")+`}`), g.str(), "int"
		change = t + `["a"]++`
	case 2:
		literal, key, value = `map[int]pair{0: {"a", 1}, 1: {n: 2}, -1: {}}`, g.int(), "pair"
		change = "delete(" + t + ", 1)"
	default:
		literal, key, value = g.one(`[]string{"a", "b", "c"}`, `[...]string{1: "x", 3: "y"}`), g.small(), "string"
		change = t + `[1] = "z"`
	}
	if g.pick(4) == 0 {
		return core{result: value, body: "r = " + literal + "[" + key + "]\n"}
	}
	declare := g.one(t+" := "+literal+"\n", "var "+t+" = "+literal+"\n")
	if g.odd(25, "changed") {
		declare += g.one(change+"\n", "func() { "+change+" }()\n", "defer func() { "+change+" }()\n", "u"+t+" := &"+t+"\n_ = u"+t+"\n")
	}
	use := g.one("r = "+t+"["+key+"]\n", "r = ("+t+")["+key+"]\nnote(\"%d\", len("+t+"))\n", "r = func() "+value+" { return "+t+"["+key+"] }()\n", "for range "+t+" {\nr = "+t+"["+key+"]\n}\n")
	return core{result: value, body: declare + use}
}
