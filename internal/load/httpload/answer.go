package httpload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"
)

// lineLimit is the size of a line of an answer's header at most, headLimit that of
// all of them.
const (
	lineLimit = 64 << 10
	headLimit = 1 << 20
)

// answer reads an answer (RFC 9112).
func (c *http1Conn) answer(head bool) (size int, err error) {
	for {
		a, n, err := c.header()
		size += n
		if err != nil {
			return size, err
		}
		if c.status == 101 {
			return size, errors.New("the server changes to another protocol")
		}
		if c.status < 200 {
			continue // an answer before the answer
		}
		c.over = a.close
		n, err = c.content(a, head)
		return size + n, err
	}
}

// A answer is what a server said of one request.
type answer struct {
	bytes, status int
	line          string // of the status, if it is not a usual one
	location      string // where to go on, if that is to be done
}

// A head is what an answer's header says of the rest.
type head struct {
	length  int64 // -1: not said
	chunked bool
	coded   string // the last transfer encoding
	close   bool
	keep    bool // keep-alive, which HTTP/1.0 has to say
}

// header reads the status and the fields.
func (a *http1Conn) header() (h head, size int, err error) {
	h.length = -1
	line, err := a.readLine()
	size = len(line) + 2
	if err != nil {
		if len(line) == 0 && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)) {
			err = fmt.Errorf("%w: %w", errNothing, err)
		}
		return h, size, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' || !digits(line[9:12]) {
		return h, size, fmt.Errorf("the answer does not begin as HTTP/1.1 does: %.40q", line)
	}
	a.status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	old := line[7] == '0' // HTTP/1.0
	a.location = ""
	if a.status >= 300 {
		a.line = string(line[9:])
	} else {
		a.line = ""
	}
	for {
		if line, err = a.readLine(); err != nil {
			return h, size, err
		}
		if size += len(line) + 2; size > headLimit {
			return h, size, fmt.Errorf("the header of the answer is larger than %d bytes", headLimit)
		}
		if len(line) == 0 {
			if h.coded != "" && !h.chunked {
				return h, size, fmt.Errorf("the answer has the transfer encoding %.40q", h.coded)
			}
			h.close = h.close || old && !h.keep
			return h, size, nil
		}
		if err := h.field(line); err != nil {
			return h, size, err
		}
		if a.status/100 == 3 {
			if name, value, _ := bytes.Cut(line, []byte(":")); equalFold(name, "location") {
				a.location = string(bytes.TrimSpace(value))
			}
		}
	}
}

// errNothing is why there is no answer at all.
var errNothing = fmt.Errorf("the server closed the connection without an answer: %w", io.ErrUnexpectedEOF)

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// field takes what it needs of a field. Fields that are lists may come in several
// lines, and have several values in each (RFC 9110, 5.3).
func (h *head) field(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return fmt.Errorf("invalid header line in the answer: %.40q", line)
	}
	value := bytes.TrimSpace(line[colon+1:])
	switch name := line[:colon]; {
	case equalFold(name, "content-length"):
		// The same length said twice is one (RFC 9110, 8.6).
		for item := range items(value) {
			n, err := strconv.ParseInt(string(item), 10, 64)
			if err != nil || n < 0 || item[0] == '+' || h.length >= 0 && h.length != n {
				return fmt.Errorf("invalid Content-Length %.40q in the answer", value)
			}
			h.length = n
		}
	case equalFold(name, "transfer-encoding"):
		// Chunks say where the content ends if they come last; what they hold is not looked at.
		for item := range items(value) {
			if h.chunked {
				return fmt.Errorf("invalid transfer encoding %.40q after chunked in the answer", value)
			}
			h.chunked = equalFold(item, "chunked")
			h.coded = string(item)
		}
	case equalFold(name, "connection"):
		for item := range items(value) {
			h.close = h.close || equalFold(item, "close")
			h.keep = h.keep || equalFold(item, "keep-alive")
		}
	}
	return nil
}

// content reads past the content and returns its size.
func (c *http1Conn) content(h head, head bool) (int, error) {
	switch {
	case head || c.status == 204 || c.status == 304:
		return 0, nil
	case h.chunked:
		return c.chunks()
	case h.length >= 0:
		n, err := c.in.Discard(int(h.length))
		return n, ended(err)
	}
	c.over = true
	n, err := io.Copy(io.Discard, c.in)
	return int(n), err
}

func (in *http1Conn) chunks() (size int, err error) {
	for {
		line, err := in.readLine()
		if err != nil {
			return size, err
		}
		text, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 16, 32)
		if err != nil || n < 0 {
			return size, fmt.Errorf("invalid chunk length %.40q in the answer", text)
		}
		if n == 0 {
			break
		}
		got, err := in.in.Discard(int(n) + 2)
		size += got
		if err != nil {
			return size, ended(err)
		}
	}
	for { // trailers
		line, err := in.readLine()
		if err != nil || len(line) == 0 {
			return size, err
		}
	}
}

// readLine returns a line without its end; it is valid until the next read.
func (in *http1Conn) readLine() ([]byte, error) {
	line, err := in.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		whole := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(whole) < lineLimit {
			line, err = in.in.ReadSlice('\n')
			whole = append(whole, line...)
		}
		line = whole
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("a line of the answer is longer than %d bytes", lineLimit)
	}
	if err != nil {
		return line, ended(err)
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// ended says that an answer ended too early.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the answer ended early: %w", io.ErrUnexpectedEOF)
	}
	return err
}
