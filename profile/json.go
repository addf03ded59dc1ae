package profile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxJSONString = 1 << 20 // bytes of a string that is kept
	maxJSONDepth  = 1000    // nesting of values that are skipped
)

// A jsonReader reads a stream of JSON. It only keeps the last string, so memory depends
// on what the caller keeps. It skips values that the caller doesn't read, without
// recursion.
type jsonReader struct {
	in    *bufio.Reader
	kind  string // of file, for errors
	limit int64  // maximum bytes of the text
	at    int64  // offset of the next byte
	text  []byte // of the last string
	open  []byte // open brackets of the value that is being skipped
}

func newJSONReader(in io.Reader, kind string, lim Limits) *jsonReader {
	return &jsonReader{in: bufio.NewReaderSize(in, 64<<10), kind: kind, limit: lim.TextBytes}
}

// errorf returns an error with the current position.
func (j *jsonReader) errorf(format string, args ...any) error {
	return &SyntaxError{j.at, j.kind + ": " + fmt.Sprintf(format, args...)}
}

func (j *jsonReader) byte() (byte, error) {
	c, err := j.in.ReadByte()
	if err == io.EOF {
		return 0, j.errorf("the JSON is cut off")
	}
	if err != nil {
		return 0, err
	}
	if j.at++; j.at > j.limit {
		return 0, &LimitError{"bytes of text", j.limit}
	}
	return c, nil
}

// peek returns the first byte of the next token without reading it.
func (j *jsonReader) peek() (byte, error) {
	for {
		c, err := j.byte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			j.at--
			return c, j.in.UnreadByte()
		}
	}
}

// expect reads a byte, which must be c.
func (j *jsonReader) expect(c byte, what string) error {
	got, err := j.peek()
	if err != nil {
		return err
	}
	if got != c {
		return j.errorf("%q where %s was expected", got, what)
	}
	_, err = j.byte()
	return err
}

// object reads an object. value reads the value of each key; the key is valid
// until it reads a string.
func (j *jsonReader) object(value func(key []byte) error) error {
	return j.list('{', '}', "an object", func(int) error {
		key, err := j.string()
		if err == nil {
			err = j.expect(':', "a colon")
		}
		if err != nil {
			return err
		}
		return value(key)
	})
}

// array reads an array. value reads each of its values.
func (j *jsonReader) array(value func(i int) error) error {
	return j.list('[', ']', "an array", value)
}

func (j *jsonReader) list(open, end byte, what string, item func(i int) error) error {
	if err := j.expect(open, what); err != nil {
		return err
	}
	c, err := j.peek()
	for i := 0; err == nil; i++ {
		if i == 0 && c == end {
			_, err = j.byte()
			return err
		}
		if err = item(i); err != nil {
			return err
		}
		if c, err = j.peek(); err != nil {
			return err
		}
		if c != ',' && c != end {
			return j.errorf("%q in %s", c, what)
		}
		if _, err = j.byte(); err != nil || c == end {
			return err
		}
	}
	return err
}

// null reads null if it is next.
func (j *jsonReader) null() (bool, error) {
	c, err := j.peek()
	if err != nil || c != 'n' {
		return false, err
	}
	return true, j.word()
}

// word reads true, false or null.
func (j *jsonReader) word() error {
	for {
		c, err := j.in.Peek(1)
		if err != nil || c[0] < 'a' || c[0] > 'z' {
			return nil
		}
		if _, err := j.byte(); err != nil {
			return err
		}
	}
}

