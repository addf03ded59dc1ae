package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
)

// buildsUntracked reports whether the head is built of a file that git neither
// tracks nor ignores: what is measured is then not its commit. Untracked files
// that are no part of a build, such as notes, say nothing; nor do those that git
// ignores, such as generated code, which every run would have.
func (m *bencher) buildsUntracked(ctx context.Context) (bool, error) {
	s := m.sides[experiment.Head]
	repo, err := findRepository(ctx, s.dir)
	if err != nil {
		return false, err
	}
	out, err := repo.git(ctx, repo.top, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return false, err
	}
	untracked := make(map[string]bool)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" {
			untracked[filepath.Join(repo.top, filepath.FromSlash(name))] = true
		}
	}
	if len(untracked) == 0 {
		return false, nil
	}
	files, err := m.buildFiles(ctx, s)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(files, func(file string) bool { return untracked[file] }), nil
}

// buildFiles returns the paths, without symbolic links to folders, of what the
// test binaries of a side are built of, and of what says how.
func (m *bencher) buildFiles(ctx context.Context, s side) ([]string, error) {
	// Test files are in the list twice: as test files and, by -test, in the package
	// that is built with them.
	const fields = "Dir,Standard,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles"
	args := append([]string{m.tool.path, "list", "-e", "-deps", "-test", "-json=" + fields}, ListFlags(m.BuildFlags)...)
	o, err := m.scratch.run(ctx, process{dir: s.dir, env: s.env, whole: true, args: append(append(args, "--"), m.patterns()...)})
	if err != nil {
		return nil, err
	}
	if o.err != nil {
		return nil, fmt.Errorf("go list: %s", orText(excerpt(o.stderr, 10, 0), o.err))
	}
	files := []string{m.tool.work}
	in := json.NewDecoder(bytes.NewReader(o.stdout))
	for {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct{ GoMod string }

			GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles, EmbedFiles []string
		}
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Standard {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles,
			p.SwigFiles, p.SwigCXXFiles, p.SysoFiles, p.EmbedFiles) {
			if !filepath.IsAbs(name) { // else it is generated
				name = filepath.Join(p.Dir, name)
			}
			files = append(files, name)
		}
		if p.Module != nil && p.Module.GoMod != "" {
			files = append(files, p.Module.GoMod)
		}
	}
	for i, file := range files {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
			files[i] = filepath.Join(dir, filepath.Base(file))
		}
	}
	return files, nil
}
