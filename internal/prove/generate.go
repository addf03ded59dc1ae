package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/bench/benchgen"
)

// Written are benchmarks that were written from the base's tests to measure a candidate.
type Written struct {
	Package    string   `json:"package"`
	Benchmarks []string `json:"benchmarks"`
	Patch      string   `json:"patch"` // for git apply at the top of the repository
}

// A newFile is a test file with benchmarks for a package.
type newFile struct {
	benchgen.File
	pkg  string // import path
	path string // from the top of the repository
}

// generated are the benchmarks written for candidates that had none.
type generated struct {
	files   []newFile
	refused []benchgen.Refusal
}

// generate writes benchmarks from the tests of the base, so that a candidate can't choose what it is measured by.
func (c *checker) generate(ctx context.Context, lacking []*plan) (*generated, error) {
	if err := c.checkOut(ctx, c.Base); err != nil {
		return nil, err
	}
	wanted := make(map[string]bool)
	for _, one := range lacking {
		for _, p := range one.dependents {
			wanted[p.ImportPath] = true
		}
	}
	packages, err := c.list(ctx, c.buildFlags)
	if err != nil {
		return nil, err
	}
	g := new(generated)
	for _, p := range packages {
		if !wanted[p.ImportPath] || len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		c.stage("write benchmarks", p.ImportPath)
		made, err := benchgen.Generate(ctx, c.module, bench.ListFlags(c.buildFlags), []string{p.ImportPath})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			g.refused = append(g.refused, benchgen.Refusal{Function: p.ImportPath, Why: err.Error()})
			continue
		}
		g.refused = append(g.refused, made.Refused...)
		for _, f := range made.Files {
			g.files = append(g.files, newFile{f, p.ImportPath, path.Join(c.folder(p), filepath.Base(f.Name))})
		}
	}
	return g, nil
}

// extend adds to a plan those benchmarks that execute what its candidate changes.
func (c *checker) extend(ctx context.Context, one *plan, made *generated) (err error) {
	for _, r := range made.refused {
		if slices.ContainsFunc(one.functions, func(f Function) bool { return plainName(f.Name) == r.Function }) || strings.Contains(r.Function, "/") {
			one.refused = append(one.refused, r.Function+": "+r.Why)
		}
	}
	if err := c.checkOut(ctx, one.examined.tree); err != nil {
		return err
	}
	available, own := make(selection), benchmarksIn(ctx, one.dependents)
	var files []newFile
	for _, f := range made.files {
		if c.clashes(f, own[f.pkg]) {
			continue
		}
		files = append(files, f)
		available[f.pkg] = append(available[f.pkg], f.Benchmarks...)
	}
	if len(files) == 0 {
		return nil
	}
	if one.tree, err = c.with(ctx, one.examined.tree, files); err != nil {
		return err
	}
	if len(one.benchmarks) > 0 {
		return nil // it has its own; others are compared with it
	}
	if err := c.checkOut(ctx, one.tree); err != nil {
		return err
	}
	if one.benchmarks, err = c.choose(ctx, one.examined, false, available); err != nil {
		return err
	}
	for _, f := range files {
		measured := slices.DeleteFunc(slices.Clone(f.Benchmarks), func(name string) bool { return !slices.Contains(one.benchmarks[f.pkg], name) })
		if len(measured) > 0 {
			one.written = append(one.written, Written{f.pkg, measured, f.Diff(c.Side.Top)})
		}
	}
	return nil
}

// clashes reports whether the candidate that is checked out has the file, or one of its benchmarks.
func (c *checker) clashes(f newFile, own []string) bool {
	_, err := os.Lstat(filepath.Join(c.Side.Top, filepath.FromSlash(f.path)))
	return !errors.Is(err, os.ErrNotExist) || slices.ContainsFunc(f.Benchmarks, func(name string) bool { return slices.Contains(own, name) })
}

// with is a tree that also has new files.
func (c *scratchCopy) with(ctx context.Context, tree string, files []newFile) (string, error) {
	env, done, err := c.index(ctx, tree)
	defer done()
	if err != nil {
		return "", err
	}
	for _, f := range files {
		object, err := c.git(ctx, nil, f.Text, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		if _, err := c.git(ctx, env, nil, "update-index", "--add", "--cacheinfo", fmt.Sprintf("100644,%s,%s", object, f.path)); err != nil {
			return "", err
		}
	}
	return c.git(ctx, env, nil, "write-tree")
}

// plainName is the name of a method without parentheses: "Parser.Next" of "(*Parser).Next".
func plainName(name string) string { return strings.NewReplacer("(*", "", ")", "").Replace(name) }
