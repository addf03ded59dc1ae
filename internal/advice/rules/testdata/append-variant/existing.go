package existing

import (
	"bytes"
	"strconv"
)

type point struct{ x, y int }

// AppendTo appends a point.
func (p point) AppendTo(b []byte) []byte {
	b = strconv.AppendInt(b, int64(p.x), 10)
	b = append(b, ',')
	return strconv.AppendInt(b, int64(p.y), 10)
}

func (p point) String() string {
	// want A: AppendTo, which it calls, needs no memory of its own
	return string(p.AppendTo(make([]byte, 0, 16))) // alloc
}

// A line is of two points: what it calls appends only.
type line struct{ from, to point }

func (l *line) appendText(dst []byte, sep string) []byte {
	if l == nil {
		return dst
	}
	dst = l.from.AppendTo(dst)
	return append(l.to.AppendTo(append(dst, sep...)), '\n')
}

func (l *line) text(sep string) string {
	// want A: appendText, which it calls
	return string(l.appendText(nil, sep)) // alloc
}

type tree struct {
	left, right *tree
	at          point
}

func (t *tree) appendAll(b []byte) []byte {
	if t == nil {
		return b
	}
	b = t.left.appendAll(b)
	b = t.at.AppendTo(b)
	return t.right.appendAll(b)
}

func (t *tree) String() string {
	// want A: appendAll, which it calls
	return string(t.appendAll([]byte{})) // alloc
}

func appendKey(b []byte, p point, first byte) []byte { return p.AppendTo(append(b, first)) }

func key(p point, first byte) []byte {
	b := make([]byte, 0, 8)
	b = append(b, first)
	// want A: appendKey2
	return append(b, p.String()...) // alloc
}

func equal(p point, b []byte) bool { return bytes.Equal(key(p, 'k'), b) }

func all(ps []point, ls []*line, t *tree) []byte {
	var b []byte
	for _, p := range ps {
		b = append(b, p.String()...)
	}
	var out bytes.Buffer
	for _, l := range ls {
		out.WriteString(l.text(" - "))
	}
	if t.String() == "" {
		return nil
	}
	return append(b, out.Bytes()...)
}

// summed builds its text by what only appends.
func summed(p point, n int) string {
	buf := make([]byte, 0, 64)
	buf = p.AppendTo(buf)
	// want A: appendSummed
	return string(strconv.AppendInt(buf, int64(n), 10)) // alloc
}

// A wide point has another AppendTo.
type wide struct{ point }

func (w wide) AppendTo(b []byte) []byte { return append(b, "wide"...) }

func both(p point, w wide) string { return "<" + p.String() + w.String() + ">" }

func same(p point, text string) bool { return summed(p, 1) == text }
