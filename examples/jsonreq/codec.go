package jsonreq

import "encoding/json"

// A scanner reads JSON in the form nearly all messages have: keys as in the
// struct's tags, strings of printable ASCII without escapes, integers of at
// most 18 digits. Its methods skip blanks first. They return false at
// anything else, an error or only something rarer, and generated code then
// leaves the message to encoding/json: what is accepted, and each error, is
// the same with and without generated code.
type scanner struct {
	text string
	pos  int // of the next byte to read
}

func (s *scanner) blanks() {
	for s.pos < len(s.text) && s.text[s.pos] <= ' ' && isBlank(s.text[s.pos]) {
		s.pos++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skip reads the byte c.
func (s *scanner) skip(c byte) bool {
	s.blanks()
	if s.pos == len(s.text) || s.text[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

// end reports whether nothing is left.
func (s *scanner) end() bool {
	s.blanks()
	return s.pos == len(s.text)
}

// str reads a string. It shares the memory of the text.
func (s *scanner) str() (string, bool) {
	if !s.skip('"') {
		return "", false
	}
	start := s.pos
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return s.text[start : s.pos-1], true
		case c < ' ' || c > '~' || c == '\\':
			return "", false
		}
	}
	return "", false
}

// ints appends the elements of an array of integers to list.
func (s *scanner) ints(list []int) ([]int, bool) {
	if !s.skip('[') {
		return list, false
	}
	if list == nil {
		list = []int{} // the array is there: null and no array are nil
	}
	if s.skip(']') {
		return list, true
	}
	for {
		n, ok := s.int()
		if !ok {
			return list, false
		}
		list = append(list, n)
		if !s.skip(',') {
			// A fraction or an exponent is no end either.
			return list, s.skip(']')
		}
	}
}

func (s *scanner) int() (int, bool) {
	s.blanks()
	text := s.text[s.pos:] // a local is faster than fields in the loop
	i := 0
	if i < len(text) && text[i] == '-' {
		i++
	}
	start, n := i, int64(0)
	for ; i < len(text) && isDigit(text[i]); i++ {
		n = n*10 + int64(text[i]-'0')
	}
	digits := i - start
	if digits == 0 || digits > 18 || digits > 1 && text[start] == '0' {
		return 0, false
	}
	if start > 0 {
		n = -n
	}
	s.pos += i
	return int(n), int64(int(n)) == n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// appendString appends s as json.Marshal writes it.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&':
			escaped, err := json.Marshal(s)
			if err != nil {
				panic("jsonreq: " + err.Error()) // every string can be marshalled
			}
			return append(b, escaped...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
