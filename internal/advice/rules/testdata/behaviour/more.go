package more

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

type big struct {
	id   int
	mu   sync.Mutex
	name string
	tags [12]int
	text []byte
}

func (b *big) touch() int { b.id += 100; return b.id }
func (b *big) ID() int    { return b.id }

type rec struct {
	id   int
	name string
	tags [12]int
	p    *int
}

func (r rec) sum() int  { return r.id + r.tags[0] }
func (r *rec) inc() int { r.id++; return r.id }

type stringer struct{ n int }

func (s *stringer) String() string {
	if s == nil {
		return "nil!"
	}
	return fmt.Sprint(s.n)
}

type wrapped struct{ bytes.Buffer }

func (w *wrapped) Write(p []byte) (int, error) {
	return w.Buffer.WriteString(strings.ToUpper(string(p)))
}

type code int

func (c code) Error() string { return fmt.Sprintf("code %d", int(c)) }

func Run() string {
	var out strings.Builder
	add := func(x ...any) { fmt.Fprintln(&out, x...) }
	rs := []rec{{id: 1, name: "a"}, {id: 2, name: "b"}, {id: 3}}
	add(total(rs), modified(rs), captured(rs), arrays([2]rec{rs[0], rs[1]}), pointers(rs), methods(rs), taken(rs), reslice(rs), sliced(rs), deferredLoop(rs), sent(rs))
	add(packed("hello"), packed(""), tmpl("x"), tmpl("<y>"))
	add(buffer("a", 1), bufferPtr(3), bufferLoop(3), bufferReset("r"), embedded("low"), bufferKept())
	add(nilStringer(nil), codes(code(3)), method())
	add(gotos(3), selects(), switches("b"), ifInit("k=v"), closures(), recovered())
	add(named())
	add(twoOnALine("a,b", "c,d"), headers("A"), dotted("x"), strings.TrimSpace(multi("q")))
	add(maps3([]string{"a", "b", "a"}), matrix(3), structs(), aliasing(), errorsIn(2))
	add(nested([][]string{{"a"}, {"b", "c"}, nil}))
	add(initialised.String(), fromVar("a-b"))
	return out.String()
}

var initialised = regexp.MustCompile("x+")

func fromVar(s string) string {
	f := func(s string) string {
		return regexp.MustCompile("-+").ReplaceAllString(s, "+")
	}
	return f(s) + literal(s)
}

var literal = func(s string) string {
	if ok, _ := regexp.MatchString("^a", s); ok {
		return "yes"
	}
	parts := strings.SplitN(s, "-", 2)
	return parts[0]
}

func total(rs []rec) (n int) {
	for _, r := range rs {
		n += r.id + len(r.name)
	}
	for i, r := range rs {
		n += r.id * i
		if r.id == 2 {
			continue
		}
		n += r.tags[0] + r.sum()
	}
	return n
}

func modified(rs []rec) int {
	rs = append([]rec(nil), rs...)
	n := 0
	for _, r := range rs {
		r.id *= 2
		n += r.id
	}
	for i, r := range rs {
		rs[i].id = 7
		n = n*10 + r.id
	}
	for _, r := range rs {
		n += r.inc()
	}
	return n + rs[0].id
}

func captured(rs []rec) int {
	rs = append([]rec(nil), rs...)
	var fs []func() int
	for _, r := range rs {
		fs = append(fs, func() int { return r.id })
	}
	for _, r := range rs {
		defer func() { _ = r.id }()
	}
	rs[0].id = 50
	n := 0
	for _, f := range fs {
		n = n*3 + f()
	}
	return n
}

func arrays(rs [2]rec) int {
	n := 0
	for _, r := range rs {
		rs[1].id = 9
		n = n*10 + r.id
	}
	return n
}

func pointers(rs []rec) string {
	ps := []*int{}
	ts := [][]int{}
	for _, r := range rs {
		ps = append(ps, &r.id)
		ts = append(ts, r.tags[:])
	}
	*ps[0] = 99
	ts[0][0] = 5
	return fmt.Sprint(rs[0].id, rs[0].tags[0], *ps[1])
}

