package samecode

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A listedPackage is what go list says.
type listedPackage struct {
	ImportPath, Dir, Name, ForTest, DefaultGODEBUG string

	Standard bool
	Module   *struct {
		Path, Version, Dir, GoVersion string

		Replace *struct{ Path, Version string }
	}
	Deps  []string
	Error *struct{ Err string }

	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles, EmbedFiles []string
}

const listed = "ImportPath,Dir,Name,ForTest,DefaultGODEBUG,Standard,Module,Deps,Error," +
	"GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles"

// list returns the units of the tests of packages.
func list(ctx context.Context, state *State, flags, packages []string) (map[string]*unit, error) {
	args := append([]string{"list", "-e", "-deps", "-test", "-json=" + listed}, flags...)
	out, err := state.Go(ctx, io.Discard, append(append(args, "--"), packages...)...)
	if err != nil {
		return nil, err
	}
	units := make(map[string]*unit)
	in := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listedPackage
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return units, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil {
			continue // the base has no such package, or it did not build and nobody asks
		}
		u, err := newUnit(&p, state.Overlay)
		if err != nil {
			return nil, err
		}
		units[u.name] = u
	}
}

func newUnit(p *listedPackage, overlay map[string]string) (*unit, error) {
	path := pathOf(p.ImportPath)
	u := &unit{
		name: p.ImportPath, path: path, prefix: symbolPrefix(path), deps: p.Deps, godebug: p.DefaultGODEBUG,
		empty: len(p.GoFiles)+len(p.CgoFiles) == 0,
		local: !p.Standard && (p.Module == nil || p.Module.Version == "" || p.Module.Replace != nil && p.Module.Replace.Version == ""),
	}
	if p.Name == "main" && !isTestMain(u.name) {
		// The compiler is given a profile by default, for all that the test imports.
		if _, err := os.Stat(filepath.Join(p.Dir, "default.pgo")); err == nil {
			return nil, fmt.Errorf("%w: %s has a default.pgo", ErrUnknown, p.ImportPath)
		}
	}
	if p.Standard || isTestMain(u.name) {
		return u, nil
	}
	if m := p.Module; m != nil && m.Dir != "" && !u.local {
		// Out of the module cache, where versions don't change. A vendored package has
		// a version, too, but no folder, and what is in it may have been edited.
		version := m.Path + "@" + m.Version
		if m.Replace != nil {
			version = m.Replace.Path + "@" + m.Replace.Version
		}
		u.source = sha256.Sum256([]byte(version))
	} else if err := u.hashFiles(p, overlay); err != nil {
		return nil, err
	}
	if err := u.hashOther(p, overlay); err != nil {
		return nil, err
	}
	return u, nil
}

func (u *unit) hashFiles(p *listedPackage, overlay map[string]string) error {
	h := sha256.New()
	if p.Module != nil {
		fmt.Fprintf(h, "go %q\n", p.Module.GoVersion) // decides what the language is
	}
	for _, names := range [][]string{p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles, p.EmbedFiles} {
		for _, name := range append(names, "") {
			if err := hashFile(h, overlay, p.Dir, name); err != nil {
				return err
			}
		}
	}
	h.Sum(u.source[:0])
	return nil
}

// maxOther bounds files that become part of a binary, as embedded ones do: it is read as a
// whole.
const maxOther = 1 << 30

func hashFile(h io.Writer, overlay map[string]string, dir, name string) error {
	var text []byte
	if name != "" {
		file := inDir(dir, name)
		if instead := overlay[file]; instead != "" {
			file = instead
		}
		var err error
		if text, err = infile.ReadFile(context.Background(), file, maxOther); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(h, "%q %d\n%s", name, len(text), text)
	return err
}

func inDir(dir, name string) string {
	if filepath.IsAbs(name) {
		return name // generated
	}
	return filepath.Join(dir, name)
}

var (
	includesGo   = lazyregexp.New(`(?m)^\s*#\s*include\s+"go_asm\.h"`)
	assemblyName = lazyregexp.New(`([\pL\pN_/∕.·%]*)·([\pL\pN_]+)(?:<ABIInternal>)?\(SB\)`)
)

// hashOther looks at what is compiled by others than the Go compiler, and at embedded
// files.
func (u *unit) hashOther(p *listedPackage, overlay map[string]string) error {
	embedded := sha256.New()
	for _, name := range p.EmbedFiles {
		if err := hashFile(embedded, overlay, p.Dir, name); err != nil {
			return err
		}
	}
	embedded.Sum(u.embedded[:0])
	names := slices.Concat(p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles, p.CgoFiles)
	if len(names) == 0 {
		return nil
	}
	u.hasOther = true
	h := sha256.New()
	// C is in Go files, too, and calls what Go exports to it.
	whole := len(p.CgoFiles)+len(p.SwigFiles)+len(p.SwigCXXFiles) > 0
	for _, name := range names {
		if err := hashFile(h, overlay, p.Dir, name); err != nil {
			return err
		}
	}
	for _, name := range append(slices.Clone(p.SFiles), p.HFiles...) {
		text, err := infile.ReadFile(context.Background(), inDir(p.Dir, name), infile.MaxSource)
		if err != nil {
			return err
		}
		// go_asm.h has the package's constants and the offsets of fields.
		whole = whole || includesGo.Match(text)
		for _, m := range assemblyName.Get().FindAllSubmatch(text, -1) {
			pkg, name := strings.ReplaceAll(string(m[1]), "∕", "/"), string(m[2])
			if pkg == "" {
				pkg = u.path
			}
			u.fromAssembly = append(u.fromAssembly, symbolPrefix(strings.ReplaceAll(pkg, "·", "."))+"."+name)
		}
	}
	if whole {
		h.Write(u.source[:])
	}
	h.Sum(u.other[:0])
	return nil
}

// visibleUnits returns the units whose code may differ: those that differ in their
// files, or that one side alone has, and all that import one of them. Of the others
// the compiler makes the same on both sides.
func visibleUnits(lists [2]map[string]*unit) map[string]bool {
	visible := make(map[string]bool)
	for s, units := range lists {
		for name, u := range units {
			other := lists[1-s][name]
			if !isTestMain(name) && (other == nil || other.source != u.source) {
				visible[name] = true
			}
		}
	}
	changed := make(map[string]bool)
	for name := range visible {
		changed[name] = true
	}
	tests := make(map[string]bool) // packages with a test that has something visible
	for _, units := range lists {
		for name, u := range units {
			if slices.ContainsFunc(u.deps, func(d string) bool { return changed[d] }) {
				visible[name] = true
			}
			if visible[name] && isTestMain(name) {
				tests[strings.TrimSuffix(u.path, ".test")] = true
			}
		}
	}
	// Benchmarks are looked for in the listing, also if theirs is the same.
	for _, units := range lists {
		for name, u := range units {
			if tests[u.path] || tests[strings.TrimSuffix(u.path, "_test")] && strings.Contains(name, " [") {
				visible[name] = true
			}
		}
	}
	return visible
}
