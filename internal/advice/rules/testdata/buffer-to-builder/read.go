package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

var shared bytes.Buffer

func global(name string) string {
	shared.WriteString(name)
	return shared.String() // hot: bytes.(*Buffer).String
}

func given(b *bytes.Buffer) string {
	b.WriteByte('x')
	return b.String() // hot: bytes.(*Buffer).String
}

func cut(name string) string {
	var b bytes.Buffer
	b.WriteString(name)
	b.Truncate(1)
	return b.String() // hot: bytes.(*Buffer).String
}

func copied(r io.Reader) string {
	var b bytes.Buffer
	io.Copy(&b, r)
	return b.String() // hot: bytes.(*Buffer).String
}

func encoded(v any) string {
	var b bytes.Buffer
	json.NewEncoder(&b).Encode(v)
	return b.String() // hot: bytes.(*Buffer).String
}

func printed(w io.Writer) string {
	var b bytes.Buffer
	b.WriteByte('x')
	fmt.Fprint(w, &b)
	return b.String() // hot: bytes.(*Buffer).String
}

func reused(names []string) (all []string) {
	var b bytes.Buffer
	for _, n := range names {
		b.Reset()
		b.WriteString(n)
		all = append(all, b.String()) // hot: bytes.(*Buffer).String
	}
	return all
}

func started(text string) string {
	b := bytes.NewBufferString(text)
	b.WriteByte('\n')
	return b.String() // hot: bytes.(*Buffer).String
}

func method(text string) func() string {
	var b bytes.Buffer
	b.WriteString(text)
	f := b.String
	if f() != "" {
		return b.String // hot: bytes.(*Buffer).String
	}
	return f
}
