package prove

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/bench/benchgen"
	"github.com/hone-go/hone/internal/differ"
	"github.com/hone-go/hone/internal/gocmd"
)

// compareResults calls the exported functions of changed packages in two versions. Tests pass for what they ask: they rarely ask for
// all that callers rely on.
func (c *checker) compareResults(ctx context.Context, e *examined) (*differ.Compared, error) {
	if e.check.State == Wrong || len(e.functions) == 0 && !e.elsewhere {
		return nil, nil
	}
	c.stage("compare results", e.name)
	changed := differ.Changed{Packages: paths(e.changed), Whole: e.elsewhere}
	for _, f := range e.functions {
		changed.Functions = append(changed.Functions, differ.Name(f.Package, f.Name))
	}
	var err error
	if changed.Files, err = c.changedFiles(ctx, e); err != nil {
		return nil, err
	}
	if err := c.checkOut(ctx, c.Base); err != nil {
		return nil, err
	}
	programs, why, err := differ.Write(ctx, c.module, bench.ListFlags(c.buildFlags), changed)
	if err != nil {
		return nil, err
	}
	compared := differ.NotCompared(why)
	if len(programs) > 0 {
		r := differ.Runner{Scratch: c.Scratch, Env: c.Tool.TestEnv, Time: c.callTime, Build: func(ctx context.Context, p *differ.Program, changed bool, file string) (string, error) {
			if changed {
				return c.buildCalls(ctx, e.tree, "it", p, file)
			}
			return c.buildCalls(ctx, c.Base, "the base", p, file)
		}}
		if compared, err = r.Compare(ctx, programs); err != nil {
			return nil, err
		}
		if why != "" {
			compared.Why = why
		}
	}
	return compared, c.checkOut(ctx, e.tree)
}

// changedFiles are the Go files of a candidate's packages that it changes, except tests.
func (c *checker) changedFiles(ctx context.Context, e *examined) (all []differ.File, err error) {
	for _, f := range e.files {
		i := slices.IndexFunc(e.changed, func(p listed) bool { return c.folder(p) == path.Dir(f.path) })
		if i < 0 || path.Ext(f.path) != ".go" || isTest(f.path) {
			continue
		}
		one := differ.File{Package: e.changed[i].ImportPath, Name: f.path}
		for tree, text := range map[string]*[]byte{c.Base: &one.Before, e.tree: &one.Now} {
			if *text, err = c.fileIn(ctx, tree, f.path); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// fileIn is the text of a file in a tree, nil if it has none.
func (c *scratchCopy) fileIn(ctx context.Context, tree, name string) ([]byte, error) {
	found, err := c.git(ctx, nil, nil, "ls-tree", tree, "--", ":(top,literal)"+name)
	if err != nil || found == "" {
		return nil, err
	}
	text, err := c.git(ctx, nil, nil, "cat-file", "blob", tree+":"+name)
	return []byte(text), err
}

// buildCalls builds a program in a state of the code.
func (c *checker) buildCalls(ctx context.Context, tree, name string, p *differ.Program, file string) (why string, err error) {
	rel, err := filepath.Rel(c.module, p.Dir)
	if err != nil {
		return "", err
	}
	folder := path.Join(c.prefix, filepath.ToSlash(rel), differ.Folder)
	var files []newFile
	for name, text := range p.Files {
		files = append(files, newFile{benchgen.File{Text: text}, p.Package, path.Join(folder, name)})
	}
	with, err := c.with(ctx, tree, files)
	if err != nil {
		return "", err
	}
	if err := c.checkOut(ctx, with); err != nil {
		return "", err
	}
	r, err := c.run(ctx, "build", "-o", file, p.Package+"/"+differ.Folder)
	if err == nil && r.failed {
		why = "calls of exported functions don't build with " + name + ": " + gocmd.LastLine(r.output)
	}
	return why, err
}

// judgeResults says of a candidate that returns something else than the base that it is different.
func judgeResults(check Check, compared *differ.Compared) Check {
	if compared == nil || check.State == Wrong || len(compared.Differences) == 0 {
		return check
	}
	if seen := compared.Seen(); seen != nil {
		check.State, check.Why = Different, check.Why+", but it answers otherwise than the base: "+seen.String()
		return check
	}
	if check.State == Right {
		check.State = Untested
	}
	check.Why += ", but values that it returns differ inside from the base's, which callers may notice: " + compared.Differences[0].String()
	return check
}
