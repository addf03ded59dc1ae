package compare

import (
	"fmt"
	"io"
)

// A Format is one that a Comparison is written in.
type Format string

const (
	Text     Format = "text"     // what changed and by which functions, on a screen
	Full     Format = "full"     // text: benchstat's table, and all verdicts and explanations of runs below it
	CSV      Format = "csv"      // the table with a line for each benchmark, unit and column
	JSON     Format = "json"     // the Document
	Markdown Format = "markdown" // for a pull request: the verdict first
	HTML     Format = "html"     // one page that needs nothing else and runs no script
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
