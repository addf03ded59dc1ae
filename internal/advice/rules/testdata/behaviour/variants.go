package variants

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

type point struct {
	x, y int
	name string
}

func Run() string {
	var out []string
	add := func(x ...any) { out = append(out, fmt.Sprintln(x...)) }
	add(described(nil))
	for _, p := range []point{{}, {1, -2, "a"}, {1 << 40, 7, strings.Repeat("long", 30)}} {
		add(described([]point{p, p}), packed([]point{p}), isNamed(p, "<a>"), isNamed(p, ""), p.packed(), p.title(), p.String())
	}
	for n := range 4 {
		add(drawn(n), tree(n).String())
	}
	for _, rows := range [][]string{nil, {""}, {"b a", "", "c b a", "a a"}} {
		add(rowTexts(rows), distinctWords(rows), lengths(rows))
	}
	add(tree(0).String() == "", listed([]string{"a", "", "b"}))
	return strings.Join(out, "")
}

func (p point) String() string {
	if p.name == "" {
		return "nameless"
	}
	b := make([]byte, 0, 32)
	b = append(b, p.name...)
	b = append(b, '@')
	b = strconv.AppendInt(b, int64(p.x), 10)
	return string(append(b, '!'))
}

func (p point) title() string { return "<" + p.name + ">" }

func isNamed(p point, text string) bool { return p.title() == text }

func described(ps []point) string {
	var b []byte
	for _, p := range ps {
		b = append(b, p.String()...)
		b = append(b, ' ')
	}
	return string(b)
}

func (p point) packed() []byte {
	data := make([]byte, 12+len(p.name))
	binary.LittleEndian.PutUint64(data, uint64(p.x))
	binary.BigEndian.PutUint32(data[8:], uint32(p.y))
	copy(data[12:], p.name)
	return data
}

func packed(ps []point) []byte {
	var out bytes.Buffer
	for _, p := range ps {
		out.Write(p.packed())
	}
	return out.Bytes()
}

type knot struct{ left, right *knot }

func tree(depth int) *knot {
	if depth == 0 {
		return nil
	}
	return &knot{tree(depth - 1), tree(depth / 2)}
}

func (k *knot) String() string {
	if k == nil {
		return ""
	}
	var sb strings.Builder
	sb.WriteString("(" + k.left.String())
	if sb.Len() > 1 {
		sb.WriteRune('é')
	}
	sb.WriteString(k.right.String())
	sb.WriteByte(')')
	return sb.String()
}

func drawn(n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(tree(n).String())
	}
	return out.String()
}

func quoted(s string) string {
	if s == "" {
		return "-"
	}
	return "'" + s + "'"
}

func listed(all []string) (n int) {
	for _, s := range all {
		n += len(quoted(s))
	}
	return n
}

func rowTexts(rows []string) (all []string) {
	for i, row := range rows {
		var b []byte
		for _, word := range strings.Fields(row) {
			b = append(b, word...)
			b = append(b, ';')
		}
		if i == 1 {
			continue
		}
		all = append(all, string(b))
	}
	return all
}

func distinctWords(rows []string) (n int) {
	for _, row := range rows {
		seen := make(map[string]int, len(row))
		for _, word := range strings.Fields(row) {
			seen[word]++
		}
		n = 10*n + len(seen) + seen["a"]
	}
	return n
}

func lengths(rows []string) (sum int) {
	for _, row := range rows {
		counts := make([]int, 1+len(row))
		for i := range row {
			counts[i+1] += counts[i] + 1
		}
		for _, n := range counts {
			sum += n
		}
	}
	return sum
}
