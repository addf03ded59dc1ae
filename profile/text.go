package profile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxTextLine bounds the length of a line of text in bytes. A stack a thousand
// calls deep, each with a long name, has a tenth of it.
const maxTextLine = 4 << 20

// textLines reads a text line by line. It holds one line at a time.
type textLines struct {
	in    *bufio.Reader
	limit int64 // on the bytes of the text
	mem   *meter
	long  []byte // a line that is longer than the buffer of in

	line         int   // 1-based number of the current line
	start        int64 // its offset
	end          int64 // the offset of the next one
	unterminated bool  // the current line has no newline: the text may be cut
}

func newTextLines(in io.Reader, limit int64, m *meter) textLines {
	return textLines{in: bufio.NewReaderSize(in, 64<<10), limit: limit, mem: m}
}

// next returns the next line without its end, which is "\n" or "\r\n". It is
// valid until the next call. The error is io.EOF after the last line, a
// *LimitError, or that of reading.
func (t *textLines) next() ([]byte, error) {
	t.line++
	t.start = t.end
	part, err := t.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if part, err = t.rest(part); err != nil && err != io.EOF {
			return nil, err
		}
	}
	t.end += int64(len(part))
	if t.end > t.limit {
		return nil, &LimitError{"bytes of text", t.limit}
	}
	t.unterminated = err != nil
	if err != nil && (err != io.EOF || len(part) == 0) {
		return nil, err
	}
	if n := len(part); part[n-1] == '\n' {
		part = part[:n-1]
	}
	if n := len(part); n > 0 && part[n-1] == '\r' {
		part = part[:n-1]
	}
	return part, nil
}

// rest returns a line that is longer than the buffer and begins with part.
func (t *textLines) rest(part []byte) ([]byte, error) {
	t.long = t.long[:0]
	for err := bufio.ErrBufferFull; ; {
		var over error
		if t.long, over = grown(t.mem, t.long, len(part)); over != nil {
			return nil, over
		}
		t.long = append(t.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return t.long, err
		}
		if len(t.long) > maxTextLine {
			return nil, &LimitError{"bytes in one line", maxTextLine}
		}
		part, err = t.in.ReadSlice('\n')
	}
}

// errorf returns an error about the current line of a text of this kind.
func (t *textLines) errorf(kind, format string, args ...any) error {
	return &SyntaxError{t.start, fmt.Sprintf("line %d of %s: ", t.line, kind) + fmt.Sprintf(format, args...)}
}
