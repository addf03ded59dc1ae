package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/tune"
)

// kept are the findings that hone keeps for a folder with runs, by file. It reads them again when they change.
type kept struct {
	mu    sync.Mutex
	homes map[string]*keptIn
}

type keptIn struct {
	stamp  string
	byFile map[string][]*advice.Finding
	err    error
}

// of returns the findings about a file. The caller doesn't change them.
func (k *kept) of(mod *module, file string) ([]*advice.Finding, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	in := k.homes[mod.home]
	if stamp := stampOf(adviceOf(mod.home), "last.json", "shown.json"); in == nil || in.stamp != stamp {
		in = readKept(mod.home)
		in.stamp = stamp
		k.homes[mod.home] = in
	}
	found := in.byFile[file]
	if rel := mod.rel(file); mod.real != mod.dir {
		found = append(slices.Clone(found), in.byFile[filepath.Join(mod.real, filepath.FromSlash(rel))]...)
	}
	return found, in.err
}

// readKept reads the findings. Those given last come first; another one with the same ID says the same.
func readKept(home string) *keptIn {
	in := &keptIn{byFile: make(map[string][]*advice.Finding)}
	all, err := tune.Store{Dir: adviceOf(home)}.All()
	in.err = err
	seen := make(map[string]bool)
	for _, last := range all {
		for i := range last.Findings {
			f := &last.Findings[i]
			if f.File == "" || !f.Shown() || seen[f.ID] {
				continue
			}
			seen[f.ID] = true
			in.byFile[f.File] = append(in.byFile[f.File], f)
		}
	}
	return in
}

// stampOf changes when files in a folder change.
func stampOf(dir string, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			fmt.Fprintf(&b, "%d %d;", info.Size(), info.ModTime().UnixNano())
		} else {
			b.WriteString("none;")
		}
	}
	return b.String()
}

// A shown is a finding at its place in a document.
type shown struct {
	*advice.Finding
	from, to int // offsets
}

// place returns the findings whose code is in the document as it was. Lines above may have moved it; its function, and the text of its
// line, are the same.
func place(doc *document, found []*advice.Finding) (all []shown) {
	if len(found) == 0 {
		return nil
	}
	lines := strings.Split(doc.text.all, "\n")
	starts := make([]int, len(lines)+1)
	for i, line := range lines {
		starts[i+1] = starts[i] + len(line) + 1
	}
	decls := declarations(doc.text.all)
	for _, f := range found {
		first, last := 1, len(lines)
		if f.Function != "" {
			i := slices.IndexFunc(decls, func(d declaration) bool { return d.symbol != "" && plain(d.symbol) == plain(f.Function) })
			if i < 0 {
				continue
			}
			first, last = decls[i].first, decls[i].last
		}
		best := 0
		for n := first; n <= last; n++ {
			if strings.TrimSpace(lines[n-1]) == f.Text && f.Text != "" && (best == 0 || distance(n, f.Line) < distance(best, f.Line)) {
				best = n
			}
		}
		if best == 0 {
			continue
		}
		line := lines[best-1]
		from := starts[best-1] + len(line) - len(strings.TrimLeft(line, " \t"))
		all = append(all, shown{f, from, starts[best-1] + len(strings.TrimRight(line, " \t\r"))})
	}
	return all
}

// plain is the name of a function as findings have it: "T.M".
func plain(symbol string) string {
	return strings.NewReplacer("(*", "", "(", "", ")", "").Replace(srcfind.WithoutTypeArguments(symbol))
}

func distance(a, b int) int { return max(a-b, b-a) }
