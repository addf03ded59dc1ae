package prove

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/bench/benchgen"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/prove/differ"
	"github.com/hone-go/hone/internal/workspace"
)

// Compared says how far exported functions that reach a change return the same as those of the base, for generated inputs.
type Compared struct {
	differ.Result
	// Why says why nothing was compared, or not all.
	Why string `json:"why,omitempty"`
}

const (
	mostCompared = 4 // packages of a candidate
	callTime     = 40 * time.Second
	restarts     = 8 // after functions that end the program
	mostLarge    = 4 // calls of a function that take too much time or memory
)

// compareResults calls the exported functions of changed packages in two versions. Tests pass for what they ask: they rarely ask for
// all that callers rely on.
func (c *checker) compareResults(ctx context.Context, e *examined) (*Compared, error) {
	if e.check.State == Wrong || len(e.functions) == 0 && !e.elsewhere {
		return nil, nil
	}
	c.stage("compare results", e.name)
	programs, why, err := c.programs(ctx, e)
	if err != nil || len(programs) == 0 {
		return &Compared{Result: noResult(), Why: why}, err
	}
	whole := &Compared{Result: noResult(), Why: why}
	for n, p := range programs {
		base, again, why, err := c.callBase(ctx, n, &p)
		if err != nil {
			return nil, err
		}
		var now []byte
		if why == "" {
			now, why, err = c.callVersion(ctx, e.tree, "it", n, &p)
		}
		if err != nil {
			return nil, err
		}
		if why != "" {
			whole.Why = why
			continue
		}
		r := differ.Compare(base, again, now)
		whole.Calls += r.Calls
		whole.Functions = append(whole.Functions, r.Functions...)
		whole.Differences = append(whole.Differences, r.Differences...)
	}
	if whole.Calls == 0 && whole.Why == "" {
		whole.Why = "no input could be generated that the base answers, and always in the same way"
	}
	return whole, c.checkOut(ctx, e.tree)
}

func noResult() differ.Result {
	return differ.Result{Functions: []string{}, Differences: []differ.Difference{}}
}

// A program calls a package's functions, from a folder below the top of the repository.
type program struct {
	differ.Program
	folder string
}

// programs are written from the base.
func (c *checker) programs(ctx context.Context, e *examined) (programs []program, why string, err error) {
	if err := c.checkOut(ctx, c.Base); err != nil {
		return nil, "", err
	}
	defer func() {
		if err == nil && len(programs) == 0 {
			err = c.checkOut(ctx, e.tree)
		}
	}()
	packages, err := c.list(ctx, c.buildFlags)
	if err != nil {
		return nil, "", err
	}
	changed := differ.Changed{Packages: paths(e.changed), Whole: e.elsewhere}
	for _, f := range e.functions {
		name, _, _ := strings.Cut(plainName(f.Name), "[")
		changed.Functions = append(changed.Functions, differ.Name(f.Package, name))
	}
	patterns := sources(packages, changed.Packages)
	if len(patterns) == 0 {
		return nil, "its packages are new", nil
	}
	pure, err := c.pure(ctx, patterns)
	if err != nil {
		return nil, "", err
	}
	written, err := differ.Write(ctx, c.module, bench.ListFlags(c.buildFlags), patterns, changed, pure)
	for _, one := range written {
		i := slices.IndexFunc(packages, func(p listed) bool { return p.ImportPath == one.Package })
		programs = append(programs, program{one, path.Join(c.folder(packages[i]), differ.Folder)})
	}
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, err.Error(), nil
	case len(programs) == 0:
		return nil, "no exported function that reaches it only computes", nil
	case len(programs) > mostCompared:
		return programs[:mostCompared], fmt.Sprintf("only %d of %d packages were compared", mostCompared, len(programs)), nil
	}
	return programs, "", nil
}

