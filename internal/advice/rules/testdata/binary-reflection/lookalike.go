package p

import (
	"encoding/binary"
	"io"
)

// All of a slice is converted at once.
func samples(w io.Writer, xs []uint32) error {
	return binary.Write(w, binary.LittleEndian, xs) // hot: encoding/binary.Write
}

func put(b []byte, n uint64) {
	binary.LittleEndian.PutUint64(b, n) // hot: encoding/binary.littleEndian.PutUint64
}

// The time is in reading.
func read(r io.Reader) (n uint32, err error) {
	err = binary.Read(r, binary.BigEndian, &n) // hot: io.ReadFull os.(*File).Read
	return n, err
}

var magic = func() (n uint32) {
	binary.Read(nil, binary.BigEndian, &n)
	return n
}()
