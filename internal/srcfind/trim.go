package srcfind

import (
	"path/filepath"
	"strings"
)

// TrimPath returns path without the prefix that -trim_path or, when that is
// empty, the base name of a directory of searchPath marks as foreign. Both are
// lists separated by filepath.ListSeparator. Use a Trimmer for many paths.
func TrimPath(path, trimPath, searchPath string) string {
	return NewTrimmer(trimPath, searchPath).Trim(path)
}

// A Trimmer is TrimPath with its two lists prepared. It is immutable, so any
// number of goroutines may share it.
type Trimmer struct {
	// inner holds "/base/" for each directory of the search path; everything
	// up to the first occurrence goes. Empty when a trim path is set.
	inner []string
	// prefixes end in "/" and are removed from the front, first match wins.
	prefixes []string
}

// NewTrimmer prepares the two lists.
func NewTrimmer(trimPath, searchPath string) *Trimmer {
	t := new(Trimmer)
	if trimPath == "" {
		for _, dir := range filepath.SplitList(filepath.ToSlash(searchPath)) {
			t.inner = append(t.inner, "/"+filepath.Base(dir)+"/")
		}
	}
	for _, p := range filepath.SplitList(filepath.ToSlash(trimPath)) {
		// An empty element becomes "/" and so takes the root off absolute
		// paths. Odd, but it is what the original does.
		if !strings.HasSuffix(p, "/") {
			p += "/"
		}
		t.prefixes = append(t.prefixes, p)
	}
	// Bazel's names; the longer one first.
	t.prefixes = append(t.prefixes, "/proc/self/cwd/./", "/proc/self/cwd/")
	return t
}

// Trim returns path or a suffix of it, and allocates only on systems whose
// separator is not a slash.
func (t *Trimmer) Trim(path string) string {
	slashed := filepath.ToSlash(path)
	for _, want := range t.inner {
		if i := strings.Index(slashed, want); i >= 0 {
			return path[i+len(want):]
		}
	}
	for _, p := range t.prefixes {
		if strings.HasPrefix(slashed, p) {
			return path[len(p):]
		}
	}
	return path
}
