package infile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

const utf8Mark = "\ufeff"

// ErrUTF16: a file should be UTF-8, but is UTF-16, which Windows calls Unicode.
var ErrUTF16 = errors.New("the text is UTF-16: save it as UTF-8 (PowerShell: Out-File -Encoding utf8)")

// Text returns a text without the byte order mark that Windows writes before it. UTF-16
// text is an error.
func Text(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return nil, ErrUTF16
	}
	return bytes.TrimPrefix(text, []byte(utf8Mark)), nil
}

// ReadText is ReadFile for a text: see Text.
func ReadText(ctx context.Context, name string, limit int64) ([]byte, error) {
	text, err := ReadFile(ctx, name, limit)
	if err != nil {
		return nil, err
	}
	return named(name, text)
}

func named(name string, text []byte) ([]byte, error) {
	text, err := Text(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// ReadAny reads at most limit bytes of what a user named, which may be a pipe.
func ReadAny(ctx context.Context, name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() {
		return ReadFile(ctx, name, limit)
	}
	in, err := openLimited(ctx, name, limit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// ReadAnyText is ReadAny of a text: see Text.
func ReadAnyText(ctx context.Context, name string, limit int64) ([]byte, error) {
	text, err := ReadAny(ctx, name, limit)
	if err != nil {
		return nil, err
	}
	return named(name, text)
}

// A Lines is a text that is read bit by bit.
type Lines struct {
	*bufio.Reader
	io.Closer
}

// OpenText opens a text that a user named, which may be a pipe. After limit bytes
// reading fails with a *SizeError.
func OpenText(ctx context.Context, name string, limit int64) (*Lines, error) {
	in, err := openLimited(ctx, name, limit)
	if err != nil {
		return nil, err
	}
	l := &Lines{bufio.NewReader(in), in}
	begin, _ := l.Peek(len(utf8Mark)) // an error is met again
	rest, err := named(name, begin)
	if err != nil {
		in.Close()
		return nil, err
	}
	_, err = l.Discard(len(begin) - len(rest))
	return l, err
}

type limited struct {
	io.ReadCloser
	name    string
	n, most int64
}

func openLimited(ctx context.Context, name string, limit int64) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, asOpen(err)
	case info.IsDir():
		return nil, Check(name, info)
	case info.Mode().IsRegular() && info.Size() > limit:
		return nil, &SizeError{name, info.Size(), limit}
	}
	in, err := OpenAny(ctx, name)
	if err != nil {
		return nil, err
	}
	return &limited{ReadCloser: in, name: name, most: limit}, nil
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.n += int64(n); l.n > l.most { // it is endless, or grows
		return 0, &SizeError{l.name, l.n, l.most}
	}
	return n, err
}
