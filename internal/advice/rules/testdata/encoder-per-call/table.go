package table

import (
	"fmt"
	"io"
	"text/tabwriter"
)

func print(w io.Writer, rows [][2]string) error {
	// want C: Keep one and call Init
	t := tabwriter.NewWriter(w, 0, 8, 1, ' ', 0) // alloc: text/tabwriter.NewWriter
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\n", r[0], r[1])
	}
	return t.Flush()
}
