package others

import (
	"fmt"
	"strings"
	"time"
)

type item struct{ name string }

var calls int

func (i *item) String() string { calls++; return i.name }

func (i *item) rename(name string) { i.name = name }

func branches(a string, yes bool) string {
	if yes {
		return strings.ToLower(a) // hot: strings.ToLower
	}
	return strings.ToLower(a) // hot: strings.ToLower
}

func changed(a string) string {
	x := strings.ToLower(a)
	a += x
	return x + strings.ToLower(a) // hot: strings.ToLower
}

func field(i *item) string {
	x := strings.ToLower(i.name)
	i.rename("y")
	return x + strings.ToLower(i.name) // hot: strings.ToLower
}

func captured(a string) string {
	change := func() { a += "!" }
	x := strings.ToLower(a)
	change()
	return x + strings.ToLower(a) // hot: strings.ToLower
}

func elements(b []byte) string {
	x := strings.ToLower(string(b))
	b[0] = 'x'
	return x + strings.ToLower(string(b)) // hot: strings.ToLower
}

func nextIteration(list []string) (s string) {
	for _, a := range list {
		s += strings.ToLower(a) // hot: strings.ToLower
	}
	return s
}

func later(a string) func() string {
	x := strings.ToLower(a)
	return func() string {
		return x + strings.ToLower(a) // hot: strings.ToLower
	}
}

func method(i *item) string {
	x := fmt.Sprint(i)
	return x + fmt.Sprint(i) // hot: fmt.Sprint
}

func clock() time.Duration {
	start := time.Now()
	return time.Since(start) + time.Since(start) // hot: time.Since
}

func around(a string) (n int) {
again:
	n += strings.Count(a, "x") // hot: strings.Count
	a = a[1:]
	if n < 3 {
		goto again
	}
	return n
}

func makes(s string) []string {
	x := strings.Fields(s)
	x[0] = ""
	return append(x, strings.Fields(s)...) // hot: strings.Fields
}
