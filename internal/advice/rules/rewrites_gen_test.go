package rules

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A gen makes one function from a tape of choices. Choice 0 is the plainest everywhere, so
// that a tape with more zeros is a simpler function: that is how failures are shrunk.
type gen struct {
	number int
	tape   []int // choices to repeat; what is behind its end is 0, or drawn from random
	random *rand.Rand
	made   []int

	params  []param
	decls   []string
	hostile map[string]bool // kinds of hostile things in it
	names   int
}

type param struct{ name, typ, value string } // value makes one, in a driver

// A function is what was generated: its source, and a driver that calls it.
type function struct {
	number  int
	rule    string
	tape    []int
	source  string
	driver  string
	hostile map[string]bool
}

// pick chooses one of n.
func (g *gen) pick(n int) int {
	choice := 0
	if at := len(g.made); at < len(g.tape) {
		choice = g.tape[at] % n
	} else if g.random != nil {
		choice = g.random.IntN(n)
	}
	g.made = append(g.made, choice)
	return choice
}

// one chooses one of some texts.
func (g *gen) one(of ...string) string { return of[g.pick(len(of))] }

// odd is true in some percent of cases, in which what it is asked for is in the function.
func (g *gen) odd(percent int, kind string) bool {
	if g.pick(100) < 100-percent {
		return false
	}
	g.hostile[kind] = true
	return true
}

// name returns a new name.
func (g *gen) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// shadowed are names that mean something else in most functions.
var shadowed = strings.Fields("len string append strings bytes fmt strconv slices errors cmp max min buf i n err value items out nil true make cap copy any error byte int sync maps sort s b v k a x p q part before rest found size")

// param returns the name of a new parameter.
func (g *gen) param(typ, value string) string {
	name := g.name("p")
	if g.odd(2, "name") {
		if n := shadowed[g.pick(len(shadowed))]; !slices.ContainsFunc(g.params, func(p param) bool { return p.name == n }) {
			name = n
		}
	}
	g.params = append(g.params, param{name, typ, value})
	return name
}

// some returns a parameter of a type: one that is there already, or a new one.
func (g *gen) some(typ, value string) string {
	for _, p := range g.params {
		if p.typ == typ && g.pick(2) == 0 {
			return p.name
		}
	}
	return g.param(typ, value)
}

// A choice is something other than the plainest.
type choice struct {
	kind string // "" if there is nothing hostile in it
	make func() string
}

// plainOr takes the plainest in most cases.
func (g *gen) plainOr(plain func() string, others ...choice) string {
	n := len(others)
	if i := g.pick(3*n) - 2*n; i >= 0 {
		if others[i].kind != "" {
			g.hostile[others[i].kind] = true
		}
		return others[i].make()
	}
	return plain()
}

func (g *gen) host() string { return g.some("*host", "in.Host()") }

// str is an expression of type string.
func (g *gen) str() string {
	plain := func() string { return g.some("string", "in.Str()") }
	return g.plainOr(plain,
		choice{"", func() string { return g.one(`"a"`, `""`, `"two words"`, "`raw \"`", `"\xff"`, `"%d"`) }},
		choice{"", func() string { return "string(" + g.bytes() + ")" }},
		choice{"global", func() string { return "gs" }},
		choice{"field", func() string { return g.host() + ".s" }},
		choice{"effect", func() string { return "effS(" + plain() + ")" }},
		choice{"panic", func() string { return "must(" + plain() + ")" }},
		choice{"panic", func() string { return "nextS()" }},
		choice{"panic", func() string { return g.some("*rec", "in.Rec()") + ".name" }},
		choice{"panic", func() string { return g.strs() + "[" + g.small() + "]" }},
		choice{"panic", func() string { return plain() + "[" + g.one("1", "2") + ":]" }},
		choice{"named", func() string { return "string(" + g.some("str", "str(in.Str())") + ")" }},
		choice{"effect", func() string { return g.some("func() string", "in.Func()") + "()" }},
		choice{"effect", func() string { return "<-" + g.some("chan string", "in.Chan()") }},
		choice{"", func() string { return "strings.ToUpper(" + plain() + ")" }},
		choice{"", func() string { return "strings.TrimSpace(" + plain() + ")" }},
		choice{"", func() string { return "strconv.Itoa(" + g.int() + ")" }},
		choice{"effect", func() string { h := g.host(); return "strconv.Itoa(" + h + ".bump())" }},
		choice{"", func() string { return "(" + plain() + " + " + plain() + ")" }},
		choice{"panic", func() string { return g.some("any", "in.Any()") + ".(string)" }},
	)
}