// sources are packages of the module, and those of it that they import.
func sources(module []listed, changed []string) (all []string) {
	for _, p := range module {
		if !slices.Contains(changed, p.ImportPath) {
			continue
		}
		for _, other := range module {
			if other.ImportPath == p.ImportPath || slices.Contains(p.Deps, other.ImportPath) {
				all = append(all, other.ImportPath)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pure finds the packages of other modules that import nothing that acts on files, processes or the network, themselves or through
// others.
func (c *checker) pure(ctx context.Context, patterns []string) (func(pkg string) bool, error) {
	type dependency struct {
		ImportPath string
		Standard   bool
		Imports    []string
	}
	command := c.Go(c.Side, slices.Concat([]string{"-e", "-deps", "-json=ImportPath,Standard,Imports"}, bench.ListFlags(c.buildFlags), patterns)...)
	command.Dir = c.module
	all, err := gocmd.List[dependency](ctx, command)
	if err != nil {
		return nil, err
	}
	clean := make(map[string]bool) // in the order of go list -deps: what is imported comes first
	for _, p := range all {
		clean[p.ImportPath] = p.Standard && !differ.Outside(p.ImportPath) || !p.Standard && !slices.ContainsFunc(p.Imports, func(i string) bool { return !clean[i] && i != "unsafe" })
	}
	return func(pkg string) bool { return clean[pkg] }, nil
}

// callBase runs a program on the base twice: what isn't always the same says nothing.
func (c *checker) callBase(ctx context.Context, n int, p *program) (first, second []byte, why string, err error) {
	if first, why, err = c.callVersion(ctx, c.Base, "the base", n, p); err != nil || why != "" {
		return nil, nil, why, err
	}
	second, err = c.calls(ctx, c.binary(n))
	return first, second, "", err
}

func (c *checker) binary(n int) string {
	return filepath.Join(c.Scratch.Path, "calls"+strconv.Itoa(n)+".exe")
}

// callVersion builds a program in a state of the code, and runs it.
func (c *checker) callVersion(ctx context.Context, tree, name string, n int, p *program) (calls []byte, why string, err error) {
	var files []newFile
	for file, text := range p.Files {
		files = append(files, newFile{benchgen.File{Text: text}, p.Package, path.Join(p.folder, file)})
	}
	with, err := c.with(ctx, tree, files)
	if err != nil {
		return nil, "", err
	}
	if err := c.checkOut(ctx, with); err != nil {
		return nil, "", err
	}
	r, err := c.run(ctx, "build", "-o", c.binary(n), p.Package+"/"+differ.Folder)
	if err != nil {
		return nil, "", err
	}
	if r.failed {
		return nil, "calls of exported functions don't build with " + name + ": " + gocmd.LastLine(r.output), nil
	}
	calls, err = c.calls(ctx, c.binary(n))
	return calls, "", err
}

// calls runs a program. If a call ends it, it goes on after that one, or with the next function if calls of this one are too large
// again.
func (c *checker) calls(ctx context.Context, binary string) ([]byte, error) {
	dir := filepath.Join(c.Scratch.Path, "empty")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	out := binary + ".jsonl"
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	begin := time.Now()
	large := make(map[int]int) // calls that were too large, by function
	for next, call, ended := 0, 0, 0; ; ended++ {
		o, err := c.Scratch.Run(ctx, workspace.Process{
			Dir: dir, Env: append([]string{"GOMEMLIMIT=1GiB", "GOTRACEBACK=none"}, c.Tool.TestEnv...), Args: []string{binary, out, strconv.Itoa(next), strconv.Itoa(call)}, Timeout: callTime,
		})
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(out)
		if err != nil {
			return nil, nil // it ended before the first function
		}
		last, at, name := differ.Last(text)
		if o.Err == nil || last < next || last == next && at < call || ended == restarts || time.Since(begin) > callTime {
			return text, nil
		}
		next, call = last, at+1
		if !tooLarge(o) {
			text = differ.Ended(text, name, at)
			if err := os.WriteFile(out, text, 0o600); err != nil {
				return nil, err
			}
		} else if large[last]++; large[last] == mostLarge {
			next, call = last+1, 0
		}
	}
}

// tooLarge reports whether a program ended because a call takes too much time or memory, which depends on the machine.
func tooLarge(o *workspace.Outcome) bool {
	exit := (*exec.ExitError)(nil)
	return !errors.As(o.Err, &exit) || !exit.Exited() || exit.ExitCode() == differ.TooLarge || bytes.Contains(o.Stderr, []byte("out of memory"))
}

// judgeResults says of a candidate that returns something else than the base that it is different.
func judgeResults(check Check, compared *Compared) Check {
	switch {
	case compared == nil || check.State == Wrong:
	case len(compared.Differences) > 0 && compared.onlyInside():
		if check.State == Right {
			check.State = Untested
		}
		check.Why += ", but values that it returns differ inside from the base's, which callers may notice: " + compared.Differences[0].String()
	case len(compared.Differences) > 0:
		seen := slices.IndexFunc(compared.Differences, func(d differ.Difference) bool { return !d.Inside })
		check.State, check.Why = Different, check.Why+", but it answers otherwise than the base: "+compared.Differences[seen].String()
	}
	return check
}

// onlyInside reports whether no difference is one that callers see.
func (c *Compared) onlyInside() bool {
	return !slices.ContainsFunc(c.Differences, func(d differ.Difference) bool { return !d.Inside })
}
