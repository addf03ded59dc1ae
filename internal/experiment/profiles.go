package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment/benchtext"
)

// findProfiles lists profiles by walking the directory, so that partial runs
// show theirs as well.
func findProfiles(dir string) (files []ProfileFile, problems []string, err error) {
	root := filepath.Join(dir, profilesDir)
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		kind, isProfile := strings.CutSuffix(d.Name(), profileExt)
		if !isProfile {
			if kind, isProfile = strings.CutSuffix(d.Name(), traceExt); !isProfile || !strings.HasSuffix(kind, traceKind) {
				return nil
			}
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			problems = append(problems, file+" is not a regular file and is left out")
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(rel))
		p := ProfileFile{Path: file, Side: Head, Kind: kind}
		if p.Package, p.Benchmark, err = unfolder(folder); err != nil {
			return &CorruptError{file, 0, -1, err}
		}
		if side, kind, ok := strings.Cut(p.Kind, "."); ok {
			switch side {
			case Base.String():
				p.Side = Base
			case Head.String():
			default:
				return &CorruptError{file, 0, -1, fmt.Errorf("unknown side %q", side)}
			}
			p.Kind = kind
		}
		files = append(files, p)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, problems, err
}

// ProfileName is the shortest name by which Profile finds a profile, but for the
// CPU count.
func (r *Run) ProfileName(f ProfileFile) string {
	name := f.Benchmark + "/" + f.Kind
	for _, other := range r.Profiles() {
		if other.Package != f.Package && other.Benchmark == f.Benchmark && f.Package != "" {
			name = f.Package + "." + name
			break
		}
	}
	if r.Base != nil && f.Side == Base {
		name = f.Side.String() + "/" + name
	}
	return name
}

// Profile finds a profile by what a user types: benchmark and kind as in
// "Parse/short-4/cpu". The benchmark may be given without its CPU count and
// with the leading "Benchmark"; the side as "base/Parse/cpu", else it is Head.
func (r *Run) Profile(name string) (ProfileFile, error) {
	side := Head
	if rest, ok := strings.CutPrefix(name, Base.String()+"/"); ok && r.Base != nil {
		side, name = Base, rest
	} else if rest, ok := strings.CutPrefix(name, Head.String()+"/"); ok && r.Base != nil {
		name = rest
	}
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ProfileFile{}, fmt.Errorf("profile %q: want BENCHMARK/KIND, for example %s", name, r.exampleProfile())
	}
	benchmark, kind := strings.TrimPrefix(name[:i], "Benchmark"), name[i+1:]
	var found, exact []ProfileFile
	var kinds []string // of that benchmark
	for _, f := range r.files {
		full := f.Benchmark
		if f.Package != "" && strings.HasPrefix(benchmark, f.Package+".") {
			full = f.Package + "." + full
		}
		if f.Side != side || full != benchmark && benchtext.WithoutProcs(full) != benchmark {
			continue
		}
		kinds = append(kinds, f.Kind)
		if f.Kind == kind {
			found = append(found, f)
			if full == benchmark {
				exact = append(exact, f)
			}
		}
	}
	if len(exact) > 0 {
		found = exact // X/n-2 is not X/n-2-1
	}
	switch len(found) {
	case 0:
		if len(kinds) > 0 {
			return ProfileFile{}, fmt.Errorf("run %s has no %s profile of %s: there are %s", r.ID, kind, benchmark, strings.Join(slices.Compact(slices.Sorted(slices.Values(kinds))), ", "))
		}
		return ProfileFile{}, fmt.Errorf("run %s has no %s profile of %s; it has, for example, %s", r.ID, kind, benchmark, r.exampleProfile())
	case 1:
		return found[0], nil
	}
	return ProfileFile{}, fmt.Errorf("profile %q is not unique in run %s: %s.%s/%s and %s.%s/%s", name, r.ID,
		found[0].Package, found[0].Benchmark, kind, found[1].Package, found[1].Benchmark, kind)
}

func (r *Run) exampleProfile() string {
	if len(r.files) == 0 {
		return "none"
	}
	return r.files[0].Benchmark + "/" + r.files[0].Kind
}
