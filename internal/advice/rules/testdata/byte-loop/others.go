package others

import "fmt"

func count(n, m int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) // hot: others.count
	}
	half := make([]byte, n)
	for i := 0; i < m; i++ {
		half[i] = ' ' // hot: others.count
	}
	from := make([]byte, n)
	for i := 1; i < n; i++ {
		from[i] = ' ' // hot: others.count
	}
	zero := make([]byte, n)
	for i := range zero {
		zero[i] = 0 // hot: others.count
	}
	roomy := make([]byte, n, m)
	for i := range roomy {
		roomy[i] = ' ' // hot: others.count
	}
	both := make([]byte, n)
	for i := range both {
		both[i] = ' ' // hot: others.count
		half[i] = ' '
	}
	b = append(append(append(b, half...), from...), zero...)
	return append(append(b, roomy...), both...)
}

func words(s string, n int, next func() string) string {
	for len(s) < n {
		s += "ab" // hot: runtime.concatstring2
	}
	for len(s) < n {
		s += next() // hot: runtime.concatstring2
	}
	for n < len(s) {
		s += " " // hot: runtime.concatstring2
		n += 2
	}
	return s
}

type level int

func (l level) String() string { return "level" }

// row is of empty strings, which as interfaces are not nil.
func row(vals []any, levels []fmt.Stringer, n int) ([]any, []fmt.Stringer) {
	for len(vals) < n {
		vals = append(vals, "") // hot: others.row
	}
	for len(levels) < n {
		levels = append(levels, level(0)) // hot: others.row
	}
	return vals, levels
}

// stays is of a slice that doesn't leave the stack.
func stays(s string) (n int) {
	b := make([]byte, 16)
	for i := range b {
		b[i] = ' ' // hot: others.stays
	}
	copy(b, s)
	for _, c := range b {
		n += int(c)
	}
	return n
}
