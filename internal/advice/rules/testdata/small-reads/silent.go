package silent

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

func scan(f *os.File) (sum uint32) {
	r := bufio.NewReader(f)
	for {
		var x uint32
		if _, err := fmt.Fscan(r, &x); err != nil { // hot: fmt.Fscan bufio.(*Reader).ReadRune os.(*File).Read
			return sum
		}
		var y uint32
		if err := binary.Read(r, binary.LittleEndian, &y); err != nil { // hot: encoding/binary.Read io.ReadFull
			return sum
		}
		sum += x + y
	}
}

func all(f *os.File) ([]byte, error) {
	return io.ReadAll(f) // hot: io.ReadAll os.(*File).Read
}