func methods(rs []rec) int {
	var f func() int
	for _, r := range rs {
		f = r.sum
	}
	old := rs[2].id
	rs[2].id = 1000
	n := f()
	rs[2].id = old
	return n
}

func taken(rs []rec) int {
	var last rec
	m := map[string]rec{}
	for _, r := range rs {
		if r.id > 1 {
			last = r
		}
		if r.name == "b" {
			m[r.name] = r
		}
	}
	last.id++
	return last.id + m["b"].id
}

func reslice(in []rec) int {
	rs := append([]rec(nil), in...)
	n := 0
	for _, r := range rs {
		rs = rs[:1]
		n += r.id
	}
	box := struct{ rs []rec }{append([]rec(nil), in...)}
	for _, r := range box.rs {
		box.rs = nil
		n += r.id
	}
	return n
}

func sliced(rs []rec) int {
	n := 0
	for _, r := range rs[1:] {
		n += r.id
	}
	return n
}

func deferredLoop(rs []rec) (n int) {
	rs = append([]rec(nil), rs...)
	for _, r := range rs {
		defer func(x int) { n += x }(r.id)
	}
	set := func() { rs[1].id = 77 }
	for _, r := range rs {
		set()
		n += r.id
	}
	return 0
}

func sent(rs []rec) int {
	c := make(chan int, len(rs))
	var wg sync.WaitGroup
	for _, r := range rs {
		wg.Add(1)
		go func() { defer wg.Done(); c <- r.id }()
	}
	wg.Wait()
	close(c)
	n := 0
	for v := range c {
		n += v
	}
	return n
}

func packed(s string) int {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	w.Write([]byte(s))
	io.WriteString(w, s)
	if err := w.Close(); err != nil {
		return -1
	}
	r, err := gzip.NewReader(&buf)
	if err != nil {
		return -2
	}
	b, _ := io.ReadAll(r)
	return len(b)
}

func tmpl(s string) string {
	t, err := template.New("t").Parse("a {{.}} b")
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if err := t.Execute(&b, s); err != nil {
		return err.Error()
	}
	template.Must(template.New("u").Parse(`{{define "x"}}{{.}}{{end}}<{{template "x" .}}>`)).Execute(&b, s)
	return b.String()
}

func buffer(s string, n int) string {
	var buf bytes.Buffer
	buf.WriteString(s)
	buf.WriteByte('x')
	fmt.Fprintf(&buf, "%05d", n)
	first := buf.String()
	buf.WriteRune('é')
	return first + buf.String() + fmt.Sprint(buf.Len())
}

func bufferPtr(n int) string {
	buf := &bytes.Buffer{}
	for i := range n {
		fmt.Fprint(buf, i)
		if i == 1 {
			defer buf.WriteString("late")
		}
	}
	return buf.String()
}

func bufferLoop(n int) (all string) {
	for i := 0; i < n; i++ {
		buf := new(bytes.Buffer)
		buf.Grow(i)
		buf.Write([]byte{byte('a' + i)})
		all += buf.String()
	}
	return
}

func bufferReset(s string) string {
	var buf bytes.Buffer
	buf.WriteString(s)
	buf.Truncate(0)
	buf.WriteString(s + s)
	return buf.String()
}

func bufferKept() string {
	var buf bytes.Buffer
	var w io.Writer = &buf
	w.Write([]byte("kept"))
	return buf.String()
}

func embedded(s string) string {
	var w wrapped
	w.Write([]byte(s))
	fmt.Fprintf(&w, "%s-%s", s, s)
	io.WriteString(&w, s)
	w.Write([]byte(fmt.Sprintf("%s%d", s, 1)))
	return w.String()
}

func nilStringer(s *stringer) string {
	return fmt.Sprintf("<%s>", s) + fmt.Sprint(s)
}

func codes(c code) string {
	return fmt.Sprintf("%v: %d", c, c) + fmt.Sprint(c)
}

