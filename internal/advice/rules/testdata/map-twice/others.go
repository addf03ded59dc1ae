package others

type large struct{ rows [100]int }

// Other elements, elements that change in between, variables that no longer have the value, lookups that may not run,
// functions that run later, and large values.
func others(m, n map[string]int, l map[int]large, key string, set func(map[string]int)) (sum int) {
	if m[key] > 0 {
		sum += n[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		key = "other"
		sum += m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		n[key]++
		sum += m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		delete(m, key)
		sum += m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		set(m)
		sum += m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		for range 3 {
			sum += m[key] // hot: runtime.mapaccess1_faststr
			m[key] = sum
		}
	}
	if v := m[key]; v > 0 {
		v++
		sum += v + m[key] // hot: runtime.mapaccess1_faststr
	}
	if v, ok := m[key]; ok {
		if v, ok := n[key]; ok {
			sum += v + m[key] // hot: runtime.mapaccess1_faststr
		}
		sum += v
	}
	if sum > 0 && m[key] > 0 {
		sum += m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		defer func() { sum += m[key] }() // hot: runtime.mapaccess1_faststr
	}
	if _, ok := m[key]; !ok {
		m[key] = 1
	}
	if m[key] > 0 {
		m[key]++ // hot: runtime.mapassign_faststr
	}
	if _, ok := l[1]; ok {
		sum += l[1].rows[0] // hot: runtime.mapaccess1_fast64
	}
	if m[next()] > 0 {
		sum += m[next()] // hot: runtime.mapaccess1_faststr
	}
	m = n
	return sum
}

func next() string { return "" }

func again(m map[string]int, key string) int {
	n := m[key]
loop:
	if n > 10 {
		return n
	}
	n += m[key] // hot: runtime.mapaccess1_faststr
	goto loop
}

type parser struct {
	tok  string
	prec map[string]int
}

func (p *parser) next() { p.tok = "next" }

// Functions called in between, which may change the key or the map, in other clauses and in the condition, too; and
// lookups that may panic in place of something else.
func called(m map[string]int, key string, any map[any]int, k any, a []int, n, d int, note func(string), set func() bool, ch chan bool) int {
	if n := m[key]; n > 1 {
		note(key)
		return n + m[key] // hot: runtime.mapaccess1_faststr
	}
	if m[key] > 0 {
		switch {
		default:
			return m[key] // hot: runtime.mapaccess1_faststr
		case set():
		}
	}
	if m[key] > 0 {
		select {
		default:
			return m[key] // hot: runtime.mapaccess1_faststr
		case ch <- set():
		}
	}
	if m[key] == inc(m, m[key]) { // hot: runtime.mapaccess1_faststr
		return 1
	}
	if a[3] == any[k] {
		return any[k] // hot: runtime.mapaccess1
	}
	if n/d == any[k] {
		return any[k] // hot: runtime.mapaccess1
	}
	v := m[key]
	<-ch
	return v + m[key] // hot: runtime.mapaccess1_faststr
}

func inc(m map[string]int, n int) int {
	m["a"]++
	return n + 1
}

func parsed(p, q *parser) int {
	if p.prec[p.tok] > 0 {
		p.next()
		return p.prec[p.tok] // hot: runtime.mapaccess1_faststr
	}
	if p.prec[p.tok] > 0 {
		q.tok = "z"
		return p.prec[p.tok] // hot: runtime.mapaccess1_faststr
	}
	v := p.prec["a"]
	q.prec = nil
	return v + p.prec["a"] // hot: runtime.mapaccess1_faststr
}

func divided(p *parser, n, d int) int {
	if n/d == p.prec["a"] {
		return p.prec["a"] // hot: runtime.mapaccess1_faststr
	}
	return 0
}
