package profile

import "io"

const (
	// blockSize is how much is read, and decompressed, at a time.
	blockSize = 256 << 10
	// headroom is the space kept before each block for the undecoded rest of
	// the one before.
	headroom = 16 << 10
	// pipelineFrom is how much is decompressed before it becomes worthwhile to
	// decompress one block in a goroutine while another is being decoded.
	pipelineFrom = 1 << 20
)

// pieces hands out a stream in pieces, each beginning with the bytes of the
// last one that were not consumed.
type pieces struct {
	in       io.Reader
	pipeline bool
	total    int64  // bytes read so far
	rest     []byte // the last piece, or what wasn't consumed of it
	large    []byte // holds the rest when it is larger than the headroom

	buf   []byte // block in use, with its headroom
	ahead chan block
	free  chan []byte
	done  chan struct{}
}

type block struct {
	buf []byte
	n   int // bytes behind the headroom
	err error
}

// next returns the next piece, which is valid until the next call. The error is
// io.EOF with the last piece.
func (s *pieces) next() ([]byte, error) {
	if s.pipeline && s.ahead == nil && s.total >= pipelineFrom {
		s.start()
	}
	if s.buf == nil {
		s.buf = make([]byte, headroom+blockSize)
	}
	n := len(s.rest)
	if n > headroom && (len(s.large) != n || &s.large[0] != &s.rest[0]) {
		s.large = append(s.large[:0], s.rest...)
	}
	var b block
	if s.ahead != nil {
		b = <-s.ahead
		if n <= headroom {
			copy(b.buf[headroom-n:headroom], s.rest)
		}
		s.free <- s.buf
		s.buf = b.buf
	} else {
		if n <= headroom {
			copy(s.buf[headroom-n:headroom], s.rest)
		}
		b = readBlock(s.in, s.buf)
	}
	s.total += int64(b.n)
	if n <= headroom {
		s.rest = s.buf[headroom-n : headroom+b.n]
	} else {
		s.large = append(s.large, s.buf[headroom:headroom+b.n]...)
		s.rest = s.large
	}
	return s.rest, b.err
}

// consumed tells that the first n bytes of the last piece are done with.
func (s *pieces) consumed(n int) { s.rest = s.rest[n:] }

func readBlock(in io.Reader, buf []byte) block {
	n, err := io.ReadFull(in, buf[headroom:])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return block{buf, n, err}
}

// start begins to read ahead in a goroutine, by up to two blocks.
func (s *pieces) start() {
	s.ahead = make(chan block, 1)
	s.free = make(chan []byte, 3)
	s.done = make(chan struct{})
	for range 2 {
		s.free <- make([]byte, headroom+blockSize)
	}
	done := s.done // stop clears the field
	go func() {
		for {
			var b block
			select {
			case buf := <-s.free:
				b = readBlock(s.in, buf)
			case <-done:
				return
			}
			select {
			case s.ahead <- b:
			case <-done:
				return
			}
			if b.err != nil {
				return
			}
		}
	}()
}

// stop ends the goroutine, if there is one.
func (s *pieces) stop() {
	if s.done != nil {
		close(s.done)
		s.done = nil
	}
}
