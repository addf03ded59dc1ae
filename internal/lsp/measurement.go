package lsp

import (
	"context"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// A Measurement has the profiles of a module's newest run, or of a service.
type Measurement struct {
	Name    string // "run 20261121-093000-00bb", "service checkout"
	Version string // "91bc04aa, uncommitted changes", "v1.2.3"; "" if unknown
	// Revision is what git may know the measured source by: a commit, a tag or a version. "" if unknown.
	Revision string
	// Dirty means that the source had changes that aren't in Revision.
	Dirty bool
	Taken time.Time // when it began; zero if unknown
	// Kind is what the subjects are: "benchmark". "" if there is one subject only.
	Kind       string
	Profiles   []Profile
	Benchmarks map[string]tune.Benchmark // by subject
}

// A Profile is one of a measurement.
type Profile struct {
	advice.Input
	ID string // as pages have it
}

// A Source gives a server its measurements. It may be called concurrently.
type Source interface {
	// Stamp changes when Load would return something else than before. It takes microseconds.
	Stamp(home string) string
	// Load returns what is known about the modules of a folder with runs. The error says what to do if there is nothing.
	Load(ctx context.Context, home string, s Settings) (*Measurement, error)
	// Page returns the address of a page that shows a function of a profile.
	Page(ctx context.Context, home, profile, function string) (string, error)
}

// A measured is a Measurement that is prepared for questions about files. It is shared.
type measured struct {
	*Measurement
	bases []map[string][]uint32 // by profile: functions by the last element of their file
	mu    sync.Mutex
	files map[string]func() *recordedFile // by path
}

// prepare indexes profiles.
func prepare(m *Measurement) *measured {
	p := &measured{Measurement: m, files: make(map[string]func() *recordedFile)}
	for _, of := range m.Profiles {
		by := make(map[string][]uint32)
		for i, f := range of.Profile.Functions {
			if file := of.Profile.Strings[f.File]; strings.HasSuffix(file, ".go") {
				base := baseOf(file)
				by[base] = append(by[base], uint32(i))
			}
		}
		p.bases = append(p.bases, by)
	}
	return p
}

// baseOf is the last element of a file's name, which may be of another operating system.
func baseOf(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// A matcher tells which functions of profiles are in a file of a module. It compares names and reads no file: profiles may come from
// other machines.
type matcher struct {
	file, real string // absolute
	rel        string // in the module, with slashes
	module     string // path
	pkg        string // import path
}

func (m *module) matcher(file string) matcher {
	rel := m.rel(file)
	return matcher{file: slashes(file), real: slashes(m.real) + "/" + rel, rel: rel, module: m.path, pkg: m.packageOf(rel)}
}

func slashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// matches reports whether a function with the same last element of its file is in the file.
func (m *matcher) matches(function, file string) bool {
	file = slashes(file)
	if file == m.file || file == m.real || file == m.module+"/"+m.rel { // the last is that of go build -trimpath
		return true
	}
	switch pkg := packageOf(function); pkg {
	case m.pkg, m.pkg + "_test":
		return true
	case "main":
		folder := path.Dir(m.rel)
		if folder == "." {
			folder = path.Base(m.module)
		}
		return strings.HasSuffix(path.Dir(file), "/"+folder)
	}
	return false
}

// packageOf is the import path of a function as profiles name it. The linker escapes dots in the last element.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // type arguments have paths, too
	slash := strings.LastIndexByte(function, '/')
	dot := strings.IndexByte(function[slash+1:], '.')
	if dot < 0 {
		return ""
	}
	return strings.ReplaceAll(function[:slash+1+dot], "%2e", ".")
}

// symbolOf is a function's name in its package: "(*T).M.func1".
func symbolOf(function string) string {
	bracket := strings.IndexByte(function, '[')
	if bracket < 0 {
		bracket = len(function)
	}
	slash := strings.LastIndexByte(function[:bracket], '/')
	_, symbol, _ := strings.Cut(function[slash+1:], ".")
	return symbol
}
