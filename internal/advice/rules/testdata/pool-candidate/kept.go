package kept

import "sync"

type page struct{ bytes [8192]byte }

var (
	pages []*page
	pool  = sync.Pool{New: func() any {
		return new(page) // alloc
	}}
	first = make([]byte, 4096) // alloc
)

// stored is needed longer.
func stored() {
	p := new(page) // alloc
	pages = append(pages, p)
}

// small is not worth it.
func small(read func([]byte)) {
	b := make([]byte, 64) // alloc
	read(b)
}

// given goes to somebody who may keep it.
func given(f func([]byte)) {
	b := make([]byte, 4096) // alloc
	f(b)
}

// returned is what the function is for.
func returned(n int) []byte {
	b := make([]byte, 4096) // alloc
	b[0] = byte(n)
	return b[:n]
}

// sent is somebody else's then.
func sent(ch chan []byte) {
	b := make([]byte, 4096) // alloc
	c := b[:3]
	ch <- c
}

// beside uses it after the function has ended.
func beside() {
	b := make([]byte, 4096) // alloc
	go func() { b[0] = 1 }()
}

func unknown(n int) {
	b := make([]byte, n) // alloc
	b[0] = 1
}

// element is the address of one.
func element() *byte {
	b := make([]byte, 4096) // alloc
	b[0] = 1
	return &b[0]
}

type number int

func (n *number) next() *number { *n++; return n }

// called takes the address of one, too.
func called() *number {
	ns := make([]number, 4096) // alloc
	return (ns[1]).next()
}

func array() *byte {
	// says: b escapes to heap
	var b [4096]byte // alloc
	b[0] = 1
	return &(b[0])
}

// bare returns it without naming it.
func bare(n int) (out []byte) {
	b := make([]byte, 4096) // alloc
	out = b[:n]
	return
}

type codec struct{}

func (codec) Encode(dst, src []byte) []byte { return append(dst[:0], src...) }

// encoded returns what it got back.
func encoded(c codec, src []byte) []byte {
	b := make([]byte, 4096) // alloc
	return c.Encode(b, src)
}
