package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/srcfind"
)

// A module is a Go module of the workspace.
type module struct {
	dir  string // absolute, as the editor has it
	real string // without symbolic links
	path string // of its packages
	// home is the folder with hone's runs and findings: the module's, or that of the go.work above.
	home string
}

// A workspace has the folders that the editor opened. Files outside of them and of their modules are not read.
type workspace struct {
	mu      sync.Mutex
	folders []string // absolute
}

// errOutside: a file is not for hone to look at.
var errOutside = errors.New("the file is outside of the workspace")

// pathOf returns the path of a file's address.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" || strings.ContainsRune(u.Path, 0) {
		return "", fmt.Errorf("invalid address %.200q: use file:///PATH", uri)
	}
	p := u.Path
	if runtime.GOOS == "windows" { // /c:/folder
		p = strings.TrimPrefix(p, "/")
	}
	p = filepath.FromSlash(p)
	if !filepath.IsAbs(p) {
		return "", fmt.Errorf("invalid address %.200q: use an absolute path", uri)
	}
	return filepath.Clean(p), nil
}

// uriOf returns the address of a file.
func uriOf(file string) string {
	p := filepath.ToSlash(file)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// add adds folders. Each also stands for the module that it is in.
func (w *workspace) add(folders ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range folders {
		if !slices.Contains(w.folders, f) {
			w.folders = append(w.folders, f)
		}
	}
}

func (w *workspace) remove(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders = slices.DeleteFunc(w.folders, func(f string) bool { return f == folder })
}

// tops are the folders of the workspace, each replaced by the module that it is in, or by the folder of its go.work.
func (w *workspace) tops() (tops []string) {
	w.mu.Lock()
	folders := slices.Clone(w.folders)
	w.mu.Unlock()
	for _, f := range folders {
		top := above(f, isModule)
		tops = append(tops, above(top, func(dir string) bool { return isFile(filepath.Join(dir, "go.work")) }))
	}
	return tops
}

// above returns the nearest folder that is something, from one upwards; the one itself if there is none.
func above(dir string, is func(string) bool) string {
	for at := dir; ; at = filepath.Dir(at) {
		if is(at) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

func isModule(dir string) bool { return isFile(filepath.Join(dir, "go.mod")) }

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// contains reports whether a file is in a folder, by their names.
func contains(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// moduleOf returns the module of a Go file in the workspace.
func (w *workspace) moduleOf(ctx context.Context, file string) (*module, error) {
	if filepath.Ext(file) != ".go" {
		return nil, fmt.Errorf("%.200q is not a Go file", file)
	}
	tops := w.tops()
	i := slices.IndexFunc(tops, func(top string) bool { return contains(top, file) })
	if i < 0 {
		return nil, errOutside
	}
	for dir := filepath.Dir(file); contains(tops[i], dir); dir = filepath.Dir(dir) {
		if isModule(dir) {
			return readModule(ctx, dir, tops[i])
		}
	}
	return nil, fmt.Errorf("%.200q is in no module: there is no go.mod", file)
}

// maxGoMod bounds a go.mod, in bytes.
const maxGoMod = 16 << 20

func readModule(ctx context.Context, dir, top string) (*module, error) {
	m := &module{dir: dir, home: dir}
	data, err := m.read(ctx, filepath.Join(dir, "go.mod"), maxGoMod)
	if err != nil {
		return nil, err
	}
	if m.path = srcfind.ModulePath(data); m.path == "" {
		return nil, fmt.Errorf("%s names no module", filepath.Join(dir, "go.mod"))
	}
	if m.real, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for at := dir; contains(top, at); at = filepath.Dir(at) {
		if (isModule(at) || isFile(filepath.Join(at, "go.work"))) && (infile.IsDir(runsOf(at)) || infile.IsDir(adviceOf(at))) {
			m.home = at
			break
		}
	}
	return m, nil
}

func runsOf(home string) string   { return filepath.Join(home, ".hone", "runs") }
func adviceOf(home string) string { return filepath.Join(home, ".hone", "advice") }

// read reads a file of the module. Symbolic links don't lead out of the module.
func (m *module) read(ctx context.Context, file string, limit int64) ([]byte, error) {
	f, err := m.openFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(infile.Reader(ctx, f), limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", file, limit)
	}
	return data, err
}

// openFile opens a regular file of the module.
func (m *module) openFile(file string) (*os.File, error) {
	rel, err := filepath.Rel(m.dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, errOutside
	}
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return infile.OpenIn(root, rel)
}

// rel is a file's name in the module, with slashes.
func (m *module) rel(file string) string {
	rel, err := filepath.Rel(m.dir, file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// packageOf is the import path of a file's package, by its folder.
func (m *module) packageOf(rel string) string { return path.Join(m.path, path.Dir(rel)) }
