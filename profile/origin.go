package profile

import (
	"path"
	"strings"
)

// Origin tells where the code of a frame comes from.
type Origin uint8

// The origins, as far as names and files give them away.
const (
	OriginOther      Origin = iota // not Go, or unknown
	OriginOwn                      // the program's own module
	OriginThirdParty               // another module
	OriginStandard                 // Go's standard library
	OriginRuntime                  // Go's runtime
)

func (o Origin) String() string {
	return [...]string{"other", "own", "third party", "standard library", "runtime"}[o]
}

// Package returns the package of the frame's function: the import path of Go
// code, the first namespace of C++ code, and otherwise the directory of the file.
func (f *Frame) Package() string {
	name := f.Name
	switch {
	case name == "" || name[0] == '[':
		return name
	case name == f.File:
		return sourceDir(f.File)
	}
	if i := strings.IndexAny(name, "[("); i > 0 { // type arguments, receiver, parameters
		if name[i] == '(' && strings.HasSuffix(name[:i], ".") {
			// A method; or a literal of one that is inlined: "a/b.F.(*T).M.func1".
			pkg, slash := name[:i-1], strings.LastIndexByte(name[:i], '/')+1
			if dot := strings.IndexByte(pkg[slash:], '.'); dot > 0 {
				pkg = pkg[:slash+dot]
			}
			return unescapePackage(pkg)
		}
		name = name[:i]
	}
	if i := strings.Index(name, "::"); i > 0 {
		name = name[:i]
		return name[strings.LastIndexAny(name, " *&")+1:]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	if i := strings.IndexByte(name[slash:], '.'); i > 0 {
		return unescapePackage(name[:slash+i])
	}
	if f.File != "" {
		return sourceDir(f.File)
	}
	return ""
}

// sourceDir returns the folder of a source file, below GOROOT/src or GOPATH/src
// if it is there.
func sourceDir(file string) string {
	dir := path.Dir(file)
	if i := strings.LastIndex(dir, "/src/"); i >= 0 {
		return dir[i+len("/src/"):]
	}
	return dir
}

// unescapePackage undoes the linker's escaping of dots in the last element of
// an import path.
func unescapePackage(s string) string { return strings.ReplaceAll(s, "%2e", ".") }

// Origin returns where the code of the frame comes from. Code of a module of
// the program's own is told from other modules by the lack of a version or a
// vendor folder in the path of its file.
func (f *Frame) Origin() Origin {
	if f.File != "" && !strings.HasSuffix(f.File, ".go") && !strings.HasSuffix(f.File, ".s") && f.Name != f.File {
		return OriginOther
	}
	pkg := f.Package()
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case pkg == "" || strings.HasPrefix(pkg, "[") || strings.Contains(f.Name, "::"):
		return OriginOther
	case pkg == "runtime" || strings.HasPrefix(pkg, "runtime/internal") || strings.HasPrefix(pkg, "internal/runtime/"):
		return OriginRuntime
	case standard[first] && !strings.Contains(first, "."):
		return OriginStandard
	case strings.Contains(f.File, "@v"), strings.Contains(f.File, "/vendor/"), strings.HasPrefix(f.File, "vendor/"):
		return OriginThirdParty
	case f.File == "" && !strings.Contains(f.Name, "."):
		return OriginOther
	}
	return OriginOwn
}

// standard holds the first elements of the standard library's import paths.
var standard = func() map[string]bool {
	set := map[string]bool{}
	for _, s := range strings.Fields(`archive bufio builtin bytes cmp compress container context crypto database
		debug embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net
		os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time
		unicode unique unsafe uuid vendor weak simd`) {
		set[s] = true
	}
	return set
}()
