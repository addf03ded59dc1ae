package template

import (
	"bufio"
	"bytes"
	"errors"
)

const utf8Mark = "\ufeff"

var errUTF16 = errors.New("it is UTF-16 text: save it as UTF-8 (PowerShell: Out-File -Encoding utf8)")

// Text returns a text without the byte order mark that Windows writes before it. It is
// an error if it is UTF-16.
func Text(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(text, []byte(utf8Mark)), nil
}

// SkipMark has a reader begin behind a byte order mark, as Text does.
func SkipMark(in *bufio.Reader) error {
	begin, _ := in.Peek(len(utf8Mark))
	rest, err := Text(begin)
	if err == nil {
		_, _ = in.Discard(len(begin) - len(rest)) // it was looked at
	}
	return err
}
