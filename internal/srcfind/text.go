package srcfind

import (
	"io/fs"
	"strings"
	"sync"
)

// Text is a source file. All readers share it: do not change it.
type Text struct {
	Path   string   // the file that was read
	Commit string   // the commit that it was read at, "" for the file as it is now
	Lines  []string // Lines[0] is line 1; no line terminators
	// Elsewhere is whether go tool pprof would not have found it.
	Elsewhere bool

	parsed sync.Once
	funcs  *goFuncs // see Verify
}

// NotFoundError reports a file that neither stage found. Its text is the one
// of go tool pprof.
type NotFoundError struct {
	File string // as the profile names it
	// Looked are the files tried, in order; for people, not for parsing. Where a
	// confined search found none to try, they are the directories it is confined to.
	Looked []string
	err    error
}

func (e *NotFoundError) Error() string { return e.err.Error() }

// Unwrap returns the first stage's error.
func (e *NotFoundError) Unwrap() error { return e.err }

// Is makes every NotFoundError an fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// splitLines cuts at "\n", drops one "\r" before it, and has no empty last
// line, as bufio.ScanLines does, but for lines of any length.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, strings.TrimSuffix(line, "\r"))
	}
	return lines
}

// goFuncs are the functions of a Go file.
type goFuncs struct {
	decls    []funcSpan          // in order
	literals []funcSpan          // in order of their beginnings
	linked   map[string][]string // by local name: the symbols that are defined by it
	cgo      bool                // calls of C are compiled as literals that don't stand here
}

// funcSpan is where a function stands: the lines of "func", of its name, and of
// the closing brace.
type funcSpan struct {
	name                string // as in symbol; "" for a literal
	first, nameLine, to int64
}
