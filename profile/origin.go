package profile

import (
	"iter"
	"path"
	"slices"
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
// Of frames that [FoldForeign] makes it is that of the code they stand for.
func (f *Frame) Package() string {
	name := f.Name
	if of, folded := foldedFrame(name); folded {
		if pkg, ok := strings.CutPrefix(name, libraryPrefix); ok {
			return pkg
		}
		return of.Package()
	}
	switch {
	case name == "" || name[0] == '[':
		return name
	case name == f.File:
		return sourceDir(f.File)
	}
	if i := firstBracket(name); i > 0 { // type arguments, receiver, parameters
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
	if i := namespaceEnd(name); i > 0 {
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

// firstBracket returns the index of the first "[" or "(", or -1. It is [strings.IndexAny] for names,
// which are looked at for every answer, in a fifth of the time.
func firstBracket(name string) int {
	square, round := strings.IndexByte(name, '['), strings.IndexByte(name, '(')
	if square < 0 || round >= 0 && round < square {
		return round
	}
	return square
}

// namespaceEnd returns the index of the first "::", or -1. Go's names have no colon.
func namespaceEnd(name string) int {
	if strings.IndexByte(name, ':') < 0 {
		return -1
	}
	return strings.Index(name, "::")
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

// Origin returns where the code of the frame comes from, by its name and file
// alone. Package main is the program's own; of other packages, those whose file's
// path has neither a version nor a vendor folder. So a folder that stands in for a
// module counts as own, and where a profile has no files, every module does. See
// [Origins] for programs that are themselves built from a module's version.
func (f *Frame) Origin() Origin { return f.origin(f.Package()) }

// Place returns Package and Origin, which needs the package, too.
func (f *Frame) Place() (pkg string, origin Origin) {
	pkg = f.Package()
	return pkg, f.origin(pkg)
}

// origin is Origin of a frame in package pkg.
func (f *Frame) origin(pkg string) Origin {
	if of, folded := foldedFrame(f.Name); folded {
		// It would not be folded if it were the program's own.
		if o := of.Origin(); o != OriginOwn {
			return o
		}
		return OriginThirdParty
	}
	if f.File != "" && !strings.HasSuffix(f.File, ".go") && !strings.HasSuffix(f.File, ".s") && f.Name != f.File {
		return OriginOther
	}
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case pkg == "" || strings.HasPrefix(pkg, "[") || namespaceEnd(f.Name) >= 0:
		return OriginOther
	case pkg == "runtime" || strings.HasPrefix(pkg, "runtime/internal") || strings.HasPrefix(pkg, "internal/runtime/"):
		return OriginRuntime
	case standard[first] && !strings.Contains(first, "."):
		return OriginStandard
	case pkg == "main" && path.Base(f.File) == "_testmain.go": // go test writes it
		return OriginStandard
	case pkg == "main":
		return OriginOwn
	case strings.Contains(f.File, "@v"), strings.Contains(f.File, "/vendor/"), strings.HasPrefix(f.File, "vendor/"):
		return OriginThirdParty
	case f.File == "" && !strings.Contains(f.Name, "."):
		return OriginOther
	}
	return OriginOwn
}

// Origins tells where frames of one program come from. Unlike [Frame.Origin], it
// knows the program's own module where that lies in the module cache, as go install
// PATH@VERSION builds programs.
type Origins struct {
	roots []string // of such modules, with the slash at the end
}

// maxRoots bounds the time that a hostile profile takes. A program has one module,
// and a sum of profiles that of each version.
const maxRoots = 64

// OriginsOf returns the origins of a program that has the frames.
func OriginsOf(frames iter.Seq[*Frame]) Origins {
	var o Origins
	for f := range frames {
		at := strings.Index(f.File, "@v")
		if at < 0 || f.Package() != "main" || len(o.roots) == maxRoots {
			continue
		}
		if slash := strings.IndexByte(f.File[at:], '/'); slash > 0 && !o.inRoot(f.File) {
			o.roots = append(o.roots, f.File[:at+slash+1])
		}
	}
	return o
}

// Of returns where the code of a frame comes from.
func (o Origins) Of(f *Frame) Origin {
	origin := f.Origin()
	if origin == OriginThirdParty && o.inRoot(f.File) {
		if _, folded := foldedFrame(f.Name); !folded {
			return OriginOwn
		}
	}
	return origin
}

func (o Origins) inRoot(file string) bool {
	return slices.ContainsFunc(o.roots, func(root string) bool { return strings.HasPrefix(file, root) })
}

// Origins returns the origins of the program that the profile is of.
func (p *Profile) Origins() Origins {
	return OriginsOf(func(yield func(*Frame) bool) {
		for i := range p.Functions {
			if !yield(p.FunctionFrame(uint32(i))) {
				return
			}
		}
	})
}

// Origins returns the origins of the programs whose frames the table has.
func (t *FrameTable) Origins() Origins {
	return OriginsOf(func(yield func(*Frame) bool) {
		for f := range t.Len() {
			if frame := t.Frame(uint32(f)); !yield(&frame) {
				return
			}
		}
	})
}

// FunctionFrame returns function f as a frame without a place in it: what [Origins.Of] looks at.
func (p *Profile) FunctionFrame(f uint32) *Frame {
	return &Frame{Name: p.FunctionName(f), File: p.Strings[p.Functions[f].File]}
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

// Frames that FoldForeign makes have names that no function has:
//
//	main.search via regexp.MustCompile    what main.search spends in the regexp.MustCompile it calls
//	library: net/http                     what no code of yours called: a goroutine that a library started
//	runtime: garbage collection           the same of the runtime; see backgroundKinds
const (
	viaMark       = " via "
	libraryPrefix = "library: "
	runtimePrefix = "runtime: "
)

// foldedFrame returns the foreign frame that one made by FoldForeign stands for.
// folded is false for all others.
func foldedFrame(name string) (of Frame, folded bool) {
	if strings.IndexByte(name, ' ') < 0 {
		return Frame{}, false // as are nearly all, and each frame of an answer is asked
	}
	switch {
	case strings.HasPrefix(name, runtimePrefix):
		return Frame{Name: "runtime."}, true
	case strings.HasPrefix(name, libraryPrefix):
		pkg := name[len(libraryPrefix):]
		if strings.HasPrefix(pkg, "[") || pkg == unknownName {
			return Frame{Name: pkg}, true
		}
		slash := strings.LastIndexByte(pkg, '/') + 1
		return Frame{Name: pkg[:slash] + strings.ReplaceAll(pkg[slash:], ".", "%2e") + "."}, true
	}
	if _, callee, ok := strings.Cut(name, viaMark); ok {
		return Frame{Name: callee}, true
	}
	return Frame{}, false
}