func method() string {
	join := strings.Join
	upper := strings.ToUpper
	return join([]string{"a", upper("b")}, "-")
}

func gotos(n int) string {
	s := ""
	i := 0
again:
	for _, x := range []string{"a", "b"} {
		s += x
	}
	if i++; i < n {
		goto again
	}
	return s
}

func selects() string {
	c := make(chan string, 1)
	c <- "v"
	s := ""
	for range 2 {
		select {
		case v := <-c:
			s += v + "!"
		default:
			s += "d" + "e"
		}
	}
	return s
}

func switches(s string) string {
	switch x := strings.Split(s, ",")[0]; x {
	case fmt.Sprintf("%s", "b"):
		return "B"
	case strings.Split("c,d", ",")[0]:
		return "C"
	}
	switch {
	case strings.ToLower(s) == "z", strings.ContainsAny(s, "xyz"):
		return "Z"
	}
	return ""
}

func ifInit(s string) string {
	if kv := strings.SplitN(s, "=", 2); len(kv) == 2 && kv[0] != "" {
		if v := strings.Split(kv[1], ";")[0]; v == "v" {
			return v
		}
	} else if strings.Split(s, ":")[0] == "q" {
		return "q"
	}
	return "-"
}

func closures() string {
	s := ""
	add := func(x string) {
		for range 2 {
			s += x
		}
	}
	add("a")
	for _, x := range []string{"b", "c"} {
		func() { s += x }()
	}
	return s
}

func recovered() (s string) {
	defer func() {
		if recover() != nil {
			s += "|recovered"
		}
	}()
	xs := []string{"a", "b"}
	for i := range 3 {
		s += xs[i]
	}
	return s
}

func named() (out []int, err error) {
	for i := range 3 {
		out = append(out, i)
	}
	err = errors.New("named")
	return
}

func twoOnALine(a, b string) string {
	return strings.Split(a, ",")[0] + strings.Split(b, ",")[0] + fmt.Sprint(a) + fmt.Sprint(b)
}

func headers(s string) string {
	for i, p := range strings.Split(s+",B", ",") {
		if strings.ToLower(p) == strings.ToLower("b") && i > 0 {
			return p
		}
	}
	return ""
}

func dotted(s string) string {
	errors := "shadow"
	if s == "" {
		return fmt.Errorf("none").Error()
	}
	return errors
}

func multi(s string) string {
	return fmt.Sprintf(
		"%s: %d", // what
		s,
		len(s),
	) + fmt.Sprintf("%s/%s",
		s,
		s)
}

func maps3(xs []string) string {
	count := map[string]int{}
	index := make(map[string]int)
	for i, x := range xs {
		count[x]++
		index[x] = i
	}
	seen := map[int]struct{}{}
	for i := range xs {
		seen[i] = struct{}{}
	}
	return fmt.Sprint(count, index, len(seen))
}

func nested(xss [][]string) (string, int) {
	var all []string
	for _, xs := range xss {
		for _, x := range xs {
			all = append(all, x)
		}
	}
	s := ""
	for _, xs := range xss {
		line := ""
		for _, x := range xs {
			line += x
		}
		s += line + ";"
	}
	return s, len(all)
}

func matrix(n int) [][]int {
	var rows [][]int
	for i := 0; i < n; i++ {
		var row []int
		for j := 0; j < n; j++ {
			row = append(row, i*j)
		}
		rows = append(rows, row)
	}
	return rows
}

func structs() string {
	var holder struct{ s string }
	for _, x := range []string{"a", "b"} {
		holder.s += x
	}
	p := &holder
	for range 2 {
		p.s += holder.s
	}
	return holder.s
}

func aliasing() string {
	base := []byte("abc")
	dst := base[:0]
	for _, c := range base[1:] {
		dst = append(dst, c)
	}
	return string(dst) + string(base)
}

func errorsIn(n int) error {
	err := errors.New("first")
	for i := range n {
		err = fmt.Errorf("at %d: %w", i, err)
	}
	if _, e := os.Stat("/nonexistent"); e == nil {
		return errors.New("first")
	}
	return err
}
