package scaffold

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// Write creates and extends files. It never replaces text: a file that has appeared since Plan is an
// error, and so is one that has changed.
func Write(m *Module, all []File) (written []string, err error) {
	root, err := os.OpenRoot(m.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for i := range all {
		f := &all[i]
		switch f.Action {
		case Create:
			err = create(root, f)
		case Append:
			err = extend(root, f)
		default:
			continue
		}
		if err != nil {
			return written, err
		}
		written = append(written, f.Name)
	}
	return written, nil
}

func create(root *os.Root, f *File) error {
	if dir := path.Dir(f.Name); dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	w, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s has appeared meanwhile: run hone init again", f.Name)
	}
	if err != nil {
		return err
	}
	_, err = w.WriteString(f.text)
	return errors.Join(err, w.Close())
}

func extend(root *os.Root, f *File) error {
	now, err := root.ReadFile(f.Name)
	if err != nil {
		return err
	}
	if string(now) != f.old {
		return fmt.Errorf("%s has changed meanwhile: run hone init again", f.Name)
	}
	w, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = w.WriteString(strings.TrimPrefix(f.text, f.old))
	return errors.Join(err, w.Close())
}
