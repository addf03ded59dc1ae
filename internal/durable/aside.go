package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hone-go/hone/internal/infile"
)

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
	data, err := infile.ReadFile(context.Background(), path, most)
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
