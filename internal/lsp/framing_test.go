package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestReadMessage: whatever a client sends, a message is read or refused.
func TestReadMessage(t *testing.T) {
	for _, c := range []struct {
		in, want string // want is the body, or else part of the error
		err      error
	}{
		{"Content-Length: 2\r\n\r\n{}rest", "{}", nil},
		{"content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}", "{}", nil},
		{"Content-Length: 2\n\n{}", "{}", nil},
		{"Content-Length: 0\r\n\r\n", "", nil},
		{"", "", io.EOF},
		{"Content-Length: 2\r\n", "", io.ErrUnexpectedEOF},
		{"Content-Length: 20\r\n\r\n{}", "", io.ErrUnexpectedEOF},
		{"\r\n", "no Content-Length", nil},
		{"Content-Type: x\r\n\r\n", "no Content-Length", nil},
		{"Content-Length: -1\r\n\r\n", "invalid Content-Length", nil},
		{"Content-Length: 99999999999999999999\r\n\r\n", "invalid Content-Length", nil},
		{"GET / HTTP/1.1\r\n\r\n", "invalid header", nil},
		{"X: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n", "header of a message", nil},
		{strings.Repeat("X: x\r\n", maxHeader), "header of a message", nil},
	} {
		body, err := readMessage(bufio.NewReaderSize(strings.NewReader(c.in), maxHeader))
		switch {
		case c.err != nil && !errors.Is(err, c.err), c.err == nil && err != nil && !strings.Contains(err.Error(), c.want), err == nil && string(body) != c.want:
			t.Errorf("%.40q: read %q, %v; want %q, %v", c.in, body, err, c.want, c.err)
		}
	}
}

// endless has as many bytes as are read.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// TestLargeMessage: one message is lost, and the next one isn't.
func TestLargeMessage(t *testing.T) {
	const size = maxMessage + 1
	in := io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), io.LimitReader(endless{}, size), strings.NewReader("Content-Length: 2\r\n\r\n{}"))
	r := bufio.NewReaderSize(in, maxHeader)
	if body, err := readMessage(r); !errors.Is(err, errTooLarge) || body != nil {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	if body, err := readMessage(r); err != nil || string(body) != "{}" {
		t.Errorf("%q, %v", body, err)
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		body, err := readMessage(bufio.NewReaderSize(bytes.NewReader(in), maxHeader))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeMessage(&out, body); err != nil {
			t.Fatal(err)
		}
		if again, err := readMessage(bufio.NewReader(&out)); err != nil || !bytes.Equal(again, body) {
			t.Errorf("%q became %q, %v", body, again, err)
		}
	})
}
