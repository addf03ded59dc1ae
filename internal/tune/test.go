package tune

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

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/gocmd"
)

// A ruling ends a trial before anything is measured.
type ruling struct {
	state       advice.State
	why, output string
}

// checked is what a build and tests say of a rewrite.
type checked struct {
	ends *ruling // nil if nothing speaks against it
	tested
	caveat string
}

// passes runs the tests of all packages that depend on the finding's. Tests of
// other packages that fail as they do without the rewrite, or tests that pass the second
// time, say nothing about it.
func (t *Tuner) passes(ctx context.Context, f *advice.Finding, overlay string) (checked, error) {
	packages, err := t.dependents(ctx, f.Package, f.Fix.Files)
	if err != nil {
		return checked{}, err
	}
	t.stage("test", fmt.Sprintf("%d packages", len(packages)))
	test := func(flags ...string) ([]byte, error) {
		args := append([]string{"test"}, flags...)
		args = append(append(args, t.Bench.BuildFlags...), t.TestFlags...)
		return t.runGo(ctx, append(args, packages...)...)
	}
	out, err := test("-overlay=" + overlay)
	if ctx.Err() != nil {
		return checked{}, ctx.Err()
	}
	if err == nil {
		covered, err := t.cover(ctx, f, test)
		return checked{tested: covered}, err
	}
	t.stage("test", "without the rewrite")
	if before, err := test("-count=1"); err != nil {
		if ctx.Err() != nil {
			return checked{}, ctx.Err()
		}
		was := gocmd.FailedTests(before)
		if !slices.Contains(was, "FAIL "+f.Package) && slices.Equal(was, gocmd.FailedTests(out)) {
			covered, err := t.cover(ctx, f, test)
			return checked{tested: covered, caveat: "tests of other packages fail with and without the rewrite: " + list(was)}, err
		}
		return checked{ends: &ruling{advice.Inconclusive, "tests also fail without the rewrite: fix them first", tail(before)}}, nil
	}
	t.stage("test", "once more")
	if _, err := test("-count=1", "-overlay="+overlay); err == nil {
		return checked{ends: &ruling{advice.Inconclusive, "tests are flaky: with the rewrite, they failed once and passed once", tail(out)}}, nil
	}
	if ctx.Err() != nil {
		return checked{}, ctx.Err()
	}
	return checked{ends: &ruling{advice.Refuted, "tests fail with the rewrite, and pass without", tail(out)}}, nil
}

// dependents returns the packages of the user's modules that depend on one, that one
// first; also those whose tests do. It is an error if the package is built without a file that changes:
// its tests would pass whatever is in it.
func (t *Tuner) dependents(ctx context.Context, path string, files []advice.FileChange) ([]string, error) {
	modules, err := t.goList(ctx, "-m")
	if err != nil {
		return nil, err
	}
	args := append([]string{"-e", "-json=ImportPath,GoFiles,Deps,TestImports,XTestImports"}, bench.ListFlags(t.Bench.BuildFlags)...)
	for m := range strings.FieldsSeq(string(modules)) {
		args = append(args, m+"/...")
	}
	args = append(args, path) // it may be in none of these: a folder may replace its module
	out, err := t.goList(ctx, args...)
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath                               string
		GoFiles, Deps, TestImports, XTestImports []string
	}
	var all []listed
	depend := map[string]bool{path: true}
	in := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
		for _, c := range files {
			if name := filepath.Base(c.File); p.ImportPath == path && !c.New && !slices.Contains(p.GoFiles, name) {
				return nil, fmt.Errorf("%s isn't part of %s in this build: use the -tags that the advice was given with", name, path)
			}
		}
		if slices.Contains(p.Deps, path) {
			depend[p.ImportPath] = true
		}
	}
	found := []string{path}
	for _, p := range all {
		tests := func(imported string) bool { return depend[imported] }
		if p.ImportPath != path && (depend[p.ImportPath] || slices.ContainsFunc(p.TestImports, tests) || slices.ContainsFunc(p.XTestImports, tests)) {
			found = append(found, p.ImportPath)
		}
	}
	return found, nil
}

// goList returns the list alone: what go says beside it, of modules that it downloads or
// patterns that match nothing, is no part of it.
func (t *Tuner) goList(ctx context.Context, args ...string) ([]byte, error) {
	out, err := gocmd.Command{Dir: t.Dir, Args: append([]string{"list"}, args...)}.Output(ctx)
	if failed := new(gocmd.Error); errors.As(err, &failed) && failed.Stderr != "" {
		return nil, fmt.Errorf("go list: %s", tail([]byte(failed.Stderr)))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
