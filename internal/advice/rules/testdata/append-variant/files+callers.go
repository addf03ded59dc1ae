package files

import (
	"bytes"
	s "strings"
)

func joined(ps []point) []byte {
	var b []byte
	for _, p := range ps {
		b = append(b, p.String()...)
	}
	return b
}

func printed(ps []point) string {
	var out bytes.Buffer
	for _, p := range ps {
		out.WriteString(p.String())
	}
	return s.TrimSpace(out.String())
}

// text has a number, which the sum appends.
func text(p point, n rune) string {
	return "<" + p.String() + string(n) + ">"
}

func kept(p point) string { return p.String() }
