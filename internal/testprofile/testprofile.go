// Package testprofile profiles the tests of packages, for modules without benchmarks. Tests do other things than a
// program in production does, so what is hot in them may not matter there.
package testprofile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/profile"
)

// DefaultTime is about how long the tests of a package are repeated.
const DefaultTime = 5 * time.Second

// maxRepeats limits how often tests are repeated: the CPU profiler takes 100 samples per second.
const maxRepeats = 1000

// memoryRate is the interval of memory profiles, in bytes: most tests allocate little.
const memoryRate = 16 << 10

// A Profiler profiles the tests of a module.
type Profiler struct {
	Dir      string        // a folder of the module
	Flags    []string      // build flags for go test, such as "-tags=x"
	Packages []string      // patterns of packages
	Run      string        // which tests, as -run of go test; "" is all
	Time     time.Duration // about how long to repeat the tests of a package; 0 is DefaultTime
	Stage    func(string)  // if not nil, told what is done
}

// A Profile has the profiles of a package's tests.
type Profile struct {
	Package  string // import path
	CPU, Mem *profile.Profile
}

// Profile builds and runs the tests, one package after another. Tests run with -short. Packages whose tests fail
// are left out, and the error says so; it may come with profiles of other packages.
func (p *Profiler) Profile(ctx context.Context) ([]Profile, error) {
	type listed struct {
		ImportPath, Dir           string
		TestGoFiles, XTestGoFiles []string
	}
	packages, err := gocmd.List[listed](ctx, gocmd.Command{Dir: p.Dir, Args: slices.Concat(p.Flags, []string{"--"}, p.Packages)})
	if err != nil {
		return nil, err
	}
	packages = slices.DeleteFunc(packages, func(l listed) bool { return len(l.TestGoFiles)+len(l.XTestGoFiles) == 0 })
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s has no tests", strings.Join(p.Packages, " "))
	}
	scratch, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	var all []Profile
	var failed []error
	for i, l := range packages {
		if p.Stage != nil {
			p.Stage(fmt.Sprintf("profiling the tests of %s (%d of %d)", l.ImportPath, i+1, len(packages)))
		}
		r := testRun{Profiler: p, dir: l.Dir, scratch: scratch.Path, run: scratch.Run}
		one, err := r.profile(ctx, l.ImportPath)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("the tests of %s: %w", l.ImportPath, err))
			continue
		}
		all = append(all, one)
	}
	return all, errors.Join(failed...)
}

// A testRun runs and profiles the tests of one package.
type testRun struct {
	*Profiler
	dir     string // of the package
	scratch string
	run     func(*exec.Cmd) error
}

// profile returns the profiles of the tests, repeated if they can be and there is time.
func (r *testRun) profile(ctx context.Context, pkg string) (Profile, error) {
	binary := filepath.Join(r.scratch, "tests.test.exe")
	args := slices.Concat([]string{"test", "-c", "-o", binary}, r.Flags, []string{pkg})
	if out, err := (gocmd.Command{Dir: r.Dir, Args: args, Run: r.run}).CombinedOutput(ctx); err != nil {
		return Profile{}, fmt.Errorf("they don't build: %s", cmp.Or(gocmd.LastLine(out), err.Error()))
	}
	began := time.Now()
	if err := r.test(ctx, binary, 1); err != nil {
		return Profile{}, err
	}
	took := max(time.Since(began), time.Millisecond)
	first, err := r.read(pkg)
	if err != nil {
		return Profile{}, err
	}
	repeats := int(min(maxRepeats, cmp.Or(r.Time, DefaultTime)/took))
	if repeats < 2 {
		return first, nil
	}
	if r.test(ctx, binary, repeats) != nil { // some tests can't run twice in one process
		return first, ctx.Err()
	}
	return r.read(pkg)
}

func (r *testRun) file(kind string) string { return filepath.Join(r.scratch, kind+".pb.gz") }

// test runs the tests a number of times and profiles them.
func (r *testRun) test(ctx context.Context, binary string, times int) error {
	cmd := exec.CommandContext(ctx, binary, "-test.short", "-test.run="+cmp.Or(r.Run, "."), "-test.count="+strconv.Itoa(times), "-test.timeout=10m",
		"-test.cpuprofile="+r.file("cpu"), "-test.memprofile="+r.file("mem"), "-test.memprofilerate="+strconv.Itoa(memoryRate))
	cmd.Dir = r.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := r.run(cmd); err != nil {
		return fmt.Errorf("they fail: %s", cmp.Or(firstFailure(out.String()), err.Error()))
	}
	return nil
}

// read reads the profiles of the last run.
func (r *testRun) read(pkg string) (Profile, error) {
	cpu, err := decode(r.file("cpu"))
	if err != nil {
		return Profile{}, err
	}
	mem, err := decode(r.file("mem"))
	return Profile{Package: pkg, CPU: cpu, Mem: mem}, err
}

func decode(file string) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Decode(f, profile.DefaultLimits())
}

// firstFailure returns the line that names the first failed test or panic; otherwise the last line.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return gocmd.LastLine([]byte(out))
}
