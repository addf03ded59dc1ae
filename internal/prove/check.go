package prove

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// A State says whether a change is right.
type State string

const (
	Right    State = "right"    // it builds, and tests that execute it pass
	Wrong    State = "wrong"    // it doesn't build, or vet or tests complain
	Untested State = "untested" // tests pass, but don't execute all of the changed functions, or can't tell
	// Different is a change whose tests pass, but that answers calls with generated inputs otherwise than the base.
	Different State = "different"
)

// A Check is what the compiler, vet and tests say of a candidate.
type Check struct {
	State  State    `json:"state"`
	Why    string   `json:"why"`              // a sentence
	Output string   `json:"output,omitempty"` // of what failed
	Tested []string `json:"tested"`           // packages whose tests ran
	Notes  []string `json:"notes"`            // what weakens the check
}

// check says whether a candidate, which is checked out, is right, as far as tests tell without
// coverage.
func (c *checker) check(ctx context.Context, of *candidate, a *affected) (Check, error) {
	whole := Check{State: Right, Tested: []string{}, Notes: []string{}}
	for _, step := range []func(context.Context, *candidate, *affected) (Check, error){c.builds, c.vets, c.passes, c.passesBaseTests} {
		found, err := step(ctx, of, a)
		if err != nil {
			return whole, err
		}
		whole.Notes = append(whole.Notes, found.Notes...)
		if found.State != "" {
			whole.State, whole.Why, whole.Output = found.State, found.Why, found.Output
			return whole, nil
		}
	}
	for _, p := range a.dependents {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			whole.Tested = append(whole.Tested, p.ImportPath)
		}
	}
	return whole, nil
}

// builds compiles what depends on the change.
func (c *checker) builds(ctx context.Context, of *candidate, a *affected) (Check, error) {
	c.stage("build", of.name)
	args := []string{"-o", os.DevNull}
	r, err := c.run(ctx, "build", append(args, paths(a.dependents)...)...)
	if err != nil || !r.failed {
		return Check{}, err
	}
	before, err := c.runOnBase(ctx, of, paths(a.dependents), "build", args...)
	if err != nil {
		return Check{}, err
	}
	if before.failed {
		return Check{State: Untested, Why: "the base doesn't build: fix it first", Output: excerpt(before.output)}, nil
	}
	return Check{State: Wrong, Why: "it doesn't build", Output: excerpt(r.output)}, nil
}

// vets runs go vet on what changed. Complaints that the base has, too, don't count.
func (c *checker) vets(ctx context.Context, of *candidate, a *affected) (Check, error) {
	if slices.Contains(c.buildFlags, "-vet=off") {
		return Check{}, nil
	}
	c.stage("vet", of.name)
	r, err := c.run(ctx, "vet", paths(a.changed)...)
	if err != nil || !r.failed {
		return Check{}, err
	}
	before, err := c.runOnBase(ctx, of, paths(a.changed), "vet")
	if err != nil {
		return Check{}, err
	}
	known := complaints(before.output)
	if !slices.ContainsFunc(complaints(r.output), func(line string) bool { return !slices.Contains(known, line) }) {
		return Check{}, nil
	}
	return Check{State: Wrong, Why: "go vet complains", Output: excerpt(r.output)}, nil
}

// vetPosition is where go vet found something, which a change moves.
var vetPosition = lazyregexp.New(`^\S*?:\d+(:\d+)?: `)

// complaints are the lines of go vet without positions.
func complaints(out []byte) []string {
	var all []string
	for line := range strings.Lines(string(out)) {
		if at := vetPosition.Get().FindStringIndex(strings.TrimPrefix(line, "vet: ")); at != nil {
			all = append(all, strings.TrimSpace(strings.TrimPrefix(line, "vet: ")[at[1]:]))
		}
	}
	return all
}

