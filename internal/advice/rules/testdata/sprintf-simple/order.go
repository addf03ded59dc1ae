package order

import "fmt"

type item struct {
	name string
	n    int
	list []string
}

func keep(s string) string { return s }

// numberBehind gets into a call, which runs before the index that isn't in one.
func numberBehind(xs []string, ys []int) string {
	// want B: that xs[0] doesn't panic: it is now evaluated after ys[1]. (end)
	return fmt.Sprintf("%s%d", xs[0], ys[1]) // hot: fmt.Sprintf
}

// numberFirst gets into a call, where it may be evaluated before the slice expression.
func numberFirst(ys []int, s string) string {
	// want B: that ys[1] doesn't panic: it is now evaluated before s[2:]. (end)
	return fmt.Sprintf("%d%s", ys[1], s[2:]) // hot: fmt.Sprintf
}

func numbers(ys []int) string {
	// want A: same string
	return fmt.Sprintf("%d:%d", ys[0], ys[1]) // hot: fmt.Sprintf
}

// fields panic with the same text, whichever is the first.
func fields(p, q *item) string {
	// want A: same string
	return fmt.Sprintf("%s:%d", p.name, q.n) // hot: fmt.Sprintf
}

func strings(xs, ys []string) string {
	// want A: same string
	return fmt.Sprintf("%s:%s", xs[0], ys[0]) // hot: fmt.Sprintf
}

// called keeps its place in the statement: strconv is called instead of fmt.
func called(ys []int) string {
	// want A: same string
	return fmt.Sprintf("<%d>", ys[0]) + keep("x") // hot: fmt.Sprintf
}

type known struct{}

func (*known) String() string { return "known" }

// named has an operand with the name of a package that it doesn't need.
func named(s string, strconv *known) string {
	// want B: that strconv is never nil
	return fmt.Sprintf("%s/%v", s, strconv) // hot: fmt.Sprintf
}

func appended(p *item, xs []string, i int) {
	// want B: that xs[i] doesn't panic: it is now evaluated after p.list
	p.list = append(p.list, fmt.Sprintf("<%s>", xs[i])) // hot: fmt.Sprintf
}

func appendedInRange(p *item, xs []string) {
	for i := range xs {
		// want A: same string
		p.list = append(p.list, fmt.Sprintf("<%s>", xs[i])) // hot: fmt.Sprintf
	}
}
