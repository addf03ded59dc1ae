package samecode

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// names numbers the names of symbols, the same for both sides.
type names struct {
	number map[string]int32
	text   []string
}

func newNames() *names { return &names{number: make(map[string]int32)} }

func (n *names) add(name []byte) int32 {
	if i, ok := n.number[string(name)]; ok {
		return i
	}
	i := int32(len(n.text))
	n.text = append(n.text, string(name))
	n.number[n.text[i]] = i
	return i
}

// find returns -1 for a name that nothing has.
func (n *names) find(name string) int32 {
	if i, ok := n.number[name]; ok {
		return i
	}
	return -1
}

// withoutABI is the name of a function as profiles have it.
func withoutABI(name string) string {
	if i := strings.LastIndexByte(name, '<'); i > 0 {
		return name[:i]
	}
	return name
}

// pathOf is the import path of a unit's name.
func pathOf(name string) string {
	path, _, _ := strings.Cut(name, " [")
	return path
}

// isTestMain reports whether a unit is the main package that go test makes. It runs
// what the flags of the binary name, and is not compared.
func isTestMain(name string) bool { return strings.HasSuffix(name, ".test") }

// symbolPrefix is an import path as symbols have it: see objabi.PathToPrefix.
func symbolPrefix(path string) string {
	last := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '%' || c == '"' || c >= 0x7f || c == '.' && i >= last {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// withoutHash is a name without the hash that Go 1.27 adds to closures of inlined
// functions: F.func1#ogkU/M7UodE=#.1<1> is F.func1.1<1>. The hash depends on where the
// function is inlined, so it changes with other code of the package. Object files and
// profiles don't have it.
func withoutHash(name string) string {
	for {
		before, rest, _ := strings.Cut(name, "#")
		_, after, ok := strings.Cut(rest, "#")
		if !ok {
			return name
		}
		name = before + after
	}
}

// functionName turns a symbol's name into that of the function in the source:
// example.com/m.(*List[go.shape.int]).Push.func1<1> is example.com/m.(*List).Push,
// of which it is a closure.
func functionName(symbol string) (name string, closure bool) {
	var b strings.Builder
	depth := 0
	for _, r := range withoutABI(withoutHash(symbol)) {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	name = b.String()
	slash := strings.LastIndexByte(name, '/') + 1
	if i := strings.IndexByte(name[slash:], '.'); i >= 0 {
		if at := closureName.Get().FindStringIndex(name[slash+i+1:]); at != nil {
			name, closure = name[:slash+i+1+at[0]], true
		}
	}
	if plain, err := url.PathUnescape(name); err == nil {
		return plain, closure
	}
	return name, closure
}

// closureName matches the suffix that the compiler gives functions within a function.
var closureName = lazyregexp.New(`\.\.|\.(func|gowrap|deferwrap)?\d|-(range\d|fm$)`)
