package loads

import (
	"fmt"
	"sync"
)

type digest struct {
	sum, n uint64
	table  *[256]uint64
}

func (d *digest) write(text []byte) {
	d.sum = 7
	for _, c := range text {
		if c == 0 {
			break
		}
		d.sum = d.sum*31 + uint64(c)
		d.sum ^= d.table[c]
	}
}

func product(a, b, c [][]float64, n int) {
	for i := range a {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < len(a[i]); k++ {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
}

type cache struct {
	mu    sync.Mutex
	items map[string]int
	total int
}

func (c *cache) get(name string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, found := c.items[name]
	return n, found
}

func (c *cache) add(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n == 0 {
		return
	}
	c.items[name] += n
	c.total += n
}

func Run() string {
	out := ""
	d := &digest{table: new([256]uint64)}
	for i := range d.table {
		d.table[i] = uint64(i * i)
	}
	for _, text := range []string{"", "a", "a longer text", "cut\x00here"} {
		d.write([]byte(text))
		out += fmt.Sprintln(d.sum, d.n)
	}
	a, b := [][]float64{{1, 2}, {3, 4}}, [][]float64{{5, 6}, {7, 8}}
	c := [][]float64{{0, 0}, {0, 0}}
	product(a, b, c, 2)
	product(nil, b, c, 2)
	out += fmt.Sprintln(c)
	items := &cache{items: map[string]int{}}
	for i := range 5 {
		items.add(fmt.Sprint("item", i%2), i)
	}
	n, found := items.get("item1")
	_, none := items.get("none")
	return out + fmt.Sprintln(n, found, none, items.total)
}
