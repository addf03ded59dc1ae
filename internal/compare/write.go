package compare

import (
	"fmt"
	"io"
)

// Write writes the comparison in a format. Text, Full and CSV don't contain the Warnings. CSV and
// JSON have names exactly as in the files; the other formats make them safe to display.
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
