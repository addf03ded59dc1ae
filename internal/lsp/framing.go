package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A message is a header and JSON, as in HTTP:
//
//	Content-Length: 52\r\n
//	\r\n
//	{"jsonrpc":"2.0","method":"initialized","params":{}}
//
// Other fields of the header are ignored.

// Limits of what a client may send, in bytes.
const (
	maxMessage = 64 << 20
	maxHeader  = 4 << 10 // all lines
)

// errTooLarge: a message was left out because of its size. The next one can be read.
var errTooLarge = errors.New("the message is too large")

// readMessage reads the body of the next message. The error is io.EOF if the input ends before a message, and errTooLarge if only this
// message is lost. After other errors nothing can be read.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length := int64(-1)
	header := 0
	for {
		line, err := r.ReadSlice('\n')
		header += len(line)
		switch {
		case err == io.EOF && header == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull) || header > maxHeader:
			return nil, fmt.Errorf("the header of a message has more than %d bytes", maxHeader)
		case err != nil:
			return nil, err
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("invalid header %.60q: use Content-Length: BYTES", text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 {
			return nil, fmt.Errorf("invalid Content-Length %.60q: use a number of bytes", value)
		}
	}
	if length < 0 {
		return nil, errors.New("a message has no Content-Length")
	}
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, r, length); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %d bytes, of at most %d", errTooLarge, length, maxMessage)
	}
	// The length is what the client says: memory grows with what arrives.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, length); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return body.Bytes(), nil
}

// writeMessage writes a message in one piece.
func writeMessage(w io.Writer, body []byte) error {
	_, err := w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}
