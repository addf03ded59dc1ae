package srcfind

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modTree is the modules whose source this machine has in directories of
// their own, as the go command would see them from Config.Dir and from the
// directories of the search path.
type modTree struct {
	modules  []moduleDir // longest path first
	replaces map[string]target
	requires map[string]string
	vendors  []string            // vendor directories
	vendored []map[string]string // "module@version" to directory, one per vendors
}

type moduleDir struct{ path, dir string }

// loadTree reads the modules around the folders where a search starts.
func loadTree(cfg *Config) *modTree {
	t := &modTree{replaces: map[string]target{}, requires: map[string]string{}}
	starts := []string{cfg.Dir}
	if cfg.SearchPath != "" {
		starts = append(starts, filepath.SplitList(cfg.SearchPath)...)
	}
	seen := map[string]bool{}
	for _, dir := range starts {
		if abs, err := filepath.Abs(dir); err == nil && dir != "" {
			t.addFrom(abs, seen)
		}
	}
	for old, to := range t.replaces {
		if to.dir != "" {
			p, _, _ := strings.Cut(old, "@")
			t.modules = append(t.modules, moduleDir{p, to.dir})
		}
	}
	slices.SortStableFunc(t.modules, func(a, b moduleDir) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(a.path, b.path), cmp.Compare(a.dir, b.dir))
	})
	for _, v := range t.vendors {
		t.vendored = append(t.vendored, readVendored(v))
	}
	return t
}

// addFrom adds the module and the workspace around dir. What is added first
// wins, so a workspace's replacements go before its modules'.
func (t *modTree) addFrom(dir string, seen map[string]bool) {
	work := os.Getenv("GOWORK")
	switch work {
	case "":
		work = findUp(dir, "go.work")
	case "off":
		work = ""
	}
	if work != "" && !seen[work] {
		seen[work] = true
		if m, err := readModFile(work); err == nil {
			t.merge(m)
			t.vendors = append(t.vendors, filepath.Join(filepath.Dir(work), "vendor"))
			for _, use := range m.uses {
				t.addModule(filepath.Join(use, "go.mod"), seen)
			}
		}
	}
	if mod := findUp(dir, "go.mod"); mod != "" {
		t.addModule(mod, seen)
	}
}

func (t *modTree) addModule(gomod string, seen map[string]bool) {
	if seen[gomod] {
		return
	}
	seen[gomod] = true
	m, err := readModFile(gomod)
	if err != nil {
		return
	}
	dir := filepath.Dir(gomod)
	t.merge(m)
	t.vendors = append(t.vendors, filepath.Join(dir, "vendor"))
	if m.module != "" {
		t.modules = append(t.modules, moduleDir{m.module, dir})
	}
}

func (t *modTree) merge(m *modFile) {
	for k, v := range m.replaces {
		if _, ok := t.replaces[k]; !ok {
			t.replaces[k] = v
		}
	}
	for k, v := range m.requires {
		if _, ok := t.requires[k]; !ok {
			t.requires[k] = v
		}
	}
}

func findUp(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if fi, err := os.Stat(file); err == nil && fi.Mode().IsRegular() {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
