package reads

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"time"
)

func line(r *bufio.Reader, b *bytes.Buffer) (string, error) {
	// want C: ReadSlice returns the bytes in the buffer
	s, err := r.ReadString('\n') // alloc: bufio.(*Reader).ReadString strings.(*Builder).grow
	if err != nil {
		return "", err
	}
	// want C: or ReadByte for a single byte
	_, err = io.CopyN(b, r, 1) // hot: io.CopyN io.Copy
	return s, err
}

func wait(tokens chan int, limit time.Duration) int {
	// want C: in a select with default
	timer := time.NewTimer(limit) // hot: time.NewTimer
	defer timer.Stop()
	select {
	case t := <-tokens:
		return t
	case <-timer.C:
		return 0
	}
}

func same(a string, b *net.IPNet) bool {
	// want C: compare IP and Mask
	return a == b.String() // hot: net.(*IPNet).String
}
