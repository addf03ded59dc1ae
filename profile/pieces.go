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
	total    int64 // bytes read so far
	mem      *meter
	rest     []byte // the last piece, or what wasn't consumed of it
	large    []byte // holds the rest when it is larger than the headroom
	skip     int    // bytes ahead that were consumed

	buf   []byte // block in use, with its headroom
	ahead chan block
	free  chan []byte
	done  chan struct{}
	ended chan struct{} // closed by the goroutine
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
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	if s.buf == nil {
		if err := s.mem.take(headroom + blockSize); err != nil {
			return nil, err
		}
		s.buf = make([]byte, headroom+blockSize)
	}
	n := len(s.rest)
	if n > headroom && (len(s.large) != n || &s.large[0] != &s.rest[0]) {
		var err error
		if s.large, err = grown(s.mem, s.large[:0], n); err != nil {
			return nil, err
		}
		s.large = append(s.large, s.rest...)
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
		var err error
		if s.large, err = grown(s.mem, s.large, b.n); err != nil {
			return nil, err
		}
		s.large = append(s.large, s.buf[headroom:headroom+b.n]...)
		s.rest = s.large
	}
	s.consumed(0)
	return s.rest, b.err
}

// consumed tells that the first n bytes of the last piece are done with, and if
// there are less, so many of what comes.
func (s *pieces) consumed(n int) {
	n += s.skip
	s.skip = max(0, n-len(s.rest))
	s.rest = s.rest[n-s.skip:]
}

func readBlock(in io.Reader, buf []byte) block {
	n, err := io.ReadFull(in, buf[headroom:])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return block{buf, n, err}
}

// start begins to read ahead in a goroutine, by up to two blocks.
func (s *pieces) start() error {
	if err := s.mem.take(2 * (headroom + blockSize)); err != nil {
		return err
	}
	s.ahead = make(chan block, 1)
	s.free = make(chan []byte, 3)
	s.done = make(chan struct{})
	for range 2 {
		s.free <- make([]byte, headroom+blockSize)
	}
	s.ended = make(chan struct{})
	done := s.done // stop clears the field
	go func() {
		defer close(s.ended)
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
	return nil
}

// stop ends the goroutine, if there is one, and waits for it: it reads what may be
// read again.
func (s *pieces) stop() {
	if s.done != nil {
		close(s.done)
		<-s.ended
		s.done = nil
	}
}
