package others

type large struct{ rows [100]int }

// Other maps and keys, maps that change, values that can be told from none, keys that may
// be NaN, and large values.
func others(m, n map[string]int, f map[float64]int, l map[int]large, change func(map[string]int)) (sum int) {
	for k := range m {
		sum += n[k] // hot: runtime.mapaccess1_faststr
	}
	for k := range m {
		m[k] = m[k] + 1 // hot: runtime.mapaccess1_faststr
	}
	for k := range m {
		k = k[1:]
		sum += m[k] // hot: runtime.mapaccess1_faststr
	}
	for k := range m {
		change(m)
		sum += m[k] // hot: runtime.mapaccess1_faststr
	}
	for k := range m {
		delete(m, "a")
		v, ok := m[k] // hot: runtime.mapaccess2_faststr
		if ok {
			sum += v
		}
	}
	for k := range m {
		if v, ok := m[k]; ok { // hot: runtime.mapaccess2_faststr
			sum += v
		}
	}
	for x := range f {
		sum += f[x] // hot: runtime.mapaccess1
	}
	for i := range l {
		sum += l[i].rows[0] // hot: runtime.mapaccess1_fast64
	}
	for k, v := range m {
		v += 2
		sum += v + m[k] // hot: runtime.mapaccess1_faststr
	}
	for k := range m {
		defer func() { change(map[string]int{k: m[k]}) }()
		sum += m[k] // hot: runtime.mapaccess1_faststr
	}
	keys := []string{"a"}
	for i := range keys {
		sum += m[keys[i]] // hot: runtime.mapaccess1_faststr
	}
	return sum
}

type item struct {
	name string
	tags [2]string
}

func (i *item) clean() { i.name = "" }

// changed are copies that are no longer what the map has.
func changed(m map[string]item) (n int) {
	for k, v := range m {
		v.name = "x"
		if m[k].name != v.name { // hot: runtime.mapaccess1_faststr
			n++
		}
	}
	for k, v := range m {
		v.clean()
		if m[k].name != v.name { // hot: runtime.mapaccess1_faststr
			n++
		}
	}
	for k := range m {
		var v, ok = m[k] // hot: runtime.mapaccess2_faststr
		if ok {
			n += len(v.name)
		}
	}
	return n
}
