package p

import (
	"bytes"
	"encoding/binary"
	"io"
)

type header struct {
	Kind uint16
	Size uint32
}

func write(w io.Writer, h *header, n uint64) error {
	// want C: the functions of binary.LittleEndian for each field
	if err := binary.Write(w, binary.LittleEndian, h); err != nil { // hot: encoding/binary.Write encoding/binary.(*encoder).value
		return err
	}
	// want C: allocates a buffer and inspects the type for a single value
	return binary.Write(w, binary.LittleEndian, n) // alloc
}

func read(r *bytes.Reader, order binary.ByteOrder) (h header, err error) {
	// want C: of its byte order
	err = binary.Read(r, order, &h) // hot: encoding/binary.Read encoding/binary.dataSize
	return h, err
}
