package temporary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

func send(w io.Writer, names []string) error {
	// want C: it isn't needed after the call
	buf := &bytes.Buffer{}
	for _, n := range names {
		fmt.Fprintf(buf, "%q", n)
		buf.WriteByte(' ') // hot: bytes.(*Buffer).WriteByte bytes.(*Buffer).grow
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func scan(next func() (rune, bool)) string {
	// want C: String also copies the text
	var buf bytes.Buffer
	for c, ok := next(); ok; c, ok = next() {
		buf.WriteRune(c) // hot: bytes.(*Buffer).WriteRune bytes.(*Buffer).grow
	}
	return buf.String()
}

func copyOf(r io.Reader) (string, error) {
	// want C: so keep it in a longer-lived object or a sync.Pool, and call Reset. (end)
	var buf bytes.Buffer
	buf.WriteString("copy of ") // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	if _, err := buf.ReadFrom(r); err != nil {
		return "", err
	}
	return string(buf.Bytes()), nil
}

func list(names []string) json.RawMessage {
	// want C: before the first write. (end)
	var buf bytes.Buffer
	for _, n := range names {
		buf.WriteString(n) // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	}
	return json.RawMessage(buf.Bytes())
}

func later(names []string) func() string {
	// want C: before the first write. (end)
	var buf bytes.Buffer
	for _, n := range names {
		buf.WriteString(n) // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	}
	return func() string { return buf.String() }
}

type tree struct {
	name string
	kids []*tree
}

func (t *tree) write(w io.Writer) error {
	// want C: so take it from a sync.Pool, because the function calls itself, and call Reset. (end)
	var buf bytes.Buffer
	for range t.kids {
		buf.WriteString(t.name) // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	}
	for _, k := range t.kids {
		if err := k.write(w); err != nil {
			return err
		}
	}
	_, err := w.Write(buf.Bytes())
	return err
}
