package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
)

type point struct {
	x, y float64
	t    time.Time
	on   bool
	name string
}

type reader struct {
	*bufio.Scanner
	n int
}

// skip goes on to the next line.
func (r *reader) skip() string {
	r.Scan()
	r.n++
	return "skipped"
}

func next(s *bufio.Scanner) bool { return s.Scan() }

func Run() string {
	var out strings.Builder
	add := func(x ...any) { fmt.Fprintln(&out, x...) }
	const text = "first\n\n# comment\nkey=value\nthe last line, which is longer\n"
	add(scanned(text), skipped(text), handed(text), counts(text))
	add(put("name", "value", []byte("bytes")), appended("a", nil))
	ps := []point{{1, 2, time.Unix(3, 0), true, "b"}, {1, 1, time.Unix(2, 0), false, "a"}, {0, 5, time.Unix(2, 0), true, "c"}, {-1, 5, time.Unix(2, 0), true, "b"}}
	add(less(ps))
	add(floats([]float64{2, math.Inf(1), -1, 0}))
	add(named([]string{"b", "a"}, []string{"x", "y"}), maps(map[string]int{"b": 1, "a": 2}))
	add(walk(3), numbers("12", "x"), numbers("", "-0"))
	add(defaults("a"), defaults(""))
	return out.String()
}

func scanned(text string) (n int) {
	sc := bufio.NewScanner(strings.NewReader(text))
	known := map[string]int{"first": 5}
	for sc.Scan() {
		line := sc.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] == 't' {
			n += len(line)
		}
		switch line {
		case "first":
			n += 100
		}
		if i := strings.Index(line, "="); i >= 0 && strings.Contains(line, "v") {
			n += i
		}
		n += known[line]
	}
	return n
}

func skipped(text string) (n int) {
	r := &reader{Scanner: bufio.NewScanner(strings.NewReader(text))}
	for r.Scan() {
		line := r.Text()
		r.skip()
		if line == "first" || line == "# comment" {
			n++
		}
	}
	return n
}

func handed(text string) (n int) {
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(make([]byte, 16), 64)
	for sc.Scan() {
		line := sc.Text()
		next(sc)
		if line == "first" || line == "# comment" || strings.HasPrefix(line, "the") {
			n++
		}
	}
	return n
}

func counts(text string) string {
	seen := map[string]int{}
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Split(bufio.ScanWords)
	for sc.Scan() {
		word := sc.Text()
		seen[word]++
		if _, ok := seen[word]; !ok {
			seen[word] = 1
		}
	}
	return fmt.Sprint(len(seen))
}

func put(name, value string, b []byte) string {
	var sb strings.Builder
	sb.WriteString(name)
	sb.WriteByte('=')
	sb.WriteString(value)
	sb.WriteString("; ")
	sb.Write(b)
	var buf bytes.Buffer
	buf.WriteString(name)
	buf.WriteString(value)
	return sb.String() + buf.String()
}

func appended(a string, b []byte) string {
	var sb strings.Builder
	a += "x"
	sb.WriteString(a)
	sb.WriteString(strings.Repeat(a, 2))
	b = append(b, a...)
	sb.Write(b)
	return sb.String()
}

func less(ps []point) (s string) {
	show := func() {
		for _, p := range ps {
			s += p.name + strconv.FormatFloat(p.x, 'g', -1, 64)
		}
		s += ";"
	}
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].x < ps[j].x {
			return true
		}
		if ps[i].x > ps[j].x {
			return false
		}
		return ps[i].y < ps[j].y
	})
	show()
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].on && !ps[j].on })
	show()
	sort.SliceStable(ps, func(i, j int) bool {
		return ps[i].y < ps[j].y || ps[i].y == ps[j].y && ps[i].name > ps[j].name
	})
	show()
	sort.SliceStable(ps, func(i, j int) bool {
		if !ps[i].t.Equal(ps[j].t) {
			return ps[i].t.After(ps[j].t)
		}
		if ps[i].on != ps[j].on {
			return ps[j].on
		}
		return ps[i].name < ps[j].name
	})
	show()
	sort.SliceStable(ps, func(i, j int) bool { return ps[j].name < ps[i].name })
	show()
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].name <= ps[j].name && i != j })
	show()
	sort.SliceStable(ps, func(i, j int) bool { return math.Abs(ps[i].x) < math.Abs(ps[j].x) })
	show()
	sort.SliceStable(ps, func(j, i int) bool { return -ps[i].y < -ps[j].y })
	show()
	return s
}

func floats(fs []float64) string {
	sort.Slice(fs, func(i, j int) bool { return fs[i] < fs[j] })
	s := fmt.Sprint(fs)
	sort.Float64s(fs)
	sort.Sort(sort.Reverse(sort.Float64Slice(fs)))
	return s + fmt.Sprint(fs)
}

// named has names that a rewrite would like to use.
func named(a, b []string) string {
	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
	sort.Slice(b, func(x, y int) bool { return len(a[0])+len(b[x]) < len(a[0])+len(b[y]) || b[x] > b[y] })
	strings := a
	sort.SliceStable(strings, func(i, j int) bool { return strings[i] > strings[j] })
	return fmt.Sprint(a, b)
}

func maps(m map[string]int) []string {
	keys := make([]string, 0)
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return m[keys[i]] < m[keys[j]] })
	return keys
}

// walk tells its own end from that of what it calls by an error made for each call.
func walk(n int) string {
	stop := errors.New("stop")
	inner := func(visit func(int) error) error {
		for i := range n {
			if err := visit(i); err != nil {
				return err
			}
		}
		return nil
	}
	s := ""
	err := inner(func(i int) error {
		if n > 1 {
			s += walk(n - 1)
		}
		if i == 1 {
			return stop
		}
		return nil
	})
	if err == stop {
		s += "!"
	}
	return s + fmt.Sprint(n)
}

func numbers(a, b string) string {
	n, err := strconv.Atoi(a)
	if err != nil {
		n = -1
	}
	if _, err := strconv.ParseFloat(b, 64); err != nil {
		n--
	}
	return fmt.Sprint(n, err)
}

func defaults(s string) string {
	const prefix = "p"
	name := fmt.Sprintf(prefix+"%s", s)
	type text string
	var t text = text(fmt.Sprint(s, prefix))
	if v := fmt.Sprintf("%s", prefix); v == prefix && fmt.Sprint(v) != s {
		name += v
	}
	for i := 0; i < len(fmt.Sprintf("%d", len(s))); i++ {
		name += fmt.Sprint(i)
	}
	return name + string(t) + fmt.Sprint(map[string]string{"k": fmt.Sprintf("%s!", s)}["k"])
}
