package sources

import (
	"bufio"
	"io"
)

// What is read takes the time, not how.
func unpack(w io.Writer, r *bufio.Reader, size int64) (string, error) {
	if _, err := io.CopyN(w, r, size); err != nil { // hot: io.CopyN io.Copy compress/flate.(*decompressor).Read
		return "", err
	}
	return r.ReadString('\n') // hot: bufio.(*Reader).ReadString bufio.(*Reader).fill compress/flate.(*decompressor).Read
}
