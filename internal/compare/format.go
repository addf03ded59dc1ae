package compare

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
