package tune

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/differ"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/workspace"
)

// compareResults calls exported functions that reach a rewrite, with and without it, as hone prove does.
func (t *Tuner) compareResults(ctx context.Context, f *advice.Finding) (*differ.Compared, error) {
	t.stage("compare results", f.Package)
	changed, err := changedBy(f)
	if err != nil {
		return nil, err
	}
	flags := bench.ListFlags(t.Bench.BuildFlags)
	programs, why, err := differ.Write(ctx, t.Dir, flags, changed)
	if err != nil || len(programs) == 0 {
		return differ.NotCompared(why), err
	}
	scratch, err := workspace.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	r := differ.Runner{Scratch: scratch, Build: func(ctx context.Context, p *differ.Program, changed bool, file string) (string, error) {
		texts := make(map[string][]byte)
		for name, text := range p.Files {
			texts[filepath.Join(p.Dir, differ.Folder, name)] = text
		}
		if changed {
			maps.Copy(texts, f.Fix.Rewritten())
		}
		overlay, err := gocmd.OverlayTexts(scratch.Path, texts)
		if err != nil {
			return "", err
		}
		args := append([]string{"build", "-buildvcs=false", "-overlay=" + overlay, "-o", file}, flags...)
		out, err := t.runGo(ctx, append(args, p.Package+"/"+differ.Folder)...)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			return "calls of exported functions don't build: " + gocmd.LastLine(out), nil
		}
		return "", nil
	}}
	return r.Compare(ctx, programs)
}

// changedBy are the functions that a rewrite changes.
func changedBy(f *advice.Finding) (differ.Changed, error) {
	changed := differ.Changed{Packages: []string{f.Package}}
	for i := range f.Fix.Files {
		c := &f.Fix.Files[i]
		changed.Files = append(changed.Files, differ.File{Package: f.Package, Name: filepath.Base(c.File), Before: c.Before, Now: c.After})
		if c.New {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, c.File, c.Before, parser.SkipObjectResolution)
		if err != nil {
			return changed, err
		}
		lines := rewrittenLines(c)
		for _, d := range file.Decls {
			if !lines.within(fset.Position(d.Pos()).Line, fset.Position(d.End()).Line) {
				continue
			}
			switch d := d.(type) {
			case *ast.FuncDecl:
				changed.Functions = append(changed.Functions, differ.Name(f.Package, srcfind.FuncName(d)))
			case *ast.GenDecl:
				changed.Whole = changed.Whole || d.Tok != token.IMPORT
			}
		}
	}
	return changed, nil
}
