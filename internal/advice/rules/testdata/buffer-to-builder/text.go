package text

import (
	"bytes"
	"fmt"
	"io"
)

func list(names []string) string {
	// want A: without a copy
	var buf bytes.Buffer
	for i, name := range names {
		if buf.Len() > 0 {
			buf.WriteByte(',')
		}
		buf.WriteString(name)
		fmt.Fprintf(&buf, "%4d", i)
	}
	io.WriteString(&buf, "\n")
	return buf.String() // hot: bytes.(*Buffer).String runtime.slicebytetostring
}

func pointer(name string, r rune) (string, error) {
	// want A: without a copy
	b := &bytes.Buffer{} // the text
	b.Grow(len(name) + 8)
	add := func() { b.WriteRune(r) }
	add()
	b.Write([]byte(name))
	if b.String() == "" { // hot: bytes.(*Buffer).String
		return "", io.EOF
	}
	fmt.Fprintln(b, name)
	return b.String(), nil // hot: bytes.(*Buffer).String
}

func fresh(name string) string {
	// want A: without a copy
	b := new(bytes.Buffer)
	b.WriteString(name)
	b.WriteByte('\n')
	return b.String() // hot: bytes.(*Buffer).String
}

func long(lines []string) string {
	// want C: 4128 bytes on average
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(line)
	}
	return b.String() // alloc: bytes.(*Buffer).String 8192
}

// name returns before anything is written if it is quoted, as most are.
func name(r *bytes.Reader) (string, error) {
	// want B: that something is usually written
	var b bytes.Buffer
	for {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if c == '"' {
			return "quoted", nil
		}
		b.WriteByte(c)
	}
	return b.String(), nil // hot: bytes.(*Buffer).String
}

// checked leaves before the loop, and has the text so far within it.
func checked(lines []string) (string, error) {
	// want A: without a copy
	var b bytes.Buffer
	if len(lines) == 0 {
		return "", io.EOF
	}
	for _, line := range lines {
		if line == "" {
			return b.String(), io.EOF
		}
		b.WriteString(line)
	}
	return b.String(), nil // hot: bytes.(*Buffer).String
}

// number returns before anything is written only if something is wrong.
func number(r *bytes.Reader) (string, error) {
	// want A: without a copy
	var b bytes.Buffer
	for {
		c, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		if c == '.' {
			break
		}
		b.WriteByte(c)
	}
	return b.String(), nil // hot: bytes.(*Buffer).String
}

// marks are none in most texts.
func marks(text string) string {
	// want B: that something is usually written
	var b bytes.Buffer
	for _, r := range text {
		if r == '%' {
			b.WriteString("%%")
		}
	}
	return b.String() // hot: bytes.(*Buffer).String
}

// negated is written to in any case.
func negated(not bool, key string) string {
	// want A: without a copy
	var b bytes.Buffer
	if not {
		b.WriteByte('!')
	}
	for range 2 {
		b.WriteString(key)
	}
	return b.String() // hot: bytes.(*Buffer).String
}

func key(parts []string) string {
	// want B: and each one that you keep holds 64
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.String() // alloc: bytes.(*Buffer).String 8 8 8 8
}

// either is written to by one branch or the other.
func either(s string) string {
	// want A: without a copy
	var b bytes.Buffer
	if s != "" {
		b.WriteString(s)
	} else {
		b.WriteString("none")
	}
	return b.String() // hot: bytes.(*Buffer).String
}

// escaped returns the text as it is where nothing is to be escaped, as in most.
func escaped(text string) string {
	// want B: that something is usually written
	var b bytes.Buffer
	written := 0
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			continue
		}
		b.WriteString(text[written:i])
		b.WriteByte('%')
		written = i + 1
	}
	if written == 0 {
		return text
	}
	b.WriteString(text[written:])
	return b.String() // hot: bytes.(*Buffer).String
}

// current has written something where it returns another text.
func current(parts []string) string {
	// want A: without a copy
	var b bytes.Buffer
	b.WriteByte('/')
	for _, p := range parts {
		if p == "." {
			return p
		}
		b.WriteString(p)
	}
	return b.String() // hot: bytes.(*Buffer).String
}

// named has the text in a variable, which is returned.
func named(parts []string) string {
	// want A: without a copy
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString(p)
	}
	text := b.String() // hot: bytes.(*Buffer).String
	return text
}

// percents are none in most texts.
func percents(text string) string {
	// want B: that something is usually written
	var b bytes.Buffer
	for _, r := range text {
		if r != '%' {
			continue
		}
		b.WriteString("%%")
	}
	return b.String() // hot: bytes.(*Buffer).String
}

func halves(text string) string {
	// want A: without a copy
	var b bytes.Buffer
	for len(text) > 1 {
		b.WriteString(text[:1])
		text = text[2:]
	}
	return b.String() // hot: bytes.(*Buffer).String
}

func both(as, bs []string) string {
	// want A: without a copy
	var b bytes.Buffer
	for _, a := range as {
		b.WriteString(a)
	}
	for _, a := range bs {
		b.WriteString(a)
	}
	return b.String() // hot: bytes.(*Buffer).String
}

func runes(text string) string {
	// want A: without a copy
	var b bytes.Buffer
	// Each character once.
	for _, r := range []rune(text) {
		b.WriteRune(r)
	}
	return b.String() // hot: bytes.(*Buffer).String
}

// typed has its type twice, of which one would stay.
func typed(parts []string) string {
	var b bytes.Buffer = bytes.Buffer{}
	b.WriteString("of")
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.String() // hot: bytes.(*Buffer).String
}
