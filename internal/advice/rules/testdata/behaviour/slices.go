package slices

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

type item struct {
	id   int
	name string
	w    float64
}

type items []item

type wide struct {
	id  int
	pad [20]int
}

func Run() string {
	var out strings.Builder
	add := func(x ...any) {
		text, err := json.Marshal(x)
		fmt.Fprintln(&out, string(text), err)
	}
	for _, n := range []int{0, 1, 5, -3} {
		var xs []int
		for i := range n {
			xs = append(xs, i*7%5)
		}
		add(grown(xs), grownEmpty(xs), counted(n), counted8(int8(n)), twice(xs), self(xs), deferred(xs), shadow(xs), labelled(xs), ranged(func() []int { return xs }))
		add(joinedRows([][]int{xs, nil, xs}), joinedRows(nil), joinedRows([][]int{nil, {}}) == nil, len(fmt.Sprint(lines([]string{"a", ""}))), numbered(xs), rows([][]int{xs, {1}}), rows([][]int{append(xs[:len(xs):len(xs)], 7)[:len(xs)], {1}}))
		add(filled(xs), filledLate(xs), generic(xs), generic([]string{"a"}))
		add(sorted(xs), desc(xs), records(xs), strs(xs), wides(xs), shadowedCmp(xs), padded(n), blank(n), copied(xs))
	}
	return out.String()
}

func grown(xs []int) []int {
	var ys []int
	for _, x := range xs {
		ys = append(ys, x+1)
	}
	return ys
}

func joinedRows(rows [][]int) []int {
	var all []int
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

func lines(texts []string) (string, int) {
	b := []byte{}
	for _, text := range texts {
		b = append(b, text...)
		b = append(b, '\n')
	}
	return string(b), len(b)
}

func numbered(xs []int) string {
	var b []byte
	for _, x := range xs {
		part := [4]byte{byte(x), 2, 3}
		b = append(b, part[1:]...)
		b = append(b, "; "...)
	}
	return fmt.Sprintf("%q", b)
}

func rows(rows [][]int) []int {
	all := rows[0]
	for _, row := range rows[1:] {
		all = append(all, row...)
	}
	return all
}

func grownEmpty(xs []int) []string {
	ys := []string{}
	for _, x := range xs {
		ys = append(ys, fmt.Sprint(x))
	}
	return ys
}

func counted(n int) []int {
	var ys []int
	for i := 0; i < n; i++ {
		ys = append(ys, i)
	}
	return ys
}

func counted8(n int8) (out []int8) {
	var ys []int8
	for i := int8(0); i < n; i++ {
		ys = append(ys, i, -i)
	}
	out = ys
	return
}

func twice(xs []int) []int {
	ys := make([]int, 0)
	for range 2 {
		for _, x := range xs {
			ys = append(ys, x)
		}
	}
	zs := []int(nil)
	for i := len(xs) - 1; i >= 0; i-- {
		zs = append(zs, xs[i])
	}
	return append(ys, zs...)
}

func self(xs []int) []int {
	var ys []int
	for i := 0; i < len(xs)+len(ys) && i < 3; i++ {
		ys = append(ys, i)
	}
	return ys
}

func deferred(xs []int) (n int) {
	var ys []int
	defer func() { n = len(ys) }()
	for _, x := range xs {
		ys = append(ys, x)
	}
	return 0
}

func shadow(xs []int) []int {
	len := func(x []int) int { return 1 }
	var ys []int
	for _, x := range xs {
		ys = append(ys, x+len(xs))
	}
	return ys
}

func labelled(xs []int) []int {
	var ys []int
outer:
	for _, x := range xs {
		for range 2 {
			if x == 2 {
				continue outer
			}
		}
		ys = append(ys, x)
	}
	return ys
}

func ranged(f func() []int) []int {
	var ys []int
	for _, x := range f() {
		ys = append(ys, x)
	}
	return ys
}

func filled(xs []int) map[int]bool {
	m := map[int]bool{}
	for _, x := range xs {
		m[x] = true
	}
	return m
}

func filledLate(xs []int) map[int]int {
	m := make(map[int]int)
	xs = append(xs, 9)
	for i, x := range xs {
		m[i] = x
	}
	return m
}

func generic[T any](xs []T) []T {
	var ys []T
	for _, x := range xs {
		ys = append(ys, x)
	}
	return ys
}

func sorted(in []int) []int {
	xs := append([]int(nil), in...)
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	sort.Ints(xs)
	sort.Sort(sort.IntSlice(xs))
	return xs
}

func desc(in []int) []int {
	xs := append([]int(nil), in...)
	sort.Sort(sort.Reverse(sort.IntSlice(xs)))
	sort.Slice(xs, func(a, b int) bool {
		return xs[a] > xs[b]
	})
	return xs
}

func records(in []int) string {
	var rs items
	for i, x := range in {
		rs = append(rs, item{x, fmt.Sprintf("%d", i), float64(x) / 2})
	}
	sort.SliceStable(rs, func(i, j int) bool {
		if rs[i].id != rs[j].id {
			return rs[i].id < rs[j].id
		}
		return rs[i].name > rs[j].name
	})
	ps := []*item{}
	for i := range rs {
		ps = append(ps, &rs[i])
	}
	sort.Slice(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if a.w == b.w {
			return len(a.name) < len(b.name) || false
		}
		return a.w < b.w
	})
	sort.Slice(ps, func(i, j int) bool { return ps[i].name < ps[j].name })
	s := ""
	for _, p := range ps {
		s += fmt.Sprint(p.id) + p.name
	}
	return s
}

func strs(in []int) []string {
	var ss []string
	for _, x := range in {
		ss = append(ss, strings.Repeat("x", x))
	}
	sort.Strings(ss)
	sort.Slice(ss, func(i, j int) bool { return strings.Compare(ss[i], ss[j]) > 0 })
	sort.Slice(ss, func(i, j int) bool { return len(ss[i]) < len(ss[j]) })
	return ss
}

func wides(in []int) int {
	var ws []wide
	for _, x := range in {
		ws = append(ws, wide{id: x})
	}
	n := 0
	for i, w := range ws {
		ws2 := append(ws, w)
		n += w.id*i + len(ws2)
	}
	fs := []func() int{}
	for _, w := range ws {
		fs = append(fs, func() int { return w.id })
	}
	for i := range ws {
		ws[i].id = -1
	}
	for _, f := range fs {
		n = n*10 + f()
	}
	return n
}

func shadowedCmp(in []int) []int {
	cmp := append([]int(nil), in...)
	sort.Slice(cmp, func(i, j int) bool { return cmp[i] > cmp[j] })
	slices := cmp
	sort.Slice(slices, func(i, j int) bool { return slices[i] < slices[j] })
	return slices
}

func padded(n int) string {
	s := "s"
	for len(s) < n {
		s += " " // pads
	}
	t := "t"
	for len(t) < n-1 {
		t = "0" + t
	}
	return s + t
}

func blank(n int) string {
	if n < 0 {
		n = -n
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = '-' // a line
	}
	var dst []byte
	for _, c := range b {
		dst = append(dst, c) // all
	}
	return string(b) + string(bytes.ToUpper(dst))
}

func copied(xs []int) int {
	n := 0
	s := "ABC"
	for i := range xs {
		n += len(strings.ToLower(s)) + i + strings.Count(s, "B")
	}
	return n
}
