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
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/infile"
)

// DefaultMaxBytes is the size above which a source file is refused.
const DefaultMaxBytes = 64 << 20

// Config says where to search. The zero value searches as go tool pprof does
// without flags.
type Config struct {
	// SearchPath and TrimPath are the values of -source_path and -trim_path:
	// lists separated by filepath.ListSeparator. An empty SearchPath is Dir.
	SearchPath, TrimPath string
	// Dir is where the search for go.mod and go.work starts, upward. Empty
	// is the process's current directory.
	Dir string
	// MaxBytes bounds a source file; 0 is DefaultMaxBytes.
	MaxBytes int64
	// CacheBytes bounds the memory for what was found, and for what was not; 0 is
	// DefaultCacheBytes.
	CacheBytes int64
	// Confined is for servers, where whoever sends a profile chooses the file
	// names that others then read. It serves only Go and cgo source, only from
	// the directories of SearchPath (not their parents), GOROOT, the module
	// cache, the modules and vendor, and follows no symbolic link out of them.
	Confined bool
}

// Text is a source file. All readers share it: do not change it.
type Text struct {
	Path  string   // the file that was read
	Lines []string // Lines[0] is line 1; no line terminators
	// Elsewhere is whether go tool pprof would not have found it.
	Elsewhere bool

	parsed sync.Once
	funcs  *goFuncs // see Verify
}

// NotFoundError reports a file that neither stage found. Its text is the one
// of go tool pprof.
type NotFoundError struct {
	File string // as the profile names it
	// Looked are the files tried, in order; for people, not for parsing. Where a
	// confined search found none to try, they are the directories it is confined to.
	Looked []string
	err    error
}

func (e *NotFoundError) Error() string { return e.err.Error() }

// Unwrap returns the first stage's error.
func (e *NotFoundError) Unwrap() error { return e.err }

// Is makes every NotFoundError an fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// Finder finds and keeps source text. It is safe for concurrent use. It reads a
// file once while it has room to keep it, so make a new one to see edits; what it
// did not find it looks for again after a minute.
type Finder struct {
	cfg        Config
	searchPath string // cfg.SearchPath or the directory that stands for it
	trimmer    *Trimmer
	dirErr     error // the current directory is unknown

	kept *kept

	env   func() goEnv
	tree  func() *modTree
	runGo func(ctx context.Context, dir string, extraEnv ...string) (goroot, modcache string, err error)
}

// New returns a Finder. It touches no file yet.
func New(cfg Config) *Finder {
	f := &Finder{cfg: cfg, kept: newKept(cfg.CacheBytes), runGo: runGoEnv}
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
	f.env = sync.OnceValue(f.loadEnv)
	f.tree = sync.OnceValue(f.loadTree)
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

// A place is a candidate of the second stage: a slash-separated name below a
// directory that is itself trusted.
type place struct{ root, rel string }

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
		return nil, f.tooLarge(name)
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
		return nil, f.tooLarge(name)
	}
	return &Text{Path: name, Lines: splitLines(b.String())}, nil
}

func (f *Finder) tooLarge(name string) error {
	return &foundError{fmt.Errorf("%s: source file is over the limit of %d bytes", name, f.cfg.MaxBytes)}
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

// splitLines cuts at "\n", drops one "\r" before it, and has no empty last
// line, as bufio.ScanLines does, but for lines of any length.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, strings.TrimSuffix(line, "\r"))
	}
	return lines
}

// goEnv is what the go command knows. Empty strings are unknown.
type goEnv struct {
	goroot, modcache string
	err              error // why the go command was of no help, if it was needed
}

// loadEnv asks the go command only for what the environment leaves open.
func (f *Finder) loadEnv() goEnv {
	e := goEnv{goroot: os.Getenv("GOROOT"), modcache: os.Getenv("GOMODCACHE")}
	if e.goroot != "" && e.modcache != "" {
		return e
	}
	// A go.mod may ask for a newer toolchain. GOPROXY=off lets the go command
	// switch to one that is already there, but not download it.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	goroot, modcache, err := f.runGo(ctx, f.cfg.Dir, gocmd.NoDownloads)
	if err != nil && ctx.Err() == nil && !errors.Is(err, exec.ErrNotFound) {
		goroot, modcache, err = f.runGo(ctx, f.cfg.Dir, gocmd.NoDownloads, gocmd.LocalToolchain)
	}
	if err != nil {
		e.err = fmt.Errorf("go env: %w", err)
		goroot, modcache = gorootOfPath(), defaultModCache()
	}
	if e.goroot == "" {
		e.goroot = goroot
	}
	if e.modcache == "" {
		e.modcache = modcache
	}
	return e
}

func runGoEnv(ctx context.Context, dir string, extraEnv ...string) (goroot, modcache string, err error) {
	values, err := gocmd.Command{Dir: dir, Env: extraEnv}.Environ(ctx, "GOROOT", "GOMODCACHE")
	if failed := new(gocmd.Error); errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return "", "", err
	}
	return strings.TrimSpace(values[0]), strings.TrimSpace(values[1]), nil
}

// gorootOfPath is the GOROOT that the go command's own place suggests, or the
// place of the official installers.
func gorootOfPath() string {
	var dirs []string
	if exe, err := exec.LookPath("go"); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			dirs = append(dirs, filepath.Dir(filepath.Dir(exe)))
		}
	}
	for _, dir := range append(dirs, "/usr/local/go", `C:\Program Files\Go`) {
		if fi, err := os.Stat(filepath.Join(dir, "src", "runtime")); err == nil && fi.IsDir() {
			return dir
		}
	}
	return ""
}

func defaultModCache() string {
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		return filepath.Join(dir, "pkg", "mod")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, "go", "pkg", "mod")
	}
	return ""
}