// number reads a number.
func (j *jsonReader) number() (float64, error) {
	var buf [64]byte
	text := buf[:0]
	c, err := j.peek()
	if err != nil {
		return 0, err
	}
	if c != '-' && !isDigit(c) {
		return 0, j.errorf("%q where a number was expected", c)
	}
	for {
		c, err := j.in.Peek(1)
		if err != nil || !isDigit(c[0]) && c[0] != '-' && c[0] != '+' && c[0] != '.' && c[0] != 'e' && c[0] != 'E' {
			break
		}
		if len(text) == cap(text) {
			return 0, j.errorf("a number of more than %d digits", cap(text))
		}
		text = append(text, c[0])
		if _, err := j.byte(); err != nil {
			return 0, err
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, j.errorf("%q is not a number, or too large", text)
	}
	return v, nil
}

// index reads an index. It returns -1 for null and for negative numbers.
func (j *jsonReader) index() (int32, error) {
	if null, err := j.null(); null || err != nil {
		return -1, err
	}
	v, err := j.number()
	if err != nil {
		return 0, err
	}
	if v < 0 {
		return -1, nil
	}
	if v != math.Trunc(v) || v > math.MaxInt32 {
		return 0, j.errorf("%v is not an index", v)
	}
	return int32(v), nil
}

// stringOrSkip reads a string. It skips any other value and returns "".
func (j *jsonReader) stringOrSkip() ([]byte, error) {
	c, err := j.peek()
	if err == nil && c != '"' {
		return nil, j.skip()
	}
	if err != nil {
		return nil, err
	}
	return j.string()
}

// string reads a string as valid UTF-8. The result is valid until the next call.
func (j *jsonReader) string() ([]byte, error) {
	if err := j.expect('"', "a string"); err != nil {
		return nil, err
	}
	j.text = j.text[:0]
	for {
		c, err := j.byte()
		if err != nil {
			return nil, err
		}
		switch {
		case c == '"':
			if !utf8.Valid(j.text) {
				j.text = []byte(string([]rune(string(j.text))))
			}
			return j.text, nil
		case c == '\\':
			if err := j.escape(); err != nil {
				return nil, err
			}
		default:
			j.text = append(j.text, c)
		}
		if len(j.text) > maxJSONString {
			return nil, &LimitError{"bytes in one string", maxJSONString}
		}
	}
}

// escape reads an escape sequence after its backslash.
func (j *jsonReader) escape() error {
	c, err := j.byte()
	if err != nil {
		return err
	}
	switch c {
	case '"', '\\', '/':
		j.text = append(j.text, c)
	case 'b', 'f', 'n', 'r', 't':
		j.text = append(j.text, map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[c])
	case 'u':
		r, err := j.unit()
		if err != nil {
			return err
		}
		if utf16.IsSurrogate(r) {
			if next, err := j.in.Peek(2); err == nil && string(next) == `\u` {
				j.in.Discard(2)
				j.at += 2
				low, err := j.unit()
				if err != nil {
					return err
				}
				r = utf16.DecodeRune(r, low)
			}
		}
		j.text = utf8.AppendRune(j.text, r)
	default:
		return j.errorf("unknown escape \\%c", c)
	}
	return nil
}

// unit reads four hexadecimal digits.
func (j *jsonReader) unit() (rune, error) {
	var digits [4]byte
	for i := range digits {
		var err error
		if digits[i], err = j.byte(); err != nil {
			return 0, err
		}
	}
	v, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, j.errorf("unknown escape \\u%s", digits)
	}
	return rune(v), nil
}

// skip skips the next value.
func (j *jsonReader) skip() error {
	j.open = j.open[:0]
	for {
		c, err := j.peek()
		if err != nil {
			return err
		}
		switch {
		case c == '"':
			if err := j.skipString(); err != nil {
				return err
			}
		case c == '{' || c == '[':
			if len(j.open) == maxJSONDepth {
				return j.errorf("values are nested more than %d deep", maxJSONDepth)
			}
			j.open = append(j.open, c)
			j.byte()
			continue
		case c == '}' || c == ']':
			if n := len(j.open); n == 0 || j.open[n-1] != c-2 {
				return j.errorf("unexpected %q", c)
			}
			j.open = j.open[:len(j.open)-1]
			j.byte()
		case c == ',' || c == ':':
			if len(j.open) == 0 {
				return j.errorf("unexpected %q", c)
			}
			j.byte()
			continue
		case c == '-' || isDigit(c):
			if _, err := j.number(); err != nil {
				return err
			}
		case c == 't' || c == 'f' || c == 'n':
			if err := j.word(); err != nil {
				return err
			}
		default:
			return j.errorf("unexpected %q", c)
		}
		if len(j.open) == 0 {
			return nil
		}
	}
}

func (j *jsonReader) skipString() error {
	j.byte() // the quote
	for {
		c, err := j.byte()
		if err != nil || c == '"' {
			return err
		}
		if c == '\\' {
			if _, err := j.byte(); err != nil {
				return err
			}
		}
	}
}
