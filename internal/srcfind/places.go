package srcfind

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// cgoSource are the extensions that the go command hands to a compiler, and
// their headers.
var cgoSource = []string{".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm",
	".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx"}

// places yields the candidates of the second stage, likeliest first, lazily:
// asking for GOROOT or the module cache may run the go command.
//
// Compilers clean the names they record, so a name with ".." in it was made by
// someone else and yields nothing. The name is used as recorded: what a trim
// left of it, such as errors/errors.go, could be mistaken for GOROOT's.
func (f *Finder) places(file string) iter.Seq[place] {
	return func(yield func(place) bool) {
		if f.cfg.Confined && !slices.Contains(cgoSource, path.Ext(file)) {
			return
		}
		name := slashName(file)
		if strings.HasPrefix(name, "<") || hasDotDot(name) {
			return
		}
		for _, from := range []func(string) iter.Seq[place]{
			f.confinedPlaces, f.modulePlaces, f.versionPlaces, f.gorootPlaces, f.vendorPlaces, f.checkoutPlaces,
		} {
			for p := range from(name) {
				if p.root != "" && p.rel != "" && filepath.IsLocal(filepath.FromSlash(p.rel)) && !yield(p) {
					return
				}
			}
		}
	}
}

// slashName turns a name recorded on Windows into one with slashes. On Unix a
// backslash may be part of a name, so only names that have no slash qualify.
func slashName(name string) string {
	if strings.Contains(name, `\`) && !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return filepath.ToSlash(name)
}

func hasDotDot(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "..")
}

// isAbsName reports whether name is absolute on any system.
func isAbsName(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// maxSuffixes bounds how often a name is tried for one reason: names that
// compilers record have less folders.
const maxSuffixes = 64

// suffixes yields what follows each occurrence of sep in s, longest first.
func suffixes(s, sep string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxSuffixes {
			i := strings.Index(s, sep)
			if i < 0 || !yield(s[i+len(sep):]) {
				return
			}
			s = s[i+1:] // occurrences may share a slash
		}
	}
}

// confinedPlaces stands in for the first stage: relative names below the
// search path, and absolute names that are below a trusted directory already.
func (f *Finder) confinedPlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		if !f.cfg.Confined {
			return
		}
		if rel := slashName(f.trimmer.Trim(name)); !isAbsName(rel) {
			for _, root := range f.searchRoots() {
				if !yield(place{root, rel}) {
					return
				}
			}
		}
		if !isAbsName(name) {
			return
		}
		if f.cfg.Recorded != nil && f.cfg.Recorded(name) && !yield(place{path.Dir(name), path.Base(name)}) {
			return
		}
		for _, root := range f.trustedRoots() {
			rel, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(filepath.Clean(root)), "/")+"/")
			if ok && !yield(place{root, rel}) {
				return
			}
		}
	}
}

func (f *Finder) searchRoots() []string {
	if f.cfg.SearchPath == "" {
		return nil
	}
	return filepath.SplitList(f.cfg.SearchPath)
}

// trustedRoots are the directories below which a confined search finds files.
func (f *Finder) trustedRoots() []string {
	roots := slices.Clone(f.searchRoots())
	for _, m := range f.tree().modules {
		roots = append(roots, m.dir)
	}
	roots = append(roots, f.tree().vendors...)
	roots = append(roots, f.env().modcache, f.gorootSrc())
	return slices.DeleteFunc(roots, func(root string) bool { return root == "" })
}

// modulePlaces: a name that starts with, or for an absolute name contains, the
// path of a module that has a directory here.
//
//	example.com/app/pkg/x.go
//	/home/ci/src/example.com/app/pkg/x.go
func (f *Finder) modulePlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, m := range f.tree().modules {
			if rel, ok := strings.CutPrefix(name, m.path+"/"); ok && !yield(place{m.dir, rel}) {
				return
			}
			if !isAbsName(name) {
				continue
			}
			for rel := range suffixes(name, "/"+m.path+"/") {
				if !yield(place{m.dir, rel}) {
					return
				}
			}
		}
	}
}

// versionPlaces: module@version, in the three forms in use.
//
//	github.com/BurntSushi/toml@v1.2.3/decode.go                          -trimpath
//	/home/ci/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.3/decode.go    module cache
//	/cache/github.com/!burnt!sushi/toml@v1.2.3/decode.go                 GOMODCACHE=/cache
func (f *Finder) versionPlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		at := strings.LastIndex(name, "@v")
		if at < 0 {
			return
		}
		mod := name[:at]
		version, rel, ok := strings.Cut(name[at+1:], "/")
		if !ok {
			return
		}
		if !isAbsName(name) {
			f.replacedPlaces(mod, version, rel)(yield)
			return
		}
		// The name was taken from a module cache, so it is escaped and
		// replacements are already applied.
		tails := []string{}
		if i := strings.LastIndex(mod, "/pkg/mod/"); i >= 0 {
			tails = append(tails, mod[i+len("/pkg/mod/"):])
		}
		tails = slices.AppendSeq(tails, suffixes(mod, "/"))
		for _, tail := range tails {
			if !yield(place{f.env().modcache, tail + "@" + version + "/" + rel}) {
				return
			}
		}
		for _, tail := range tails {
			for p := range f.vendoredPlaces(unescapeModule(tail), unescapeModule(version), rel) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// replacedPlaces: with -trimpath a replaced module keeps its own name and
// version, though the text comes from the replacement.
func (f *Finder) replacedPlaces(mod, version, rel string) iter.Seq[place] {
	return func(yield func(place) bool) {
		t := f.tree()
		to, ok := t.replaces[mod+"@"+version]
		if !ok {
			to, ok = t.replaces[mod]
		}
		cached := func(mod, version string) place {
			return place{f.env().modcache, escapeModule(mod) + "@" + escapeModule(version) + "/" + rel}
		}
		if ok && to.dir != "" && !yield(place{to.dir, rel}) {
			return
		}
		if ok && to.path != "" && !yield(cached(to.path, to.version)) {
			return
		}
		if !yield(cached(mod, version)) {
			return
		}
		f.vendoredPlaces(mod, version, rel)(yield)
	}
}

// vendoredPlaces: only where vendor has this very version, since the lines of
// another would be wrong.
func (f *Finder) vendoredPlaces(mod, version, rel string) iter.Seq[place] {
	return func(yield func(place) bool) {
		t := f.tree()
		for i, v := range t.vendors {
			if dir, ok := t.vendored[i][mod+"@"+version]; ok && !yield(place{v, dir + "/" + rel}) {
				return
			}
		}
	}
}

var (
	// goWord finds "go" as a word of its own in a GOROOT: /usr/local/go,
	// ~/sdk/go1.26.1, /usr/lib/go-1.26, hostedtoolcache/go/1.26.1/x64,
	// Cellar/go/1.26.1/libexec, golang.org/toolchain@..., external/go_sdk.
	goWord = lazyregexp.New(`(?i)(^|[^a-z])go(lang|root|sdk)?([^a-z]|$)`)
	// goVersion finds the version in the same places.
	goVersion = lazyregexp.New(`(?i)go[-/]?(1\.\d+(?:\.\d+)?(?:(?:rc|beta)\d+)?)`)
)

// gorootPlaces: the standard library and the go command.
//
//	runtime/proc.go                                          -trimpath
//	$GOROOT/src/runtime/proc.go, GOROOT/src/runtime/proc.go
//	/opt/hostedtoolcache/go/1.26.1/x64/src/runtime/proc.go   another machine
func (f *Finder) gorootPlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, prefix := range []string{"$GOROOT/src/", "GOROOT/src/"} {
			if rel, ok := strings.CutPrefix(name, prefix); ok {
				yield(place{f.gorootSrc(), rel})
				return
			}
		}
		if first, _, ok := strings.Cut(name, "/"); ok && !isAbsName(name) && !strings.ContainsAny(first, ".$@") {
			if !yield(place{f.gorootSrc(), name}) {
				return
			}
		}
		for rel := range suffixes(name, "/src/") {
			prefix := strings.TrimSuffix(name, "/src/"+rel)
			if !goWord.MatchString(prefix) {
				continue
			}
			// The version that the program was built with has the right
			// lines, so prefer it over the current one.
			if v := goVersion.FindStringSubmatch(prefix); v != nil {
				for _, src := range f.versionSrc("go" + v[1]) {
					if !yield(place{src, rel}) {
						return
					}
				}
			}
			if !yield(place{f.gorootSrc(), rel}) {
				return
			}
		}
	}
}

// gorootSrc is $GOROOT/src. It is a root of its own as distributions make it a
// symbolic link.
func (f *Finder) gorootSrc() string {
	if r := f.env().goroot; r != "" {
		return filepath.Join(r, "src")
	}
	return ""
}

// versionSrc is where toolchain switching and golang.org/dl put a version.
func (f *Finder) versionSrc(version string) []string {
	var dirs []string
	if c := f.env().modcache; c != "" {
		dirs = append(dirs, filepath.Join(c, "golang.org",
			"toolchain@v0.0.1-"+version+"."+runtime.GOOS+"-"+runtime.GOARCH, "src"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, "sdk", version, "src"))
	}
	return dirs
}

// vendorPlaces: an import path without a version, alone or after "vendor/".
// What was vendored is a copy of the required version, so the module cache
// serves where the vendor directory was not kept.
//
//	/home/ci/app/vendor/github.com/a/b/x.go
//	github.com/a/b/x.go
func (f *Finder) vendorPlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		if strings.Contains(name, "@") {
			return
		}
		rels := slices.Collect(suffixes(name, "/vendor/"))
		if len(rels) == 0 && !isAbsName(name) {
			rels = []string{name}
		}
		t := f.tree()
		for _, rel := range rels {
			for _, v := range t.vendors {
				if !yield(place{v, rel}) {
					return
				}
			}
			for mod := path.Dir(rel); mod != "." && mod != "/"; mod = path.Dir(mod) {
				version, ok := t.requires[mod]
				if !ok {
					continue
				}
				for p := range f.replacedPlaces(mod, version, strings.TrimPrefix(rel, mod+"/")) {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// checkoutPlaces: an absolute name from another checkout of a module here,
// recognized by the last element of the module's path or directory.
//
//	/home/runner/work/app/app/pkg/x.go for module example.com/app/v2
func (f *Finder) checkoutPlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		if !isAbsName(name) {
			return
		}
		for _, m := range f.tree().modules {
			for _, base := range []string{moduleBase(m.path), filepath.Base(m.dir)} {
				for rel := range suffixes(name, "/"+base+"/") {
					if !yield(place{m.dir, rel}) {
						return
					}
				}
			}
		}
	}
}

var majorSuffix = lazyregexp.New(`^v[0-9]+$`)

func moduleBase(modPath string) string {
	if base := path.Base(modPath); !majorSuffix.MatchString(base) {
		return base
	}
	return path.Base(path.Dir(modPath))
}
