package temporary

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestReplaceTextsKilled: whichever files a hone has replaced before it was killed, the next one undoes it. It is simulated
// by what a killed hone leaves: the directory, without its lock.
func TestReplaceTextsKilled(t *testing.T) {
	texts := []Text{{"a.go", 0o644, []byte("new a")}, {"sub/b.go", 0o644, []byte("new b")}, {"sub/c.go", 0o644, []byte("new c")}}
	for replaced := range len(texts) + 1 {
		folder, undos := halfDone(t, texts)
		for _, text := range texts[:replaced] {
			put(t, filepath.Join(folder, text.Path), text.Text)
		}
		leave(t, folder, undos)
		Sweep(folder)
		holds(t, folder, map[string]string{"a.go": "old a", "sub/b.go": "old b", "sub/c.go": ""})
	}
}

// TestReplaceTextsEdited: what was edited since stays.
func TestReplaceTextsEdited(t *testing.T) {
	texts := []Text{{"a.go", 0o644, []byte("new a")}, {"sub/b.go", 0o644, []byte("new b")}}
	folder, undos := halfDone(t, texts)
	put(t, filepath.Join(folder, "a.go"), []byte("edited a"))
	put(t, filepath.Join(folder, "sub/b.go"), []byte("new b"))
	leave(t, folder, undos)
	Sweep(folder)
	holds(t, folder, map[string]string{"a.go": "edited a", "sub/b.go": "old b"})
}

// TestUndoOutside: a repository with such a directory can't have files elsewhere changed.
func TestUndoOutside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, []byte("new"))
	for name, path := range map[string]func(folder string) string{
		"above": func(folder string) string { rel, _ := filepath.Rel(folder, outside); return rel },
		"by link": func(folder string) string {
			os.Symlink(filepath.Dir(outside), filepath.Join(folder, "link"))
			return "link/outside"
		},
		"a link": func(folder string) string { os.Symlink(outside, filepath.Join(folder, "link")); return "link" },
	} {
		folder := t.TempDir()
		leave(t, folder, []undo{{Path: path(folder), Mode: 0o644, Before: []byte("old"), After: []byte("new")}})
		Sweep(folder)
		if text, err := os.ReadFile(outside); err != nil || string(text) != "new" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// longAgo is before a directory counts as new.
var longAgo = time.Unix(1e9, 0)

func halfDone(t *testing.T, texts []Text) (folder string, undos []undo) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "a.go"), []byte("old a"))
	put(t, filepath.Join(folder, "sub/b.go"), []byte("old b"))
	in := make([]Text, len(texts))
	for i, text := range texts {
		in[i] = Text{filepath.Join(folder, text.Path), text.Mode, text.Text}
	}
	if common := commonFolder(in); common != folder {
		t.Fatalf("the common folder is %s", common)
	}
	if undos, err = undosOf(folder, in); err != nil {
		t.Fatal(err)
	}
	return folder, undos
}

// leave leaves what a killed hone does.
func leave(t *testing.T, folder string, undos []undo) {
	t.Helper()
	journal, err := json.Marshal(undos)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, hidden+"1", undoName), journal)
	if err := os.Chtimes(filepath.Join(folder, hidden+"1"), longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// holds compares files with what they have to be, "" if they must not exist, and expects nothing else.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if string(got) != text || (text == "") != errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is %q, %v; want %q", name, got, err, text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, hidden+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
