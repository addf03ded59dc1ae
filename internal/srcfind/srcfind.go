// Package srcfind finds the source text of a frame.
//
// A profile names files as the compiler saw them: an absolute path of the
// machine that built the program, or, after go build -trimpath, an import path
// or module@version. The search has two stages. The first is the one of
// go tool pprof, with its -source_path and -trim_path, so that a file found
// there is the file found here. Only when it finds nothing does the second
// look into GOROOT, the module cache, the modules around the current directory
// (go.mod, go.work, replace) and vendor directories.
package srcfind

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/hone-go/hone/internal/infile"
)

// New returns a Finder. It touches no file yet.
func New(cfg Config) *Finder {
	f := &Finder{cfg: cfg, kept: newKept(cfg.CacheBytes), past: newKept(cfg.CacheBytes), runGo: runGoEnv}
	if f.cfg.MaxBytes <= 0 {
		f.cfg.MaxBytes = DefaultMaxBytes
	}
	if f.cfg.Dir == "" {
		f.cfg.Dir, f.dirErr = os.Getwd()
	}
	f.searchPath = cfg.SearchPath
	if f.searchPath == "" {
		f.searchPath = f.cfg.Dir
	}
	f.trimmer = NewTrimmer(cfg.TrimPath, f.searchPath)
	f.env = sync.OnceValue(func() goEnv { return loadEnv(f.cfg.Dir, f.runGo) })
	f.tree = sync.OnceValue(func() *modTree { return loadTree(&f.cfg) })
	return f
}

// Find returns the text of file, a name as found in a profile.
func (f *Finder) Find(file string) (*Text, error) {
	if len(file) > maxName {
		return nil, &NotFoundError{File: file, err: fmt.Errorf("could not find file %.100s...: its name has %d bytes, more than %d", file, len(file), maxName)}
	}
	return f.kept.get(file, f.find)
}

func (f *Finder) find(file string) (*Text, error) {
	var looked []string
	var miss error
	if f.cfg.Confined {
		miss = errNotServed(file)
	} else {
		t, err := f.findAsPprof(file, &looked)
		var stop *foundError
		if err == nil {
			return t, nil
		} else if errors.As(err, &stop) {
			return nil, stop.err
		}
		miss = err
	}
	tried := map[place]bool{}
	for p := range f.places(file) {
		if tried[p] {
			continue
		}
		tried[p] = true
		name := filepath.Join(p.root, filepath.FromSlash(p.rel))
		looked = append(looked, name)
		t, err := f.readPlace(p, name)
		var stop *foundError
		if err == nil {
			t.Elsewhere = true
			return t, nil
		} else if errors.As(err, &stop) {
			return nil, stop.err
		}
	}
	if len(tried) == 0 {
		if f.cfg.Confined {
			looked = f.trustedRoots()
		}
		return nil, &NotFoundError{File: file, Looked: looked, err: miss}
	}
	if err := f.env().err; err != nil {
		looked = append(looked, err.Error())
	}
	return nil, &NotFoundError{File: file, Looked: looked, err: miss}
}

func errNotServed(file string) error {
	return fmt.Errorf("could not find file %s in GOROOT, the module cache, a module or the source path", file)
}

// findAsPprof is the first stage. Its error has go tool pprof's text.
//
// It opens absolute names as they are and tries a relative name below each
// directory of the search path and below all parents of that, up to the root.
// ".." in a name therefore reaches nothing that a name without it would not;
// whoever must not trust names sets Confined.
func (f *Finder) findAsPprof(file string, looked *[]string) (*Text, error) {
	name := f.trimmer.Trim(file)
	if filepath.IsAbs(name) {
		*looked = append(*looked, name)
		return f.read(name, infile.Open)
	}
	if f.cfg.SearchPath == "" && f.dirErr != nil {
		return nil, fmt.Errorf("could not stat current dir: %v", f.dirErr)
	}
	for _, dir := range filepath.SplitList(f.searchPath) {
		for {
			full := filepath.Join(dir, name)
			*looked = append(*looked, full)
			t, err := f.read(full, os.Open)
			var stop *foundError
			if err == nil || errors.As(err, &stop) {
				return t, err
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return nil, fmt.Errorf("could not find file %s on path %s", name, f.searchPath)
}

func (f *Finder) readPlace(p place, name string) (*Text, error) {
	if !f.cfg.Confined {
		return f.read(name, infile.Open)
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel := filepath.FromSlash(p.rel)
	fi, err := root.Stat(rel)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(name, fi); err != nil {
		return nil, err
	}
	return f.read(name, func(string) (*os.File, error) { return infile.OpenIn(root, rel) })
}

// A foundError ends the search: the file is there but cannot be served.
type foundError struct{ err error }

func (e *foundError) Error() string { return e.err.Error() }

func (f *Finder) read(name string, open func(string) (*os.File, error)) (*Text, error) {
	fi, err := os.Stat(name)
	if err != nil {
		// Like the original, speak of opening, which is what was asked for.
		var pe *fs.PathError
		if errors.As(err, &pe) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: pe.Err}
		}
		return nil, err
	}
	if err := checkRegular(name, fi); err != nil {
		return nil, err
	}
	if fi.Size() > f.cfg.MaxBytes {
		return nil, tooLarge(name, f.cfg.MaxBytes)
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b strings.Builder
	b.Grow(int(fi.Size()))
	n, err := io.Copy(&b, io.LimitReader(file, f.cfg.MaxBytes+1))
	if err != nil {
		return nil, &foundError{err}
	}
	if n > f.cfg.MaxBytes {
		return nil, tooLarge(name, f.cfg.MaxBytes)
	}
	return &Text{Path: name, Lines: splitLines(b.String())}, nil
}

func tooLarge(name string, most int64) error {
	return &foundError{fmt.Errorf("%s: source file is over the limit of %d bytes", name, most)}
}

func checkRegular(name string, fi fs.FileInfo) error {
	switch {
	case fi.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !fi.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	return nil
}
