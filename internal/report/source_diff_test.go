package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

const sumBefore = `package shop

func Sum(n int) int {
	s := 0
	for i := range n {
		s += slow(i)
	}
	return s
}
`

const sumAfter = `package shop

// It is quick.

func Sum(n int) int {
	s := 0
	for i := range n {
		s += quick(i)
		s++
	}
	return s
}
`

// sumProfile is a profile of Sum: flat values by line.
func sumProfile(start int64, lines map[int64]int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	fn := b.Function("example.com/shop.Sum", "example.com/shop.Sum", "/build/shop/sum.go", start)
	for n := range int64(20) {
		if v := lines[n]; v != 0 {
			b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: fn, Line: n})}, nil, v)
		}
	}
	return b.Profile()
}

// sumSide is a side of a comparison of Sum. A text is found in the order given; "" isn't.
func sumSide(t *testing.T, p *profile.Profile, texts ...string) SourceOf {
	t.Helper()
	r, err := New(p, "weblist", "Sum", DefaultOptions(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	of := SourceOf{Report: r}
	for i, text := range texts {
		of.Texts = append(of.Texts, func(file string) (*srcfind.Text, error) {
			if text == "" {
				return nil, fmt.Errorf("place %d doesn't have %s", i+1, file)
			}
			return &srcfind.Text{Path: "/here/sum.go", Commit: fmt.Sprint(i + 1), Lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}, nil
		})
	}
	return of
}

// paired prints the pairs of lines: number, flat value, number, flat value, and whether
// they are the same.
func paired(f *FunctionDiff) string {
	var b strings.Builder
	side := func(l *SourceLine) {
		if l == nil {
			b.WriteString("-        ")
			return
		}
		fmt.Fprintf(&b, "%-2d %-6s", l.Line, orDot(l.Flat))
	}
	for _, p := range f.Lines {
		side(p.Base)
		side(p.Head)
		fmt.Fprintln(&b, map[bool]string{true: "=", false: "~"}[p.Same])
	}
	return b.String()
}

func TestDiffSource(t *testing.T) {
	base := sumProfile(3, map[int64]int64{5: 10e6, 6: 200e6})
	head := sumProfile(5, map[int64]int64{7: 10e6, 8: 50e6, 9: 5e6})
	for _, test := range []struct {
		name         string
		base, head   SourceOf
		want, missed string
	}{
		{"both", sumSide(t, base, sumBefore), sumSide(t, head, sumAfter), `
3  .     5  .     =
4  .     6  .     =
5  10ms  7  10ms  =
6  200ms 8  50ms  ~
-        9  5ms   ~
7  .     10 .     =
8  .     11 .     =
9  .     12 .     =
`, ""},
		// The first text is not what the profile tells of: Sum begins in another line.
		{"the second text is the right one", sumSide(t, base, sumAfter, sumBefore), sumSide(t, head, "", sumAfter), `
3  .     5  .     =
4  .     6  .     =
5  10ms  7  10ms  =
6  200ms 8  50ms  ~
-        9  5ms   ~
7  .     10 .     =
8  .     11 .     =
9  .     12 .     =
`, "is not the source of example.com/shop.Sum; place 1 doesn't have /build/shop/sum.go"},
		{"the base has no text", sumSide(t, base, ""), sumSide(t, head, sumAfter), `
5  10ms  -        ~
6  200ms -        ~
-        5  .     ~
-        6  .     ~
-        7  10ms  ~
-        8  50ms  ~
-        9  5ms   ~
-        10 .     ~
-        11 .     ~
-        12 .     ~
`, ""},
		{"no side has a text", sumSide(t, base, ""), sumSide(t, sumProfile(3, map[int64]int64{6: 1e6, 9: 5e6}), ""), `
5  10ms  -        ~
6  200ms 6  1ms   =
-        9  5ms   ~
`, ""},
		{"the base doesn't have the function", sumSide(t, sumProfile(5, nil), "package shop\n"), sumSide(t, head, sumAfter), `
-        5  .     ~
-        6  .     ~
-        7  10ms  ~
-        8  50ms  ~
-        9  5ms   ~
-        10 .     ~
-        11 .     ~
-        12 .     ~
`, ""},
		{"the head costs nothing", sumSide(t, base, sumBefore), sumSide(t, sumProfile(5, nil), sumAfter), `
3  .     5  .     =
4  .     6  .     =
5  10ms  7  .     =
6  200ms 8  .     ~
-        9  .     ~
7  .     10 .     =
8  .     11 .     =
9  .     12 .     =
`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := DiffSource(test.base, test.head)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Funcs) != 1 || d.Unit != "nanoseconds" {
				t.Fatalf("%+v", d)
			}
			f := &d.Funcs[0]
			if got := "\n" + paired(f); got != test.want {
				t.Errorf("pairs:%s\nwant:%s", got, test.want)
			}
			for i, want := range strings.Split(test.missed, "; ") {
				if side := []*SourceSide{&f.Base, &f.Head}[i]; !strings.Contains(side.Missed, want) || want == "" && side.Missed != "" {
					t.Errorf("side %d missed %q, want %q", i, side.Missed, want)
				}
				if test.missed == "" {
					break
				}
			}
			if absent := test.name == "the base doesn't have the function"; f.Base.Absent != absent || absent && f.Base.Err != "" {
				t.Errorf("base %+v", f.Base)
			}
			if test.name == "the base has no text" && (f.Base.Err != "place 1 doesn't have /build/shop/sum.go" || f.Base.Lines != 0 || f.Head.Lines != 8) {
				t.Errorf("base %+v, head %+v", f.Base, f.Head)
			}
		})
	}
}

func TestDiffSourceNotFound(t *testing.T) {
	empty := sumProfile(0, nil)
	if _, err := DiffSource(sumSide(t, empty), sumSide(t, empty)); err == nil || err.Error() != "no matches found for regexp: Sum" {
		t.Errorf("error %v", err)
	}
	// A file of no module has no past, which is nothing to tell.
	side := sumSide(t, sumProfile(3, map[int64]int64{5: 1}), "", sumBefore)
	side.Texts[0] = func(string) (*srcfind.Text, error) { return nil, fmt.Errorf("x: %w", srcfind.ErrNoModule) }
	d, err := DiffSource(side, side)
	if err != nil || d.Funcs[0].Base.Missed != "" || d.Funcs[0].Base.Lines != 7 {
		t.Errorf("%+v, %v", d, err)
	}
	if errors.Is(err, srcfind.ErrNoModule) {
		t.Error("a text that was found is an error")
	}
}
