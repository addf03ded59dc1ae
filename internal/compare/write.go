package compare

import (
	"fmt"
	"io"
)

// Write writes the comparison in a format. Text, Full and CSV are without Warnings.
// Names in CSV and JSON are as in the files; the other formats keep what shows
// them from obeying them.
func (c *Comparison) Write(w io.Writer, format Format) error {
	switch format {
	case Text:
		return c.writeText(w, false)
	case Full:
		return c.writeText(w, true)
	case CSV:
		return c.writeCSV(w)
	case JSON:
		return c.writeJSON(w)
	case Markdown:
		return c.writeMarkdown(w)
	case HTML:
		return c.writeHTML(w)
	}
	return fmt.Errorf("unknown format %q of a comparison", format)
}
