package temporary

import (
	"bytes"
	"fmt"
	"io"
)

func send(w io.Writer, names []string) error {
	// want C: in a sync.Pool, and Reset it: it isn't needed after the call.
	buf := &bytes.Buffer{}
	for _, n := range names {
		fmt.Fprintf(buf, "%q", n)
		buf.WriteByte(' ') // hot: bytes.(*Buffer).WriteByte bytes.(*Buffer).grow
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func scan(next func() (rune, bool)) string {
	// want C: Of a text String makes a copy
	var buf bytes.Buffer
	for c, ok := next(); ok; c, ok = next() {
		buf.WriteRune(c) // hot: bytes.(*Buffer).WriteRune bytes.(*Buffer).grow
	}
	return buf.String()
}
