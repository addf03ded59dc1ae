package scan

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

type record struct {
	A uint32
	B [2]uint16
}

func scan(f *os.File, n int) (sum int, err error) {
	for range n {
		var x int
		// want C: a system call fmt.Fscan reads f with a system call per byte
		if _, err := fmt.Fscan(f, &x); err != nil { // hot: fmt.Fscan os.(*File).Read
			return 0, err
		}
		var word [4]byte
		// want C: call io.ReadFull makes a system call in each iteration
		if _, err := io.ReadFull(f, word[:]); err != nil { // hot: io.ReadFull os.(*File).Read
			return 0, err
		}
		sum += x
	}
	return sum, nil
}

func read(r io.Reader) (rec record, err error) {
	// want C: by reflection
	err = binary.Read(r, binary.LittleEndian, &rec) // hot: encoding/binary.Read encoding/binary.(*decoder).value
	return rec, err
}
