package large

type session struct { // 56 bytes
	id, seen, last, count int64
	name                  string
	next                  *session
}

type page struct { // 1024 bytes with pointers take 1152
	rows [126]int64
	next *page
	name *string
}

var (
	sessions map[int64]*session
	buffers  [][]byte
	lists    [][]*page
)

func open(id int64) {
	// want C: session has 56 bytes and takes a block of 64. With 8 bytes less, it fits into a block of 48: 16 bytes less for each of 1562500 objects.
	sessions[id] = &session{id: id} // live: only 64
}

func another() *session {
	// want C: fits into a block of 48
	return new(session) // live: only 64
}

func newPage() *page {
	// want C: page has 1024 bytes and takes a block of 1152. With 8 bytes less, it fits into a block of 1024
	return &page{} // live: only 1152
}

func terminated() {
	// want C: The array of make([]byte, 4097) has 4097 bytes and takes a block of 4864. With 1 byte less
	buffers = append(buffers, make([]byte, 4097)) // live: only 4864
}

func room() {
	// want C: The array of make([]*page, 0, 128) has 1024 bytes and takes a block of 1152
	lists = append(lists, make([]*page, 0, 128)) // live: only 1152
}
