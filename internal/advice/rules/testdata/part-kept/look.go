package look

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

type record struct {
	fields     []string
	name, text string
	key, value string
	data       []byte
	list       []string
}

type store struct {
	records []*record
	byName  map[string]*record
	rest    []byte
}

// all of the text is in the fields.
func (s *store) split(sc *bufio.Scanner) {
	for sc.Scan() {
		line := sc.Text() // live: bufio.(*Scanner).Text only 352
		s.records = append(s.records, &record{fields: strings.Split(line, " ")})
	}
}

// each field is kept.
func (s *store) each(sc *bufio.Scanner) {
	r := new(record)
	for sc.Scan() {
		line := sc.Text() // live: bufio.(*Scanner).Text only 352
		for _, f := range strings.Fields(line) {
			r.list = append(r.list, f)
		}
	}
	s.records = append(s.records, r)
}

// most are kept: those that aren't empty.
func (s *store) most(b []byte) {
	r := new(record)
	text := string(b) // live: only 4096
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			r.list = append(r.list, line)
		}
	}
	s.records = append(s.records, r)
}

// slab is cut into pieces.
func (s *store) slab(lists [][]string) {
	room := make([]string, 0, 1000) // live: only 16384
	for _, list := range lists {
		n := len(room)
		room = append(room, list...)
		s.records = append(s.records, &record{list: room[n:len(room):len(room)]})
	}
}

// words has all parts, found one by one.
func (s *store) words(b []byte) {
	r := new(record)
	text := string(b) // live: only 4096
	for text != "" {
		i := strings.IndexByte(text, ' ')
		if i < 0 {
			break
		}
		r.list = append(r.list, text[:i])
		text = text[i+1:]
	}
	s.records = append(s.records, r)
}

// first takes a text from a list, which has other memory.
func (s *store) first(line string) {
	fields := make([]string, len(line)) // live: only 4096
	copy(fields, strings.Fields(line))
	fields = fields[len(line)/2:]
	s.records = append(s.records, &record{name: fields[0]})
}

// split has both parts in one call.
func (s *store) split2(sc *bufio.Scanner) {
	line := sc.Text() // live: bufio.(*Scanner).Text only 352
	name, text := cut(line)
	s.records = append(s.records, &record{name: name, text: text})
}

func cut(line string) (string, string) {
	i := strings.IndexByte(line, ' ')
	return line[:i], line[i+1:]
}

// the whole text is kept as well.
func (s *store) both(sc *bufio.Scanner) {
	line := sc.Text() // live: bufio.(*Scanner).Text only 352
	name, _, _ := strings.Cut(line, " ")
	s.records = append(s.records, &record{name: name, text: line})
}

// both parts are kept.
func (s *store) pairs(sc *bufio.Scanner) {
	k, v, _ := strings.Cut(sc.Text(), "=") // live: bufio.(*Scanner).Text only 352
	s.records = append(s.records, &record{key: k, value: v})
}

// cloned is what the rule asks for.
func (s *store) cloned(sc *bufio.Scanner) {
	line := sc.Text() // live: bufio.(*Scanner).Text only 352
	name, _, _ := strings.Cut(line, " ")
	s.records = append(s.records, &record{name: strings.Clone(name)})
}

// short texts take hardly more than a copy.
func (s *store) short(sc *bufio.Scanner) {
	line := sc.Text() // live: bufio.(*Scanner).Text only 48
	name, _, _ := strings.Cut(line, " ")
	s.records = append(s.records, &record{name: name})
}

// looked only looks the part up.
func (s *store) looked(sc *bufio.Scanner) *record {
	line := sc.Text() // live: bufio.(*Scanner).Text only 352
	name, _, _ := strings.Cut(line, " ")
	return s.byName[name]
}

// copied converts it.
func (s *store) copied(name string) {
	data, _ := os.ReadFile(name) // live: os.ReadFile only 4096
	head, _, _ := bytes.Cut(data, []byte("\n"))
	s.records = append(s.records, &record{name: string(head), data: append([]byte(nil), head...)})
}

// trimmed has nearly all of it.
func (s *store) trimmed(r io.Reader) {
	data, _ := io.ReadAll(r) // live: io.ReadAll only 4096
	s.rest = bytes.TrimSpace(data[:len(data)-1])
}

// again is to be filled again.
func (s *store) again() {
	buf := make([]byte, 4096) // live: only 4096
	s.rest = buf[:0]
}

// given goes to a function that may keep it.
func (s *store) given(keep func([]byte), n int) {
	buf := make([]byte, 4096) // live: only 4096
	keep(buf)
	s.rest = buf[:n]
}

// handed goes to another package.
func (s *store) handed(n int) {
	nodes := make([]inspector.Cursor, 100) // live: only 4096
	for _, c := range nodes {
		_ = c
	}
}

// grown slices are longer than before.
func (s *store) grown(n int) {
	s.rest = slices.Grow(s.rest, n)[:n] // live: slices.Grow only 4096
}

// unprofiled has the pattern and holds nothing.
func (s *store) unprofiled(sc *bufio.Scanner) {
	line := sc.Text() // alloc: bufio.(*Scanner).Text only 352
	name, _, _ := strings.Cut(line, " ")
	s.records = append(s.records, &record{name: name})
}
