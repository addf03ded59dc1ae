package temporary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// A Text is the new content of a file.
type Text struct {
	Path string
	Mode fs.FileMode
	Text []byte
}

// An undo is a file that is being replaced with others. Its path is relative to the folder that has all of them.
type undo struct {
	Path   string
	Mode   fs.FileMode
	Before []byte // nil if the file didn't exist
	After  []byte
}

// undoName is the file of a temporary directory that says what to undo if its owner is killed.
const undoName = "undo.json"

// maxUndo bounds that file.
const maxUndo = 256 << 20

// ReplaceTexts replaces several files, of one volume, as one step: after an error, or after the next hone has swept the
// folder of a killed one, all have their old content. Until then, each file has either.
func ReplaceTexts(texts []Text) error {
	if len(texts) == 1 {
		return ReplaceText(texts[0].Path, texts[0].Mode, texts[0].Text)
	}
	folder := commonFolder(texts)
	d, err := MakeIn(folder)
	if err != nil {
		return err
	}
	undos, err := undosOf(folder, texts)
	if err != nil {
		return errors.Join(err, d.Remove())
	}
	journal, err := json.Marshal(undos)
	if err == nil {
		err = ReplaceText(filepath.Join(d.Path, undoName), 0o600, journal)
	}
	for _, t := range texts {
		if err == nil {
			err = ReplaceText(t.Path, t.Mode, t.Text)
		}
	}
	if err != nil {
		err = errors.Join(err, undoAll(folder, undos))
	}
	return errors.Join(err, d.Remove())
}

// commonFolder is the innermost folder around some files.
func commonFolder(texts []Text) string {
	folder := filepath.Dir(texts[0].Path)
	for _, t := range texts[1:] {
		for !below(folder, t.Path) && folder != filepath.Dir(folder) {
			folder = filepath.Dir(folder)
		}
	}
	return folder
}

func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func undosOf(folder string, texts []Text) (all []undo, err error) {
	for _, t := range texts {
		rel, err := filepath.Rel(folder, t.Path)
		if err != nil {
			return nil, err
		}
		before, err := os.ReadFile(t.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, undo{Path: rel, Mode: t.Mode, Before: before, After: t.Text})
	}
	return all, nil
}

// undoAll gives files of a folder their former content. Files that changed since stay as they are.
func undoAll(folder string, undos []undo) error {
	var errs []error
	for _, u := range undos {
		path := filepath.Join(folder, u.Path)
		now, err := infile.ReadFile(context.Background(), path, maxUndo)
		if err != nil || !bytes.Equal(now, u.After) {
			continue
		}
		if u.Before == nil {
			errs = append(errs, os.Remove(path))
		} else {
			errs = append(errs, ReplaceText(path, u.Mode, u.Before))
		}
	}
	return errors.Join(errs...)
}

// undoIn undoes what the owner of a temporary directory, who was killed, had begun. A repository may come with such a
// directory, so only files of the folder around it are changed.
func undoIn(dir string) {
	journal, err := infile.ReadFile(context.Background(), filepath.Join(dir, undoName), maxUndo)
	if err != nil || !strings.HasPrefix(filepath.Base(dir), hidden) {
		return
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return
	}
	var undos []undo
	if json.Unmarshal(journal, &undos) != nil {
		return
	}
	for _, u := range undos {
		real, err := filepath.EvalSymlinks(filepath.Join(folder, u.Path))
		if !filepath.IsLocal(u.Path) || err == nil && real != filepath.Join(folder, u.Path) {
			return
		}
	}
	undoAll(folder, undos)
}
