package compare

// A Format is an output format of a Comparison.
type Format string

const (
	Text     Format = "text"     // what changed, and which functions caused it, on one screen
	Full     Format = "full"     // text with benchstat's tables, and all verdicts and explanations of runs
	CSV      Format = "csv"      // a table with one line per benchmark, unit and column
	JSON     Format = "json"     // the Document
	Markdown Format = "markdown" // for a pull request: the verdict first
	HTML     Format = "html"     // a self-contained page without scripts
)
