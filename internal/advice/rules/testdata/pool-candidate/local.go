package local

import (
	"hash"
	"io"
	"strconv"
)

const size = 32 << 10

type state struct {
	table [4096]uint32
	n     int
}

func count(r io.Reader) (n int) {
	// want C: A buffer of 32 KiB
	buf := make([]byte, size) // alloc
	for {
		m, err := r.Read(buf[:len(buf)/2])
		for _, b := range buf[:m] {
			if b == '\n' {
				n++
			}
		}
		if err != nil {
			return n
		}
	}
}

func hashed(h hash.Hash, r io.Reader) error {
	// want C: A buffer of 4 KiB
	_, err := io.CopyBuffer(h, r, make([]byte, 4096)) // alloc
	return err
}

func text(w io.Writer, ns []int) {
	// want C: A buffer of 2 KiB
	buf := make([]byte, 0, 2048) // alloc
	for _, n := range ns {
		buf = strconv.AppendInt(buf, int64(n), 10)
		buf = append(buf, ' ')
	}
	line := buf[:len(buf)-1]
	w.Write(line)
}

func newState(n int) *state {
	// want C: Each call of newState allocates a value of 16.01 KiB
	return &state{n: n} // alloc
}

func NewBuffer() *state {
	// want C: Each call of NewBuffer
	s := new(state) // alloc
	return s
}
