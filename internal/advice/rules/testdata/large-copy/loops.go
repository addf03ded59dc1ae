package loops

type order struct {
	id    int
	price [3]float64
	name  string
	tags  []string
	note  [32]byte
}

func (o order) total() float64 { return o.price[0] + o.price[1] }

func (o *order) rename(name string) { o.name = name }

type shop struct{ orders []order }

func total(orders []order) (sum float64) {
	// want B: copies an element of 104 bytes to o
	for _, o := range orders { // hot
		sum += o.price[0] * float64(len(o.tags))
	}
	return sum
}

func (s *shop) find(name string) (int, order) {
	// want B: 104 bytes
	for i, o := range s.orders { // hot
		if o.name == name && o.total() > 3 && len(s.orders) > 0 {
			return i, o
		}
	}
	return 0, order{}
}

func labeled(orders []order, out map[string]order) {
again:
	// want B: 104 bytes
	for k, o := range orders { // hot
		for _, t := range o.tags {
			if t == "skip" {
				continue again
			}
		}
		if o.id > 7 {
			out[o.name] = o
		}
		_ = k
	}
}

func changed(orders []order) (sum float64) {
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		o.price[0]++
		sum += o.price[0]
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		o.rename("x")
		sum += o.price[0]
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for i, o := range orders { // hot
		orders[i].id = 0
		sum += float64(o.id)
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		o := o
		sum += o.price[2]
	}
	var notes [][]byte
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		notes = append(notes, o.note[:])
	}
	return sum + float64(len(notes))
}

func all(orders []order) (out []order) {
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		out = append(out, o)
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		defer func() { println(o.name) }()
	}
	return out
}

func pass(o order) float64 {
	// says: copies 104 bytes
	// want C: copies 104 bytes here
	p := o // hot
	return p.price[0]
}

// others may be the same orders.
func others(orders, other []order, cur *order) (n int) {
	// want C: are copied Each step copies an element of 104 bytes to o
	for i, o := range orders { // hot
		other[i].id = 9
		n += o.id
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for _, o := range orders { // hot
		cur.id++
		n += o.id
	}
	var last order
	// want B: 104 bytes
	for _, o := range orders { // hot
		last.id = o.id
		n += last.id
	}
	return n
}

type stats struct{ best order }

func (st *stats) largest(orders, same []order) {
	// want B: 104 bytes
	for _, o := range orders { // hot
		if o.id > st.best.id {
			st.best = o
		}
	}
	// want C: are copied Each step copies an element of 104 bytes to o
	for i, o := range orders { // hot
		copy(same[i:], same[i+1:])
		st.best.id += o.id
	}
}
