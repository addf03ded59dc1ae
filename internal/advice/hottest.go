package advice

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// hottest returns the lines worth examining, the folders they are in, up to a maximum, and how many
// folders are left out. Lines of tests are left out, because they measure and aren't what is measured.
// only, if not "", is the one folder that counts.
func (e *evidence) hottest(least float64, folders int, only string) (lines []*hot, dirs []string, left int) {
	weights := make(map[string]float64)
	type weighed struct {
		*hot
		weight float64
	}
	var all []weighed
	for _, h := range e.lines {
		w := e.largest(h.sum)
		if e.holdsEnough(h.holds, 1, least) {
			w = max(w, e.held(h.holds).Share)
		}
		dir := filepath.Dir(h.file)
		if w < least || h.testing || only != "" && dir != only {
			continue
		}
		all = append(all, weighed{h, w})
		weights[dir] = max(weights[dir], w)
	}
	dirs = slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	left = max(0, len(dirs)-folders)
	dirs = dirs[:len(dirs)-left]
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.function, b.function))
	})
	examined := make(map[string]bool)
	for _, dir := range dirs {
		examined[dir] = true
	}
	for _, h := range all {
		if examined[filepath.Dir(h.file)] {
			lines = append(lines, h.hot)
		}
	}
	return lines, dirs, left
}

// nothing says why no line is hot.
func (e *evidence) nothing(mods []module, least float64) string {
	if len(e.lines) == 0 {
		var paths []string
		for _, m := range mods {
			paths = append(paths, m.Path)
		}
		return fmt.Sprintf("the profiles have no lines of %s: are they from another program?", strings.Join(paths, ", "))
	}
	return fmt.Sprintf("no line outside of tests reaches %.3g %% of any profile", 100*least)
}
