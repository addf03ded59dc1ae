package advice

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/profile"
)

// A module is one that the user works on: the main module, or those of a workspace.
type module struct {
	Path, Dir string
	GoVersion string // "1.24"; "" if go.mod doesn't say
}

// modules asks the go command for the modules of the user at a folder.
func modules(ctx context.Context, dir string) ([]module, error) {
	listed, err := gocmd.List[module](ctx, gocmd.Command{Dir: dir, Args: []string{"-m"}})
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(listed, func(m module) bool { return m.Dir == "" })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s is in no module: advice needs the source that profiles are of", dir)
	}
	// The most specific first: modules may lie in one another.
	slices.SortFunc(all, func(a, b module) int { return len(b.Path) - len(a.Path) })
	return all, nil
}

// file returns the name of a file of the module. A path that leads elsewhere names none,
// nor does one that the go command would take for a pattern: profiles may be anybody's.
func (m *module) file(rel ...string) string {
	name := path.Join(rel...)
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "...") {
		return ""
	}
	return filepath.Join(m.Dir, filepath.FromSlash(name))
}

// module returns the innermost module that a file or folder is in; nil if it is in none.
func (x *examiner) module(file string) (best *module) {
	for i := range x.mods {
		m := &x.mods[i]
		if rel, err := filepath.Rel(m.Dir, file); err == nil && !strings.HasPrefix(rel, "..") && (best == nil || len(m.Dir) > len(best.Dir)) {
			best = m
		}
	}
	return best
}

// root is the folder of the module that a file is in.
func (x *examiner) root(file string) string {
	if m := x.module(file); m != nil {
		return m.Dir
	}
	return x.options.Dir
}

// A locator finds files of the user's modules by what frames say of them.
type locator struct {
	modules []module
	// mains are the folders of commands, of which a frame's function name says no
	// more than "main".
	mains  []string
	goroot string // "" if unknown
}

// locate returns the absolute path of the file that a frame's code is in, "" if it
// is not the user's. Of what frames say the package comes first: a program may have
// been built elsewhere, or with -trimpath.
func (l *locator) locate(f *profile.Frame) string {
	pkg := f.Package()
	pkg = strings.TrimSuffix(pkg, ".test")
	base := path.Base(filepath.ToSlash(f.File))
	if !strings.HasSuffix(base, ".go") || l.isDependency(filepath.ToSlash(f.File)) {
		return ""
	}
	if parseName(f.Name).closure != "" {
		if name, known := l.locateLiteral(filepath.ToSlash(f.File)); known {
			return name
		}
	}
	if pkg == "main" || pkg == "command-line-arguments" {
		return l.locateMain(filepath.ToSlash(f.File), base)
	}
	if strings.HasSuffix(base, "_test.go") {
		pkg = strings.TrimSuffix(pkg, "_test") // of the folder's other package
	}
	for _, m := range l.modules {
		if rel, ok := below(pkg, m.Path); ok {
			return m.file(rel, base)
		}
	}
	return ""
}

// isDependency reports whether a file is of the module cache, or vendored. The folders
// that lead to a module of the user may be called anything.
func (l *locator) isDependency(file string) bool {
	for _, m := range l.modules {
		if rel, ok := below(file, filepath.ToSlash(m.Dir)); ok {
			file = "/" + rel
			break
		}
	}
	return strings.Contains(file, "@v") || strings.Contains(file, "/vendor/")
}

// locateLiteral finds a file with a function literal. Where the function it is in was
// inlined, its name is that of the function around, which may be of another package:
// only the path says whose it is. known is false if that doesn't, either, as the
// program was built elsewhere.
func (l *locator) locateLiteral(file string) (name string, known bool) {
	for _, m := range l.modules {
		for _, dir := range []string{m.Path, filepath.ToSlash(m.Dir)} { // the first as -trimpath has it
			if rel, ok := below(file, dir); ok {
				return m.file(rel), true
			}
		}
	}
	if l.goroot != "" {
		src := module{Dir: filepath.Join(l.goroot, "src")}
		standard := file[max(0, strings.LastIndex(file, "/src/")):]
		if isFile(src.file(strings.TrimPrefix(standard, "/src/"))) {
			return "", true
		}
	}
	// The longest end of the path that is a file here; a name alone may be anybody's.
	elements := strings.Split(file, "/")
	for i := max(1, len(elements)-maxDepth); i < len(elements)-1; i++ {
		for _, m := range l.modules {
			if name := m.file(elements[i:]...); isFile(name) {
				return name, true
			}
		}
	}
	return "", false
}

// maxDepth is how deep in a module a file is looked for.
const maxDepth = 20

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// locateMain finds a file of a command: by its path as it is, as -trimpath has it,
// or else by the folder that shares the longest end with it.
func (l *locator) locateMain(file, base string) string {
	for _, m := range l.modules {
		for _, dir := range []string{filepath.ToSlash(m.Dir), m.Path} {
			if rel, ok := below(file, dir); ok {
				return m.file(rel)
			}
		}
	}
	best, length := "", 0
	for _, dir := range l.mains {
		if n := commonEnd(path.Dir(file), filepath.ToSlash(dir)); n > length {
			best, length = dir, n
		}
	}
	if best == "" && len(l.mains) == 1 {
		best = l.mains[0]
	}
	if best == "" {
		return ""
	}
	return filepath.Join(best, base)
}

// below returns what follows a folder in a path, both with slashes.
func below(p, dir string) (rel string, ok bool) {
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, dir+"/")
}

// commonEnd returns how many elements the ends of two paths share.
func commonEnd(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}