// bytes is an expression of type []byte.
func (g *gen) bytes() string {
	plain := func() string { return g.some("[]byte", "in.Bytes()") }
	return g.plainOr(plain,
		choice{"", func() string { return `[]byte("bytes")` }},
		choice{"global", func() string { return "gb" }},
		choice{"field", func() string { return g.host() + ".b" }},
		choice{"effect", func() string { return "effB(" + plain() + ")" }},
		choice{"panic", func() string { return plain() + "[1:]" }},
		choice{"alias", func() string { return plain() + "[:0]" }},
		choice{"named", func() string { return "[]byte(" + g.some("raw", "raw(in.Bytes())") + ")" }},
		choice{"", func() string { return "[]byte(" + g.some("string", "in.Str()") + ")" }},
	)
}

// int is an expression of type int.
func (g *gen) int() string {
	plain := func() string { return g.some("int", "in.Int()") }
	return g.plainOr(plain,
		choice{"", func() string { return g.one("1", "42", "-7", "0") }},
		choice{"global", func() string { return "gn" }},
		choice{"field", func() string { return g.host() + ".n" }},
		choice{"effect", func() string { return "effN(" + plain() + ")" }},
		choice{"effect", func() string { return g.host() + ".bump()" }},
		choice{"panic", func() string { return "next()" }},
		choice{"panic", func() string { return g.some("*rec", "in.Rec()") + ".id" }},
		choice{"panic", func() string { return "(" + plain() + " / " + g.some("int", "in.Int()") + ")" }},
		choice{"", func() string { return "len(" + g.str() + ")" }},
		choice{"", func() string { return "-" + plain() }},
	)
}

// small is an int that may be counted to; it may be below 0.
func (g *gen) small() string { return g.param("int", "in.Small()") }

func (g *gen) float() string {
	return g.plainOr(func() string { return g.some("float64", "in.Float()") },
		choice{"panic", func() string { return g.some("*rec", "in.Rec()") + ".f" }},
		choice{"", func() string { return "float64(" + g.int() + ")" }})
}

func (g *gen) bool() string {
	return g.plainOr(func() string { return g.some("bool", "in.Bool()") },
		choice{"", func() string { return g.int() + " > 3" }},
		choice{"", func() string { return g.str() + " == " + g.str() }})
}

func (g *gen) strs() string {
	return g.plainOr(func() string { return g.some("[]string", "in.Strs()") },
		choice{"global", func() string { return "gxs" }},
		choice{"field", func() string { return g.host() + ".xs" }},
		choice{"named", func() string { return g.some("strs", "strs(in.Strs())") }})
}

func (g *gen) nums() string { return g.some("[]int", "in.Nums()") }

func (g *gen) err() string { return g.some("error", "in.Err()") }

// value is something that can be printed, of any type.
func (g *gen) value() string {
	return g.plainOr(g.str,
		choice{"", g.int}, choice{"", g.int}, choice{"", g.float}, choice{"", g.bool}, choice{"", g.bytes},
		choice{"method", func() string { return g.some("fmt.Stringer", "in.Stringer()") }},
		choice{"method", func() string { return g.some("effStringer", "effStringer(in.pick(4))") }},
		choice{"method", func() string { return g.some("boomStringer", "boomStringer(in.pick(4))") }},
		choice{"method", func() string {
			return g.some("*derefStringer", "func() *derefStringer { if in.Bool() { return nil }; return &derefStringer{in.Str()} }()")
		}},
		choice{"method", func() string { return g.some("plainStringer", "plainStringer{in.Str()}") }},
		choice{"method", func() string { return g.some("any", "in.Any()") }},
		choice{"method", func() string { return g.some("formatter", "formatter(1)") }},
		choice{"nil", g.err},
		choice{"named", func() string { return g.some("str", "str(in.Str())") }},
		choice{"named", func() string { return g.some("tiny", "tiny(in.Int())") }},
		choice{"named", func() string { return g.some("raw", "raw(in.Bytes())") }},
		choice{"", func() string { return g.some("int64", "int64(in.Int())") }},
		choice{"", func() string { return g.some("uint8", "uint8(in.Int())") }},
		choice{"", func() string { return g.some("rune", "rune(in.Int())") }},
		choice{"", func() string { return g.some("float32", "float32(in.Float())") }},
		choice{"", func() string { return g.some("uint32", "uint32(in.Int())") }},
		choice{"", func() string { return g.some("[4]byte", "in.Array()") }},
		choice{"global", func() string { return "garray" }},
	)
}

// A writee is something to write to.
type writee struct {
	name string
	kind string // "buffer", "builder", "bufio", "writer", "other"
	pre  string // what declares it
	text string // an expression for what was written; "" if the caller has it
}

