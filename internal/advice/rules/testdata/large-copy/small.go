package small

type point struct{ x, y, z float64 }

type order struct {
	note [128]byte
	id   int
}

func sum(points []point) (n float64) {
	for _, p := range points { // hot
		n += p.x
	}
	return n
}

func pointers(orders []*order) (n int) {
	for _, o := range orders { // hot
		n += o.id
	}
	return n
}

func index(orders []order) (n int) {
	for i := range orders { // hot
		n += orders[i].id
	}
	return n
}

func below(orders []order, f func() []order) (n int) {
	for _, o := range f() { // hot: small.f runtime.mallocgc
		n += o.id
	}
	return n
}

func values(m map[int]order) (n int) {
	for _, o := range m { // hot
		n += o.id
	}
	return n
}

var bits [256][4]uint8

func quarter(b byte) uint8 {
	p := bits[b] // hot
	return p[0] + p[3]
}
