package advice

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// A module is one of the user's: the main module, one of a workspace, or one in a folder that replaces
// a dependency of these.
type module struct {
	Path, Dir string
	GoMod     string // the file
	GoVersion string // "1.24"; "" if go.mod doesn't say, or for a replacement
	replaces  bool   // the folder replaces a dependency
}

// modules returns the user's modules around a folder. work is go.work, "" or "off".
func modules(ctx context.Context, dir, work string) ([]module, error) {
	listed, err := gocmd.List[module](ctx, gocmd.Command{Dir: dir, Args: []string{"-m"}})
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(listed, func(m module) bool { return m.Dir == "" })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s isn't in a Go module: run hone advise in the source of the profiled program", dir)
	}
	main := slices.Clone(all)
	if all, err = withReplacements(ctx, all, work, filepath.Dir(work)); err != nil {
		return nil, err
	}
	for _, m := range main {
		file := m.GoMod
		if !filepath.IsAbs(file) { // as -modfile in GOFLAGS has it
			file = filepath.Join(dir, file)
		}
		if all, err = withReplacements(ctx, all, file, m.Dir); err != nil {
			return nil, err
		}
	}
	// The most specific first: modules may be nested.
	slices.SortStableFunc(all, func(a, b module) int { return len(b.Path) - len(a.Path) })
	return all, nil
}

// withReplacements adds the folders by which a go.mod or go.work replaces dependencies; their paths start in a folder.
// Most files replace none, and are not parsed.
func withReplacements(ctx context.Context, mods []module, file, from string) ([]module, error) {
	text, err := infile.ReadFile(ctx, file, infile.MaxSource)
	if err != nil || !bytes.Contains(text, []byte("replace")) {
		return mods, ctx.Err() // without a file, there is nothing to replace
	}
	mod, err := gocmd.ReadModFile(ctx, file)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Replacements() {
		at := filepath.FromSlash(r.Dir)
		if !filepath.IsAbs(at) {
			at = filepath.Join(from, at)
		}
		known := slices.ContainsFunc(mods, func(m module) bool { return m.Path == r.Path || m.Dir == at })
		if !known && isFile(filepath.Join(at, "go.mod")) {
			mods = append(mods, module{Path: r.Path, Dir: at, GoMod: filepath.Join(at, "go.mod"), replaces: true})
		}
	}
	return mods, nil
}

// file returns the path of a file in the module. It returns "" for paths that leave the module or that
// the go command would take for a pattern, because anyone may have written the profile.
func (m *module) file(rel ...string) string {
	name := path.Join(rel...)
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "...") {
		return ""
	}
	return filepath.Join(m.Dir, filepath.FromSlash(name))
}

// moduleAround returns the innermost of modules that a file or folder is in; nil if it is in none.
func moduleAround(mods []module, file string) (best *module) {
	for i := range mods {
		m := &mods[i]
		if rel, err := filepath.Rel(m.Dir, file); err == nil && !strings.HasPrefix(rel, "..") && (best == nil || len(m.Dir) > len(best.Dir)) {
			best = m
		}
	}
	return best
}

// patternsOf returns what the go command calls the packages in some folders. A folder that replaces a dependency may
// be in that of the main module, so its packages go by their import paths. apart has a sentence for each other module that
// some of the folders are in, which the go command doesn't build from here.
func patternsOf(mods []module, dirs []string) (patterns, apart []string) {
	for _, dir := range dirs {
		m := moduleAround(mods, dir)
		root := dir
		for !isFile(filepath.Join(root, "go.mod")) && filepath.Dir(root) != root {
			root = filepath.Dir(root)
		}
		switch rel, err := filepath.Rel(root, dir); {
		case m == nil || err != nil:
			patterns = append(patterns, dir)
		case len(root) > len(m.Dir):
			if text := fmt.Sprintf("%s is a module that the one in %s doesn't use: run hone advise there", root, m.Dir); !slices.Contains(apart, text) {
				apart = append(apart, text)
			}
		case m.replaces:
			patterns = append(patterns, path.Join(m.Path, filepath.ToSlash(rel)))
		default:
			patterns = append(patterns, dir)
		}
	}
	return patterns, apart
}

// rootOf is the folder of the module that a file is in, or another one if it is in none.
func rootOf(mods []module, file, other string) string {
	if m := moduleAround(mods, file); m != nil {
		return m.Dir
	}
	return other
}

// A locator finds the files of frames in the user's modules.
type locator struct {
	modules []module
	// mains are the folders of commands; the name of a function in a command only starts with "main".
	mains  []string
	goroot string // "" if unknown
}

// locate returns the absolute path of a frame's file, or "" if it isn't the user's. The frame's
// package decides before its path: the program may have been built elsewhere, or with -trimpath.
func (l *locator) locate(f *profile.Frame) string {
	pkg := f.Package()
	pkg = strings.TrimSuffix(pkg, ".test")
	file := l.withoutVersion(filepath.ToSlash(f.File))
	base := path.Base(file)
	if !strings.HasSuffix(base, ".go") || l.isDependency(file) {
		return ""
	}
	if parseName(f.Name).closure != "" {
		if name, known := l.locateLiteral(file); known {
			return name
		}
	}
	if pkg == "main" || pkg == "command-line-arguments" {
		return l.locateMain(file, base)
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

// withoutVersion returns the name of a file without its module's version, if a folder replaces the module: with
// -trimpath, the go command then calls the file example.com/lib@v1.2.3/x.go.
func (l *locator) withoutVersion(file string) string {
	for _, m := range l.modules {
		if rest, ok := strings.CutPrefix(file, m.Path+"@"); ok && m.replaces {
			_, rel, _ := strings.Cut(rest, "/")
			return m.Path + "/" + rel
		}
	}
	return file
}

// isDependency reports whether a file is in the module cache, or vendored. The folders above a user's
// module may have any name.
func (l *locator) isDependency(file string) bool {
	for _, m := range l.modules {
		if rel, ok := below(file, filepath.ToSlash(m.Dir)); ok {
			file = "/" + rel
			break
		}
	}
	return strings.Contains(file, "@v") || strings.Contains(file, "/vendor/")
}

// locateLiteral finds a file with a function literal. If the function around it was inlined, its name
// is that of the caller, which may be in another package, so only the path says whose it is. known is
// false if the path doesn't tell either, because the program was built elsewhere.
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

// maxDepth limits how deep in a module a file is searched.
const maxDepth = 20

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// locateMain finds a file of a command: by its path, with or without -trimpath, or else by the folder
// whose end matches best.
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