// writee returns a writer, of some kind or, without, of any.
func (g *gen) writee(kinds ...string) writee {
	if len(kinds) == 0 {
		kinds = []string{"builder", "buffer", "bufio", "writer", "other"}
	}
	t := writee{kind: g.one(kinds...)}
	switch t.kind {
	case "builder":
		if g.pick(3) == 0 {
			t.name = g.some("*strings.Builder", "in.Builder()")
			return t
		}
		t.name = g.name("w")
		t.text = t.name + ".String()"
		t.pre = "var " + t.name + " strings.Builder\n"
	case "buffer":
		switch g.pick(3) {
		case 0:
			t.name = g.some("*bytes.Buffer", "in.Buf()")
		case 1:
			t.name = g.name("w")
			t.pre, t.text = "var "+t.name+" bytes.Buffer\n", t.name+".String()"
		default:
			t.name = "(&" + g.host() + ".buf)"
		}
	case "bufio":
		t.name = g.some("*bufio.Writer", "in.Bufio()")
	case "writer":
		t.name = g.some("io.Writer", "in.Writer()")
		g.hostile["writer"] = true
	case "other":
		g.hostile["writer"] = true
		switch g.pick(4) {
		case 0:
			t.name = g.some("*watcher", "&watcher{left: in.pick(20) - 5}")
		case 1:
			t.name = g.some("*texter", "&texter{watcher{left: -1}}")
		case 2:
			t.name = g.some("*upper", "&upper{}")
		default:
			t.name = g.host() + ".w"
		}
	}
	return t
}

// ref is a target as an io.Writer, for functions that are given one.
func (t writee) ref() string {
	if t.pre != "" {
		return "&" + t.name
	}
	return t.name
}

// aliased returns statements and a []byte that shares memory with what a target writes to.
func (g *gen) aliased(t writee) (pre, bytes string) {
	g.hostile["alias"] = true
	name := g.name("data")
	switch t.kind {
	case "buffer":
		switch g.pick(3) {
		case 0:
			return fmt.Sprintf("%s.WriteString(\"written before\")\n%s := %s.Bytes()\n%s.Reset()\n", t.name, name, t.name, t.name), name
		case 1:
			return fmt.Sprintf("%s := append(%s.AvailableBuffer(), \"available\"...)\n", name, t.name), name
		}
		return fmt.Sprintf("%s := %s.Bytes()\n%s.Truncate(0)\n", name, t.name, t.name), name
	case "bufio":
		return fmt.Sprintf("%s := append(%s.AvailableBuffer(), \"in it\"...)\n", name, t.name), name
	}
	return "", g.bytes()
}

// A core is the part that a rule is about.
type core struct {
	pre    string // before all
	body   string // what is repeated, deferred and so on; may set r
	result string // the type of r; "" for none
	post   string // after it
	after  string // what r is set to at the end, if the body doesn't
	keep   bool   // the body declares what the rest uses: nothing goes around it
}

// expression makes a core of an expression, which is used in one of several ways.
func (g *gen) expression(pre, e, typ string) core {
	c := core{pre: pre, result: typ}
	contexts := 8
	if typ == "string" {
		contexts = 12 // with operands beside it
	}
	switch g.pick(contexts) {
	case 8:
		c.body = "r = " + e + " + " + g.str() + "\n"
	case 9:
		c.body = "r = " + g.str() + " + " + e + "\n"
	case 10:
		h := g.host()
		c.body = h + ".out = append(" + h + ".out, " + e + ")\n"
	case 11:
		c.body = g.strs() + "[" + g.small() + "] += " + e + "\n"
	case 0, 1, 2:
		c.body = "r = " + e + "\n"
	case 3:
		name := g.name("x")
		c.body = name + " := " + e + "\nr = " + name + "\n"
	case 4:
		name := g.name("x")
		c.body = "var " + name + " any = " + e + "\nnote(\"%T\", " + name + ")\nr = " + name + ".(" + typ + ")\n"
	case 5:
		c.body = "r = func(_ int, x " + typ + ") " + typ + " { return x }(" + g.int() + ", " + e + ")\n"
	case 6:
		c.body, c.keep = "return "+e+"\n", true
	default:
		c.body = "all := []" + typ + "{" + e + "}\nr = all[0]\n"
	}
	return c
}

