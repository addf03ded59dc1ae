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

// An answer is what a server said to one request.
type answer struct {
	size     int // in bytes
	status   int
	line     string // the status with its reason, unless it is a usual one
	location string // where a redirection leads
	last     bool   // the server closes the connection after it
}

// readAnswer reads an answer (RFC 9112). The answer to a HEAD request has no content.
func readAnswer(in *bufio.Reader, toHead bool) (answer, error) {
	size := 0
	for {
		a, h, err := readHeader(in)
		size += a.size
		if err != nil {
			return answer{}, err
		}
		if a.status == 101 {
			return answer{}, errors.New("the server switched to another protocol")
		}
		if a.status < 200 {
			continue // an answer before the answer
		}
		n := 0
		switch {
		case toHead || a.status == 204 || a.status == 304:
		case h.chunked:
			n, err = readChunks(in)
		case h.length >= 0:
			n, err = in.Discard(int(h.length))
			err = ended(err)
		default:
			var all int64
			all, err = io.Copy(io.Discard, in)
			n, a.last = int(all), true
		}
		a.size = size + n
		return a, err
	}
}

// A head is what an answer's header says about the content and the connection.
type head struct {
	length  int64 // -1: not said
	chunked bool
	coded   string // the last transfer encoding
	close   bool
	keep    bool // keep-alive, which HTTP/1.0 has to say
}

// readHeader reads the status and the fields.
func readHeader(in *bufio.Reader) (a answer, h head, err error) {
	h.length = -1
	line, err := readLine(in)
	a.size = len(line) + 2
	if err != nil {
		if len(line) == 0 && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)) {
			err = fmt.Errorf("%w: %w", errNothing, err)
		}
		return a, h, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' || !digits(line[9:12]) {
		return a, h, fmt.Errorf("the answer is not HTTP/1.1: it begins with %.40q", line)
	}
	a.status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	old := line[7] == '0' // HTTP/1.0
	if a.status >= 300 {
		a.line = string(line[9:])
	}
	for {
		if line, err = readLine(in); err != nil {
			return a, h, err
		}
		if a.size += len(line) + 2; a.size > headLimit {
			return a, h, fmt.Errorf("the header of the answer is larger than %d bytes", headLimit)
		}
		if len(line) == 0 {
			if h.coded != "" && !h.chunked {
				return a, h, fmt.Errorf("unsupported transfer encoding %.40q in the answer", h.coded)
			}
			a.last = h.close || old && !h.keep
			return a, h, nil
		}
		if err := h.field(line); err != nil {
			return a, h, err
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

// readChunks reads past the content and the trailers, and returns the content's size.
func readChunks(in *bufio.Reader) (size int, err error) {
	for {
		line, err := readLine(in)
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
		got, err := in.Discard(int(n) + 2)
		size += got
		if err != nil {
			return size, ended(err)
		}
	}
	for { // trailers
		line, err := readLine(in)
		if err != nil || len(line) == 0 {
			return size, err
		}
	}
}

// readLine returns a line without its end; it is valid until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		whole := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(whole) < lineLimit {
			line, err = in.ReadSlice('\n')
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
