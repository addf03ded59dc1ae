package temporary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// all returns what is below a folder, directories with a slash at the end.
func all(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			name += "/"
		}
		names = append(names, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names[1:]
}

// TestSweep: what a killed hone left goes, what another one holds and what is the user's stays.
func TestSweep(t *testing.T) {
	root := t.TempDir()
	t.Setenv("TMPDIR", root)
	t.Setenv("TMP", root)
	held, err := Make()
	if err != nil {
		t.Fatal(err)
	}
	hiddenDir, err := MakeIn(filepath.Join(root))
	if err != nil {
		t.Fatal(err)
	}
	write(t, held.Path, "file")
	write(t, root,
		prefix+"left/lock", prefix+"left/sub/file", prefix+"left/readonly/file",
		hidden+"left", hidden+"leftdir/lock", "a/b/"+hidden+"left", ".git/"+hidden+"git's",
		prefix+"file-of-the-user", "other/file")
	os.Chmod(filepath.Join(root, prefix+"left", "readonly"), 0o500)
	os.Symlink("other", filepath.Join(root, hidden+"link"))
	err = Replace(filepath.Join(root, "file"), 0o644, func(f *os.File) error {
		Sweep(root)
		SweepTree(root)
		if _, err := os.Lstat(f.Name()); err != nil {
			return fmt.Errorf("swept while it is written: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		filepath.Base(held.Path) + "/", filepath.Base(held.Path) + "/file", filepath.Base(hiddenDir.Path) + "/",
		prefix + "file-of-the-user", ".git/", ".git/" + hidden + "git's", "a/", "a/b/", "file", "other/", "other/file",
	}
	if runtime.GOOS == "windows" {
		want = append(want, filepath.Base(held.Path)+"/lock", filepath.Base(hiddenDir.Path)+"/lock")
	}
	if _, err := os.Lstat(filepath.Join(root, hidden+"link")); err == nil {
		want = append(want, hidden+"link")
	}
	slices.Sort(want)
	if got := all(t, root); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("left %q, want %q", got, want)
	}
	if err := errors.Join(held.Remove(), hiddenDir.Remove()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(held.Path); err == nil {
		t.Error("a removed directory is still there")
	}
}

// TestSweepFormer: what older builds left goes, too, but nothing that only looks alike.
func TestSweepFormer(t *testing.T) {
	root := t.TempDir()
	gone := []string{".hone-fix-123", "a/.hone-fix-4", "hone-bench-5/lock", "hone-bench-6/tmp/file"}
	kept := []string{".hone-fix-notes", ".hone-fix-", ".hone-fix-1.go", "x.hone-fix-1", ".hone-fix-8/file", "hone-bench-5.txt", "hone-bench-old/file", "hone-bench-9", "hone-fix-1"}
	young := []string{".hone-fix-77", "hone-bench-78/tmp/file"}
	write(t, root, slices.Concat(gone, kept, young)...)
	old := time.Now().Add(-time.Hour)
	for _, name := range all(t, root) {
		if !strings.HasPrefix(name, ".hone-fix-77") && !strings.HasPrefix(name, "hone-bench-78") {
			if err := os.Chtimes(filepath.Join(root, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	SweepTree(root)
	want := []string{".hone-fix-8/", "a/", "hone-bench-78/", "hone-bench-78/tmp/", "hone-bench-old/"}
	want = slices.Sorted(slices.Values(slices.Concat(want, kept, young)))
	if got := slices.Sorted(slices.Values(all(t, root))); !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		if err := ReplaceText(file, 0o640, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	full := errors.New("disk full")
	err := Replace(file, 0o640, func(f *os.File) error {
		f.WriteString("three")
		return full
	})
	if got, _ := os.ReadFile(file); !errors.Is(err, full) || string(got) != "two" {
		t.Errorf("%v, %q", err, got)
	}
	if err := ReplaceText(filepath.Join(dir, "none", "file"), 0o600, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
	os.Mkdir(filepath.Join(dir, "folder"), 0o700)
	if err := ReplaceText(filepath.Join(dir, "folder"), 0o600, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if got := all(t, dir); !slices.Equal(got, []string{"file", "folder/"}) {
		t.Errorf("left %q", got)
	}
}

func TestRenameAndDiscard(t *testing.T) {
	dir := t.TempDir()
	d, err := MakeIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, d.Path, "file")
	if err := d.Rename(filepath.Join(dir, "name")); err != nil {
		t.Fatal(err)
	}
	Sweep(dir)
	if got := all(t, dir); !slices.Equal(got, []string{"name/", "name/file"}) || d.Path != filepath.Join(dir, "name") {
		t.Errorf("%q, %s", got, d.Path)
	}
	if err := Discard(d.Path); err != nil {
		t.Fatal(err)
	}
	if err := Discard(d.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a second time: %v", err)
	}
	if got := all(t, dir); len(got) > 0 {
		t.Errorf("left %q", got)
	}
}

// TestSweepWhileMade has many make and sweep in the same folder: each gets what it made.
func TestSweepWhileMade(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	texts := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<15)}
	var making, sweeping sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		sweeping.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					Sweep(dir)
				}
			}
		})
	}
	for i := range 4 {
		making.Go(func() {
			for range 50 {
				if i%2 == 0 {
					if err := ReplaceText(file, 0o600, []byte(texts[i/2])); err != nil {
						t.Error(err)
					}
					continue
				}
				d, err := MakeIn(dir)
				if err != nil {
					t.Error(err)
					continue
				}
				write(t, d.Path, "file")
				if err := d.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	making.Wait()
	close(done)
	sweeping.Wait()
	if got, err := os.ReadFile(file); err != nil || !slices.Contains(texts, string(got)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got := all(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left %q", got)
	}
}
