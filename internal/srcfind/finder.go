package srcfind

// Finder finds and keeps source text. It is safe for concurrent use. It reads a
// file once while it has room to keep it, so make a new one to see edits; what it
// did not find it looks for again after a minute.
type Finder struct {
	cfg        Config
	searchPath string // cfg.SearchPath or the directory that stands for it
	trimmer    *Trimmer
	dirErr     error // the current directory is unknown

	kept *kept
	past *kept // by revision and file

	env   func() goEnv
	tree  func() *modTree
	runGo runGoFunc
}

// A place is a candidate of the second stage: a slash-separated name below a
// directory that is itself trusted.
type place struct{ root, rel string }
