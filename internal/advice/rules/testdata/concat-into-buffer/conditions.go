package conditions

import (
	"bytes"
	"strconv"
	"strings"
)

var total int

func count() string { total++; return strconv.Itoa(total) }

// wrap has bytes that lie in the buffer.
func wrap(buf *bytes.Buffer) {
	data := buf.Bytes()
	buf.Reset()
	// want B: that data doesn't share memory with buf
	buf.WriteString("<" + string(data) + ">") // hot: runtime.concatstrings
}

// apart can't: the Buffer is made after the bytes.
func apart(data []byte) string {
	var buf bytes.Buffer
	for range 3 {
		// want A: write the pieces
		buf.WriteString("<" + string(data) + ">") // hot: runtime.concatstrings
	}
	return buf.String()
}

func size(buf *bytes.Buffer) {
	buf.WriteString("<" + strconv.Itoa(buf.Len()) + ">") // hot: runtime.concatstrings
}

func called(sb *strings.Builder) {
	// want B: Check that count() doesn't use sb, part of which is now written before it is evaluated. (end)
	sb.WriteString("<" + count() + ">") // hot: runtime.concatstrings
}

// rescued looks at what is written when an index is out of range.
func rescued(names []string, i int) (text string) {
	var sb strings.Builder
	defer func() {
		if recover() != nil {
			text = sb.String()
		}
	}()
	for range 2 {
		// want B: that names[i] doesn't panic
		sb.WriteString("<" + names[i] + ">") // alloc: 48
	}
	return sb.String()
}

// unseen doesn't.
func unseen(names []string, i int) string {
	var sb strings.Builder
	for range 2 {
		// want A: write the pieces
		sb.WriteString("<" + names[i] + ">") // alloc: 48
	}
	return sb.String()
}

// own is a slice that nothing else leads to.
func own(keys []string) []byte {
	var out []byte
	for _, key := range keys {
		// want A: append the pieces
		out = append(out, (key + "=" + key)...) // hot: runtime.concatstrings
	}
	return out
}

func kept(keys []string) (out []byte, lines [][]byte) {
	for _, key := range keys {
		// want B: Check that no other slice uses the spare capacity of out
		out = append(out, (key + "=" + key)...) // hot: runtime.concatstrings
		lines = append(lines, out[:len(out)-1])
	}
	return out, lines
}
