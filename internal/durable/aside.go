package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile returns the content of a regular file with at most so many bytes. Reading
// anything else, such as a pipe, might never end.
func ReadFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// ErrKeep is wrapped by errors about the content of a file that is not damaged, such
// as one that a newer version wrote.
var ErrKeep = errors.New("the file is left as it is")

// Damage is a file that can't be used, and where it is now.
type Damage struct {
	Path  string
	Aside string // "" if it couldn't be moved
	Err   error  // why it can't be used
}

func (d *Damage) String() string {
	if d.Aside == "" {
		return fmt.Sprintf("%s can't be read, and can't be moved away: %v", d.Path, d.Err)
	}
	return fmt.Sprintf("%s can't be read and was moved to %s: %v", d.Path, d.Aside, d.Err)
}

// Load reads a file and hands it to parse. A file that can't be read, or that parse
// refuses, is moved aside, so that a new one can take its place; the caller says what
// that means. found is whether parse accepted it. The error is one that wraps ErrKeep.
func Load(path string, most int64, parse func(data []byte) error) (found bool, damage *Damage, err error) {
	data, err := ReadFile(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil, nil
	}
	if err == nil {
		err = parse(data)
	}
	switch {
	case err == nil:
		return true, nil, nil
	case errors.Is(err, ErrKeep):
		return false, nil, err
	}
	damage = &Damage{Path: path, Err: err}
	if to, err := SetAside(path); err == nil {
		damage.Aside = to
	}
	return false, damage, nil
}

// SetAside gives whatever is at a path another name, which nothing has: the path with
// ".damaged" and perhaps a number behind it.
func SetAside(path string) (to string, err error) {
	to = path + ".damaged"
	for n := 2; ; n++ {
		_, err := os.Lstat(to)
		if errors.Is(err, fs.ErrNotExist) {
			return to, Rename(path, to)
		}
		if err != nil {
			return "", err
		}
		to = fmt.Sprintf("%s.damaged-%d", path, n)
	}
}
