package objective

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	with, without := t.TempDir(), t.TempDir()
	file := filepath.Join(with, FileName)
	for name, text := range map[string]string{
		file:                               "[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nmax = 5\n",
		filepath.Join(with, "empty.toml"):  "",
		filepath.Join(with, "broken.toml"): "[[objective]]\nmetric = \"ns/op\"\nmaxx = 5\n\n[[objective]]\nmetric = \"B/op\"\nminn = 5\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, file, name, problem string }{
		{with, "", file, ""},
		{without, file, file, ""},
		{without, "", "", "no hone.toml in this module: write one"},
		{with, filepath.Join(with, "none.toml"), "", "none.toml"},
		{with, filepath.Join(with, "empty.toml"), "", "empty.toml has no objectives: add an [[objective]] section"},
		{with, filepath.Join(with, "broken.toml"), "", "; "}, // two problems on one line
	} {
		got, name, err := Read(t.Context(), c.dir, c.file)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v, want %q on one line", c.file, err, c.problem)
			}
			continue
		}
		if err != nil || name != c.name || len(got) != 1 {
			t.Errorf("%q: %d objectives of %s, %v", c.file, len(got), name, err)
		}
	}
	if own, err := ReadOwn(t.Context(), with); len(own) != 1 || err != nil {
		t.Errorf("%d objectives, %v", len(own), err)
	}
	if own, err := ReadOwn(t.Context(), without); own != nil || err != nil {
		t.Errorf("%d objectives without a file, %v", len(own), err)
	}
}
