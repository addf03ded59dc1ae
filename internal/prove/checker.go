package prove

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
)

// A checker builds, vets and tests the states of a copy.
type checker struct {
	*scratchCopy
	buildFlags []string      // for all go commands that build
	testFlags  []string      // for go test
	callTime   time.Duration // for all calls of a program; see [differ.Runner]
	stage      func(stage, what string)
}

// A goRun is a go command that ended.
type goRun struct {
	output []byte
	failed bool
}

// run runs the go command in the module of the state that is checked out.
func (c *checker) run(ctx context.Context, verb string, args ...string) (goRun, error) {
	flags := slices.Clone(c.buildFlags)
	if verb != "test" {
		flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-vet=") })
	}
	command := c.Go(c.Side, slices.Concat([]string{verb, "-buildvcs=false"}, flags, args)...)
	command.Dir = c.module
	out, err := command.CombinedOutput(ctx)
	if ctx.Err() != nil {
		return goRun{}, ctx.Err()
	}
	return goRun{out, err != nil}, nil
}

// runOnBase is run on the base, of those packages that it has. The candidate is checked out
// again afterwards.
func (c *checker) runOnBase(ctx context.Context, of *candidate, packages []string, verb string, args ...string) (goRun, error) {
	if err := c.checkOut(ctx, c.Base); err != nil {
		return goRun{}, err
	}
	command := c.Go(c.Side, "-e", "./...")
	command.Dir = c.module
	all, err := gocmd.List[listed](ctx, command)
	if err != nil {
		return goRun{}, err
	}
	packages = slices.DeleteFunc(slices.Clone(packages), func(p string) bool { return !slices.Contains(paths(all), p) })
	var r goRun
	if len(packages) > 0 {
		if r, err = c.run(ctx, verb, append(args, packages...)...); err != nil {
			return goRun{}, err
		}
	}
	return r, c.checkOut(ctx, of.tree)
}
