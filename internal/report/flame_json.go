package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/hone-go/hone/profile"
)

// FlameJSON writes a tree as nested objects with name, total and self, and
// those of the base, scaled if shares are compared, where there is one.
func FlameJSON(w io.Writer, t *profile.Tree) error {
	b := bufio.NewWriter(w)
	v := &t.Values[0]
	var write func(n uint32) error
	write = func(n uint32) error {
		node := struct {
			Name      string `json:"name"`
			File      string `json:"file,omitempty"`
			Line      int64  `json:"line,omitempty"`
			Total     int64  `json:"total"`
			Self      int64  `json:"self"`
			BaseTotal *int64 `json:"baseTotal,omitempty"`
			BaseSelf  *int64 `json:"baseSelf,omitempty"`
		}{Name: "root", Total: v.Total[n], Self: v.Self[n]}
		if n != 0 {
			f := &t.Frames[t.Frame[n]]
			node.Name, node.File, node.Line = f.Name, f.File, f.Line
		}
		if t.Diff() {
			total, self := scaledBase(v, v.BaseTotal[n]), scaledBase(v, v.BaseSelf[n])
			node.BaseTotal, node.BaseSelf = &total, &self
		}
		text, err := json.Marshal(node)
		if err != nil {
			return err
		}
		first, end := t.Children(n)
		if first == end {
			_, err := b.Write(text)
			return err
		}
		b.Write(text[:len(text)-1])
		b.WriteString(`,"children":[`)
		for c := first; c < end; c++ {
			if c > first {
				b.WriteString(",\n")
			}
			if err := write(c); err != nil {
				return err
			}
		}
		_, err = b.WriteString("]}")
		return err
	}
	if err := write(0); err != nil {
		return err
	}
	b.WriteByte('\n')
	return b.Flush()
}