// in puts a core's body into one of the places that code is in.
func (g *gen) in(body string) string {
	switch i := g.pick(24) - 12; i {
	case 0, 1:
		return "for range 3 {\n" + body + "}\n"
	case 2:
		x := g.name("x")
		return "for _, " + x + " := range " + g.strs() + " {\nnote(\"turn %s\", " + x + ")\n" + body + "}\n"
	case 3:
		g.hostile["closure"] = true
		f := g.name("f")
		return f + " := func() {\n" + body + "}\n" + f + "()\ntouch()\n" + f + "()\n"
	case 4:
		g.hostile["defer"] = true
		return "defer func() {\n" + body + "}()\ntouch()\n"
	case 5:
		g.hostile["label"] = true
		l := g.name("label")
		return l + ":\nfor i := range 4 {\nfor range 2 {\nif i == 1 {\ncontinue " + l + "\n}\n" + body + "if i == 2 {\nbreak " + l + "\n}\n}\n}\n"
	case 6:
		g.hostile["iterator"] = true
		return "for range slices.Values([]int{1, 2}) {\n" + body + "}\n"
	case 7:
		return "if " + g.bool() + " {\n" + body + "}\n"
	case 8:
		return "switch {\ncase " + g.bool() + ":\n" + body + "default:\nnote(\"default\")\n}\n"
	case 9:
		g.hostile["recover"] = true
		return "func() {\ndefer func() {\nif v := recover(); v != nil {\nnote(\"recovered %v\", v)\n}\n}()\n" + body + "}()\n"
	case 10:
		return body + "note(\"%d\", " + g.int() + ")\n"
	case 11:
		return "{\n" + body + "}\n"
	}
	return body
}

// importable are the packages that functions may use.
var importable = []string{
	"bufio", "bytes", "cmp", "compress/gzip", "crypto/md5", "crypto/sha256", "encoding/base64", "encoding/hex", "errors", "fmt", "hash", "hash/fnv",
	"io", "math", "math/big", "math/rand", "net/http", "net/netip",
	"reflect", "regexp", "slices", "sort", "strconv", "strings", "text/template", "time",
}

// inFile makes a file of declarations, with the imports that they need.
func inFile(source string) string {
	var imports strings.Builder
	for _, path := range importable {
		if name := path[strings.LastIndexByte(path, '/')+1:]; regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(source) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	return "package p\n\n" + imports.String() + "\n" + source
}

// function puts a function around a core.
func (g *gen) function(rule string, c core) (*function, error) {
	body := c.body
	if !c.keep {
		body = g.in(body)
	}
	if c.after != "" {
		body += "r = " + c.after + "\n"
	}
	body += c.post
	if g.odd(12, "recover") {
		body = "defer func() {\nif v := recover(); v != nil {\nnote(\"recovered %v\", v)\n}\n}()\n" + c.pre + body
	} else {
		body = c.pre + body
	}
	if !(c.keep && strings.HasPrefix(c.body, "return ")) {
		body += "return" + map[bool]string{true: "", false: " r"}[c.result == ""] + "\n"
	}
	// The first parameter of type *host may be the receiver.
	name, call := fmt.Sprintf("F%d", g.number), fmt.Sprintf("F%d", g.number)
	head := "func " + name
	params := g.params
	if i := slices.IndexFunc(params, func(p param) bool { return p.typ == "*host" }); i >= 0 && g.pick(2) == 0 {
		head = fmt.Sprintf("func (%s *host) %s", params[i].name, name)
		call = fmt.Sprintf("a%d.%s", i, name)
	} else if g.odd(4, "generic") {
		head = "func " + name + "[T any]"
		call += "[int]"
	}
	var list, values, names, passed []string
	for i, p := range params {
		values = append(values, fmt.Sprintf("a%d := %s\n", i, p.value))
		names = append(names, fmt.Sprintf("a%d", i))
		if p.typ == "*host" && strings.HasPrefix(head, "func (") && strings.HasPrefix(head, "func ("+p.name+" ") {
			continue
		}
		list = append(list, p.name+" "+p.typ)
		passed = append(passed, fmt.Sprintf("a%d", i))
	}
	result := ""
	if c.result != "" {
		result = " (r " + c.result + ")"
	}
	source := strings.Join(g.decls, "\n") + "\n" + head + "(" + strings.Join(list, ", ") + ")" + result + " {\n" + body + "}\n"
	formatted, err := format.Source([]byte(inFile(source)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", rule, err, source)
	}
	called := fmt.Sprintf("%s(%s)", call, strings.Join(passed, ", "))
	if c.result != "" {
		called = "in.result(" + called + ")"
	}
	driver := fmt.Sprintf("Functions[%d] = func(in *input) {\n%sin.given(%s)\n%s\n}\n", g.number, strings.Join(values, ""), strings.Join(names, ", "), called)
	return &function{number: g.number, rule: rule, tape: g.made, source: string(formatted), driver: driver, hostile: g.hostile}, nil
}

// generate makes a function for a rule from a tape, and from random behind its end.
func generate(rule string, number int, tape []int, random *rand.Rand) (*function, error) {
	g := &gen{number: number, tape: tape, random: random, hostile: make(map[string]bool)}
	return g.function(rule, cores[rule](g))
}