// passes runs the tests of what depends on the change. Tests that fail on the base, too, and
// those that pass the second time say nothing about it.
func (c *checker) passes(ctx context.Context, of *candidate, a *affected) (Check, error) {
	c.stage("test", fmt.Sprintf("%s, %d packages", of.name, len(a.dependents)))
	packages := paths(a.dependents)
	r, err := c.run(ctx, "test", append(slices.Clone(c.testFlags), packages...)...)
	if err != nil || !r.failed {
		return Check{}, err
	}
	failed := gocmd.FailedTests(r.output)
	before, err := c.runOnBase(ctx, of, packages, "test", append([]string{"-count=1"}, c.testFlags...)...)
	if err != nil {
		return Check{}, err
	}
	was := gocmd.FailedTests(before.output)
	fresh := slices.DeleteFunc(slices.Clone(failed), func(name string) bool { return slices.Contains(was, name) })
	if before.failed && len(fresh) == 0 {
		for _, p := range a.changed {
			if slices.Contains(was, "FAIL "+p.ImportPath) {
				return Check{State: Untested, Why: "tests of " + p.ImportPath + " also fail on the base: fix them first", Output: excerpt(before.output)}, nil
			}
		}
		return Check{Notes: []string{"these fail with and without the change: " + strings.Join(was, ", ")}}, nil
	}
	c.stage("test", of.name+", once more")
	again, err := c.run(ctx, "test", append(append([]string{"-count=1"}, c.testFlags...), packages...)...)
	if err != nil {
		return Check{}, err
	}
	if !again.failed {
		return Check{State: Untested, Why: "tests are flaky: they failed once and passed once", Output: excerpt(r.output)}, nil
	}
	return Check{State: Wrong, Why: "tests fail, and pass on the base: " + few(testNames(fresh)), Output: excerpt(r.output)}, nil
}

// passesBaseTests runs the base's tests on the candidate's code, where the candidate changed
// tests: a change must not pass because it also changed what is tested.
func (c *checker) passesBaseTests(ctx context.Context, of *candidate, a *affected) (Check, error) {
	tree, changed, err := c.withBaseTests(ctx, of)
	if err != nil || len(changed) == 0 {
		return Check{}, err
	}
	c.stage("test", of.name+", with the tests of the base")
	if err := c.checkOut(ctx, tree); err != nil {
		return Check{}, err
	}
	r, err := c.run(ctx, "test", append(slices.Clone(c.testFlags), paths(a.changed)...)...)
	if err != nil {
		return Check{}, err
	}
	if err := c.checkOut(ctx, of.tree); err != nil || !r.failed {
		return Check{Notes: []string{"it changes tests (" + few(changed) + "); those of the base pass, too"}}, err
	}
	if bytes.Contains(r.output, []byte("[build failed]")) || bytes.Contains(r.output, []byte("[setup failed]")) {
		return Check{State: Untested, Why: "it changes tests (" + few(changed) + "), and those of the base don't build with it: review the tests", Output: excerpt(r.output)}, nil
	}
	before, err := c.runOnBase(ctx, of, paths(a.changed), "test", c.testFlags...)
	if err != nil {
		return Check{}, err
	}
	was := gocmd.FailedTests(before.output)
	fresh := slices.DeleteFunc(gocmd.FailedTests(r.output), func(name string) bool { return slices.Contains(was, name) })
	if len(fresh) == 0 {
		return Check{}, nil
	}
	return Check{State: Wrong, Why: "it changes tests (" + few(changed) + "), and those of the base fail: " + few(testNames(fresh)), Output: excerpt(r.output)}, nil
}

// withBaseTests returns the tree of a candidate with the base's tests, and the tests of the
// base that the candidate changes or removes. New ones are left out, too: they may have been
// moved.
func (c *checker) withBaseTests(ctx context.Context, of *candidate) (tree string, changed []string, err error) {
	env, done, err := c.index(ctx, of.tree)
	defer done()
	if err != nil {
		return "", nil, err
	}
	for _, f := range of.files {
		if !isTest(f.path) {
			continue
		}
		args := []string{"update-index", "--add", "--cacheinfo", f.oldMode + "," + f.oldObject + "," + f.path}
		if f.status == "A" {
			args = []string{"update-index", "--force-remove", "--", f.path}
		} else {
			changed = append(changed, path.Base(f.path))
		}
		if _, err := c.git(ctx, env, nil, args...); err != nil {
			return "", nil, err
		}
	}
	tree, err = c.git(ctx, env, nil, "write-tree")
	return tree, changed, err
}

// excerpt is what people see of an output.
func excerpt(out []byte) string { return workspace.Excerpt(out, 10, 30) }

// testNames are those of failed tests, or of packages if no test has failed.
func testNames(failed []string) []string {
	tests := slices.DeleteFunc(slices.Clone(failed), func(name string) bool { return strings.HasPrefix(name, "FAIL ") })
	if len(tests) > 0 {
		return tests
	}
	return failed
}
