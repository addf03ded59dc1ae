package element

type line [4]int

type item struct {
	text [12]int
	next *item
}

func (i item) total() int { return i.text[0] }

func written(all []line, i int) int {
	v := all[i] // hot
	all[0][0] = 7
	return v[0]
}

func through(all []line, p *int) int {
	v := all[0] // hot
	*p = 3
	return v[0]
}

func called(all []line, f func()) int {
	v := all[0] // hot
	f()
	return v[0]
}

func changed(all []line) int {
	v := all[0] // hot
	v[1]++
	return v[0]
}

func closed(all []line) func() int {
	v := all[0] // hot
	return func() int { return v[0] }
}

func whole(all []line) (line, int) {
	v := all[0] // hot
	return v, v[0]
}

func method(all []item) int {
	v := all[0] // hot
	return v.total()
}

func sliced(all []line) []int {
	v := all[0] // hot
	return v[:]
}

func local(other [2]line) int {
	var all [2]line
	v := all[1] // hot
	all = other
	return v[0]
}

func inMap(m map[int]line) int {
	v := m[1] // hot
	return v[0]
}

func result(f func() [2]line) int {
	v := f()[1] // hot
	return v[0]
}

func loop(all []line) (n int) {
	v := all[0] // hot
	for i := range all {
		n += v[0]
		all[i][0] = n
	}
	return n
}

func sent(all []line, c chan int) int {
	v := all[0] // hot
	<-c
	return v[0]
}

func fresh(all []line) int {
	v := all[0] // hot
	all = append(all[:0], line{})
	return v[0]
}
