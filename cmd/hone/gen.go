package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/bench/benchgen"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/shell"
)

// genHelp documents genFlags in the help of verbs.
const genHelp = `Flags to write benchmarks, instead of measuring:

  -gen            print, as a patch, a benchmark for each exported function that tests or
                  Examples call, with their inputs; say why for those that get none
  -write          with -gen: write them into new test files instead
`

// genFlags are the flags that write benchmarks from tests.
type genFlags struct{ gen, write bool }

func (g *genFlags) define(fs *flag.FlagSet) {
	fs.BoolVar(&g.gen, "gen", false, "")
	fs.BoolVar(&g.write, "write", false, "")
}

// check returns an error if the flags can't be used together.
func (g *genFlags) check(verb string) error {
	if g.write && !g.gen {
		return &shell.UsageError{Verb: verb, Err: errors.New("-write needs -gen")}
	}
	return nil
}

// run generates the benchmarks of packages, and prints or writes them.
func (g *genFlags) run(ctx context.Context, a *app, buildFlags []string, patterns []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	made, err := benchgen.Generate(ctx, dir, bench.ListFlags(buildFlags), patterns)
	if err != nil {
		return err
	}
	switch {
	case len(made.Files) > 0:
		for _, r := range made.Refused {
			a.warn(fmt.Sprintf("hone: no benchmark for %s: %s", r.Function, r.Why))
		}
	case len(made.Refused) > 0:
		var all []string
		for _, r := range made.Refused {
			all = append(all, r.Function+" ("+r.Why+")")
		}
		return fmt.Errorf("no benchmarks to write: tests can't be repeated for %s; hone advise -tests profiles the tests", strings.Join(all, ", "))
	default:
		return errors.New("no benchmarks to write: tests call no exported function that lacks one; hone advise -tests profiles the tests")
	}
	for i := range made.Files {
		f := &made.Files[i]
		if !g.write {
			if _, err := io.WriteString(a.stdout, f.Diff(dir)); err != nil {
				return err
			}
			continue
		}
		if err := f.Write(); err != nil {
			return err
		}
		name := f.Name
		if rel, err := filepath.Rel(dir, name); err == nil {
			name = rel
		}
		fmt.Fprintf(a.stdout, "Wrote %s: %s\n", name, compare.Counted(len(f.Benchmarks), "benchmark"))
	}
	if g.write {
		fmt.Fprintf(a.stdout, "\nCheck that their inputs are like those of the real program, then run\n\n  hone advise %s\n", strings.Join(patterns, " "))
	}
	return nil
}
