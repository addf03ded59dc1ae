package srcfind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// versioned is a Go file; the comments say which lines are which.
const versioned = `package shop

import _ "unsafe"

type cart[T any] struct{ items []T }

func total(prices []int) int { // 7
	sum := 0
	each(prices, func(p int) { // 9
		sum += p // 10
	})
	return sum
} // 13

func (c *cart[T]) add(v T) { // 15
	c.items = append(c.items, v)
} // 17

func (c cart[T]) size() int { return len(c.items) } // 19

func each(prices []int, f func(int)) { // 21
	for _, p := range prices {
		f(p) // 23
	}
} // 25

//go:linkname linked other/pkg.hidden
func linked() { // 28
	println()
}

var table = func() int { return 1 }() // 32

func init() { // 34
	table++
}
`

func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.go")
	if err := os.WriteFile(path, []byte(versioned), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := New(Config{}).Find(path)
	if err != nil {
		t.Fatal(err)
	}
	const pkg = "example.com/shop."
	for _, tt := range []struct {
		function string
		start    int64
		lines    []int64
		want     string // in the error, "" for none
	}{
		{pkg + "total", 7, []int64{10, 12}, ""},
		{pkg + "total", 8, []int64{10}, "in line 8, where it begins, is total;"},
		{pkg + "total", 15, []int64{16}, "is not the source of example.com/shop.total: in line 15, where it begins, is cart.add; the file and the program have different versions"},
		{pkg + "total", 14, []int64{16}, "is no function;"},
		{pkg + "total", 7, []int64{400}, "it has 36 lines, and the profile tells of line 400"},
		{pkg + "total", 0, []int64{8, 12}, ""},
		{pkg + "total", 0, []int64{8, 16, 12}, ""}, // a compiler's mistake
		{pkg + "total", 0, []int64{16, 23}, "in line 16 is cart.add;"},
		{pkg + "total", 0, []int64{16, 23, 12}, ""}, // an iterator that is inlined, and the call of it
		{pkg + "total", 0, []int64{3}, "in line 3 is no function;"},
		{pkg + "total.func1", 9, []int64{10}, ""},
		{pkg + "total.func1.2", 9, []int64{10}, ""},
		{pkg + "total.func1", 10, []int64{10}, "in line 10, where it begins, is total;"},
		{pkg + "total.func1", 0, []int64{16}, "in line 16 is cart.add;"},
		{pkg + "total.func1-range1.1", 9, []int64{10}, ""}, // Go 1.27
		{pkg + "total-range1-range2.1", 10, []int64{10}, "in line 10, where it begins, is total;"},
		{pkg + "total[...].1", 10, []int64{10}, "in line 10, where it begins, is total;"},
		{pkg + "total.each.func1", 16, []int64{16}, ""}, // in whatever each is inlined into
		{pkg + "total.gowrap1", 16, []int64{16}, ""},
		{pkg + "total-range1", 16, []int64{16}, ""},
		{pkg + "(*cart[...]).add", 15, []int64{16}, ""},
		{pkg + "(*cart[go.shape.[]github.com/a/b.T]).add", 15, []int64{16}, ""},
		{pkg + "(*cart[...]).add", 7, []int64{16}, "where it begins, is total;"},
		{pkg + "cart[...].size", 19, []int64{19}, ""},
		{pkg + "(*cart[...]).size", 19, []int64{19}, ""},
		{pkg + "(*cart[...]).size-fm", 2, []int64{2}, ""},
		{"example.com/shop.v2.total", 7, []int64{8}, ""},
		{"gopkg.in/shop%2ev2.total", 8, []int64{8}, "where it begins, is total;"},
		{"other/pkg.hidden", 28, []int64{29}, ""},
		{"other/pkg.hidden", 29, []int64{29}, "where it begins, is linked;"},
		{pkg + "init", 32, []int64{32}, ""},
		{pkg + "init.0", 34, []int64{35}, ""},
		{pkg + "init.func1", 32, []int64{32}, ""},
		{pkg + "glob..func1", 32, []int64{32}, ""},
		{pkg + "map.init.0", 32, []int64{32}, ""},
		{pkg + "absent", 7, []int64{8}, ""}, // of an inlined function's instruction
		{"main.main.func1", 9, []int64{9}, ""},
		{"std::vector<int>::push_back", 9, []int64{9}, ""},
		{"memcpy", 9, []int64{9}, ""},
		{"", 9, []int64{9}, ""},
	} {
		use := Use{Function: tt.function, StartLine: tt.start, Inlined: true}
		for _, n := range tt.lines {
			use.Lines = append(use.Lines, Line{Number: n, Weight: 1})
		}
		err := text.Verify(use)
		var mismatch *MismatchError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s from line %d, lines %v: %v", tt.function, tt.start, tt.lines, err)
		case tt.want != "" && (!errors.As(err, &mismatch) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s from line %d, lines %v: got %v, want %q", tt.function, tt.start, tt.lines, err, tt.want)
		}
	}
	// Where inlined functions stand under the name of others, lines say nothing.
	if err := text.Verify(Use{Function: pkg + "total", Lines: []Line{{16, 5}}}); err != nil {
		t.Error(err)
	}
}

func TestVerifyLeavesOthersAlone(t *testing.T) {
	use := Use{Function: "main.f", StartLine: 1, Lines: []Line{{Number: 1, Weight: 1}}, Inlined: true}
	for what, text := range map[string]*Text{
		"another language": {Path: "f.c", Lines: []string{"package main", "func f() {}"}},
		"not Go":           {Path: "f.go", Lines: []string{"package main", "func f() {"}},
		"lines with names": {Path: "f.go", Lines: []string{"package main", "//line g.y:1", "func f() {}"}},
		"calls of C":       {Path: "f.go", Lines: []string{"package main", `import "C"`, "func g() {}"}},
		"nothing":          {Path: "f.go", Lines: []string{"package main"}},
	} {
		if err := text.Verify(use); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	text := &Text{Path: "f.go", Lines: []string{"package main", "func f() {}"}}
	if text.Verify(use) == nil {
		t.Error("a function that begins elsewhere is not found out")
	}
}

func FuzzParseSymbol(f *testing.F) {
	for _, s := range []string{"", "main.f", "a/b%2ev3.(*T[...]).M.func1.2", "a.f[go.shape.[]int].func1", "x.]", "a..b", "a/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if sym, ok := parseSymbol(s); ok && (sym.name == "" || strings.ContainsAny(sym.name, "()*[]/")) {
			t.Errorf("%q: %+v", s, sym)
		}
	})
}
