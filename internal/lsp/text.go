package lsp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An encoding is the unit of characters in positions.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16" // what all clients know
)

// agree returns the encoding for a client, by those that it offers. Bytes need no conversion.
func agree(offered []string) encoding {
	if slices.Contains(offered, string(utf8Units)) {
		return utf8Units
	}
	return utf16Units
}

// maxText bounds the text of a document, in bytes.
const maxText = 32 << 20

// A text is the text of a file, with its lines. It doesn't change.
type text struct {
	all string
	// starts are the offsets of lines, as the protocol has them: a line ends with \n, \r\n or \r. go/token has \n only. Go source has a
	// lone \r nowhere else than in comments and strings.
	starts []int
}

func newText(all string) *text {
	t := &text{all: all, starts: []int{0}}
	for i := 0; i < len(all); i++ {
		if all[i] == '\n' || all[i] == '\r' && !strings.HasPrefix(all[i+1:], "\n") {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line returns where a line is, without its end. Lines count from 0.
func (t *text) line(n int) (from, to int) {
	from, to = t.starts[n], len(t.all)
	if n+1 < len(t.starts) {
		to = t.starts[n+1]
	}
	return from, from + len(strings.TrimRight(t.all[from:to], "\r\n"))
}

// offset returns the offset of a position. Positions behind the end of a line or of the text mean the end, as the protocol says.
func (t *text) offset(p position, e encoding) int {
	if int64(p.Line) >= int64(len(t.starts)) {
		return len(t.all)
	}
	from, to := t.line(int(p.Line))
	if e == utf8Units {
		at := from + int(min(int64(p.Character), int64(to-from)))
		for at > from && at < len(t.all) && !utf8.RuneStart(t.all[at]) {
			at--
		}
		return at
	}
	units := uint32(0)
	for i, r := range t.all[from:to] {
		n := units16(r)
		if units+n > p.Character {
			return from + i
		}
		units += n
	}
	return to
}

// position returns the position of an offset.
func (t *text) position(offset int, e encoding) position {
	n, found := slices.BinarySearch(t.starts, offset)
	if !found {
		n--
	}
	before := t.all[t.starts[n]:offset]
	if e == utf8Units {
		return position{uint32(n), uint32(len(before))}
	}
	units := uint32(0)
	for _, r := range before {
		units += units16(r)
	}
	return position{uint32(n), units}
}

// units16 is how many units a character takes in UTF-16.
func units16(r rune) uint32 {
	if r > 0xffff {
		return 2
	}
	return 1
}

func (t *text) textRange(from, to int, e encoding) textRange {
	return textRange{t.position(from, e), t.position(to, e)}
}

// changed returns the text after changes, one after the other.
func (t *text) changed(changes []contentChange, e encoding) (*text, error) {
	for _, c := range changes {
		all := c.Text
		if c.Range != nil {
			from, to := t.offset(c.Range.Start, e), t.offset(c.Range.End, e)
			if to < from {
				return nil, errors.New("a change ends before it starts")
			}
			if len(t.all)-(to-from)+len(c.Text) > maxText {
				return nil, errTooLong
			}
			all = t.all[:from] + c.Text + t.all[to:]
		}
		if len(all) > maxText {
			return nil, errTooLong
		}
		t = newText(all)
	}
	return t, nil
}

var errTooLong = fmt.Errorf("the text has more than %d MiB: hone shows nothing for it", maxText>>20)
