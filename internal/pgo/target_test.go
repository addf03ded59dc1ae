package pgo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod": "module example.com/m\n\ngo 1.24\n", "m/lib/lib.go": "package lib\n", "m/cmd/a/main.go": "package main\n\nfunc main() {}\n",
		"none/go.mod": "module example.com/none\n\ngo 1.24\n", "none/lib.go": "package none\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, c := range []struct{ dir, file, want, main, problem string }{
		{"m/cmd/a", "", "m/cmd/a/default.pgo", "m/cmd/a", ""},
		{"m", "", "", "", filepath.FromSlash("run hone pgo there (cmd/a), or give -o cmd/a/default.pgo")},
		{"m/lib", "m/cmd/a/default.pgo", "m/cmd/a/default.pgo", "m/cmd/a", ""},
		{"m", "elsewhere.pgo", "elsewhere.pgo", "m/cmd/a", ""},
		{"none", "", "", "", "the module has none; -o FILE"},
		{"none", "x.pgo", "x.pgo", "", ""},
		{".", "", "", "", "is not in a Go module"},
	} {
		file := c.file
		if file != "" {
			file = at(file)
		}
		m, got, err := Find(t.Context(), at(c.dir), file)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: %v, want %q", c.dir, err, c.problem)
			}
			if c.dir == "m" && !errors.Is(err, ErrNoMain) {
				t.Errorf("%v is not ErrNoMain", err)
			}
			continue
		}
		if err != nil || got != at(c.want) || c.main == "" != (m.Main == "") || c.main != "" && m.Main != at(c.main) {
			t.Errorf("%s %s: %s, main in %s, %v", c.dir, c.file, got, m.Main, err)
		}
	}
}
