package bench

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/workspace"
)

// buildsUntracked reports whether the head is built of a file that git neither
// tracks nor ignores: what is measured is then not its commit. Untracked files
// that are no part of a build, such as notes, say nothing; nor do those that git
// ignores, such as generated code, which every run would have.
func (r *runner) buildsUntracked(ctx context.Context) (bool, error) {
	untracked, err := r.Untracked(ctx)
	if err != nil {
		return false, err
	}
	if len(untracked) == 0 {
		return false, nil
	}
	files, err := r.buildFiles(ctx, r.Sides[experiment.Head])
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(files, func(file string) bool { return untracked[file] }), nil
}

// A builtPackage is a package as go list prints it, with all files that it is built of.
type builtPackage struct {
	Dir      string
	Standard bool
	Module   *struct{ GoMod string }

	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles, EmbedFiles []string
}

// buildFiles returns the paths, without symbolic links to folders, of what the
// test binaries of a side are built of, and of what says how.
func (r *runner) buildFiles(ctx context.Context, s workspace.Side) ([]string, error) {
	// Test files are in the list twice: as test files and, by -test, in the package
	// that is built with them.
	const fields = "Dir,Standard,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles"
	args := append([]string{"-e", "-deps", "-test", "-json=" + fields}, ListFlags(r.BuildFlags)...)
	all, err := gocmd.List[builtPackage](ctx, r.Go(s, append(append(args, "--"), r.patterns()...)...))
	if err != nil {
		return nil, err
	}
	files := []string{r.Tool.Work}
	for _, p := range all {
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
