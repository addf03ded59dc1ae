package pgo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
)

// FileName is the name of the profile that the go command looks for in the folder of a main package.
const FileName = "default.pgo"

// ErrNoMain means that a main package is needed, but not found.
var ErrNoMain = errors.New("no main package")

// Find returns the module that a folder is in and the file that the profile goes to:
// the one that is named, or default.pgo of the main package in the folder.
func Find(ctx context.Context, dir, file string) (Module, string, error) {
	here, err := filepath.Abs(dir)
	if err != nil {
		return Module{}, "", err
	}
	m, err := findModule(ctx, here)
	if err != nil {
		return m, "", err
	}
	at := here
	if file != "" {
		if at, err = filepath.Abs(filepath.Dir(file)); err != nil {
			return m, "", err
		}
	}
	all, err := gocmd.List[listed](ctx, gocmd.Command{Dir: m.Dir, Args: []string{"-e", "-find", "./..."}})
	if err != nil {
		return m, "", err
	}
	var mains []string
	for _, p := range all {
		if p.Name != "main" {
			continue
		}
		if p.Dir == at || p.Dir == here && m.Main == "" {
			m.Main = p.Dir
		}
		if rel, err := filepath.Rel(here, p.Dir); err == nil {
			p.Dir = rel
		}
		mains = append(mains, p.Dir)
	}
	if file != "" {
		if m.Main == "" && len(mains) == 1 {
			m.Main = filepath.Join(here, mains[0])
		}
		return m, file, nil
	}
	if m.Main == here {
		return m, filepath.Join(dir, FileName), nil
	}
	next := "the module has none; -o FILE says where the profile goes, for go build -pgo=FILE"
	if len(mains) > 0 {
		more := ""
		if len(mains) > 3 {
			mains, more = mains[:3], ", …"
		}
		next = fmt.Sprintf("go build reads %s in the folder of the main package: run hone pgo there (%s%s), or give -o %s", FileName, strings.Join(mains, ", "), more, filepath.Join(mains[0], FileName))
	}
	return m, "", fmt.Errorf("%w in %s: %s", ErrNoMain, here, next)
}

// Uses reports whether go build uses the profile in a file without being told.
func (m Module) Uses(file string) bool {
	whole, err := filepath.Abs(file)
	return err == nil && whole == filepath.Join(m.Main, FileName)
}

// findModule returns the module that is worked on in a folder. In a workspace there
// may be several.
func findModule(ctx context.Context, dir string) (m Module, err error) {
	real, err := filepath.EvalSymlinks(dir) // go list prints real paths, or those of $PWD
	if err != nil {
		return m, err
	}
	all, err := gocmd.List[struct{ Path, Dir string }](ctx, gocmd.Command{Dir: dir, Args: []string{"-m"}})
	for _, one := range all {
		for _, d := range []string{dir, real} {
			rel, err := filepath.Rel(one.Dir, d)
			if one.Dir != "" && err == nil && filepath.IsLocal(rel) && len(one.Dir) > len(m.Dir) {
				m = Module{Path: one.Path, Dir: one.Dir}
			}
		}
	}
	if err == nil && m.Dir == "" {
		err = fmt.Errorf("%s is not in a Go module: change to the module whose program was profiled", dir)
	}
	return m, err
}

// listed is what go list says of a package.
type listed struct{ Dir, Name string }
