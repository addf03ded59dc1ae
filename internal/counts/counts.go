// Package counts counts how often statements run per operation of a benchmark. The counts are exact: a build
// counts each run of a block of statements, as go test -covermode=atomic does. Such a build is several times
// slower, so nothing is timed with it.
package counts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/cover"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/temporary"
)

// DefaultTime is about how long a benchmark runs.
const DefaultTime = 300 * time.Millisecond

// maxOperations limits the operations that are counted: most benchmarks do the same in each.
const maxOperations = 1000

// slowdown is about how much slower a build that counts is. It only decides how many operations run.
const slowdown = 4

// A Counter counts on builds of a module's tests.
type Counter struct {
	Dir     string        // a folder of the module
	Flags   []string      // build flags for go test, such as "-tags=x"
	Folders []string      // absolute folders of the packages whose statements are counted
	Time    time.Duration // about how long to run each benchmark; 0 is DefaultTime
	Stage   func(string)  // if not nil, told what is done
}

// A Benchmark is what to run.
type Benchmark struct {
	Package string        // import path
	Name    string        // as go test prints it, without "Benchmark": "Sum/n=100-8"
	OpTime  time.Duration // how long an operation takes; 0 if unknown
}

// Counts say how often statements ran per operation of one benchmark.
type Counts struct {
	files map[string][]block // by absolute name, by start
}

// A block is a range of statements that run together. End is the first position after it.
type block struct {
	start, end position
	perOp      float64
}

type position struct{ line, column int }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// At returns how often the statement at a position ran per operation. ok is false if it wasn't counted.
func (c *Counts) At(at token.Position) (perOp float64, ok bool) {
	p := position{at.Line, at.Column}
	for _, b := range c.files[at.Filename] { // later ones are further inside
		if b.start.compare(p) > 0 {
			break
		}
		if p.compare(b.end) < 0 {
			perOp, ok = b.perOp, true
		}
	}
	return perOp, ok
}

// Run builds the tests of the benchmarks' packages and counts. The results are in the order of the benchmarks;
// one that can't be counted is nil. The error then says why, or is the error of ctx.
func (c *Counter) Run(ctx context.Context, benchmarks []Benchmark) ([]*Counts, error) {
	all := make([]*Counts, len(benchmarks))
	if len(benchmarks) == 0 || len(c.Folders) == 0 {
		return all, nil
	}
	folders, err := c.folders(ctx)
	if err != nil {
		return all, err
	}
	scratch, err := temporary.Make()
	if err != nil {
		return all, err
	}
	defer scratch.Remove()
	b := builder{Counter: c, folders: folders, scratch: scratch.Path, run: scratch.Run, tests: make(map[string]*test)}
	var failed []error
	for i, benchmark := range benchmarks {
		c.stage("counting how often the hot lines of %s run", benchmark.Name)
		counts, err := b.count(ctx, benchmark)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("the statements of %s can't be counted: %w", benchmark.Name, err))
		}
		all[i] = counts
	}
	return all, errors.Join(failed...)
}

func (c *Counter) stage(format string, args ...any) {
	if c.Stage != nil {
		c.Stage(fmt.Sprintf(format, args...))
	}
}

// listed is what go list says of a package.
type listed struct{ ImportPath, Dir string }

// folders returns the folders that statements are counted in, by import path.
func (c *Counter) folders(ctx context.Context) (map[string]string, error) {
	packages, err := gocmd.List[listed](ctx, gocmd.Command{Dir: c.Dir, Args: slices.Concat(c.Flags, []string{"--"}, c.Folders)})
	if err != nil {
		return nil, err
	}
	folders := make(map[string]string)
	for _, p := range packages {
		folders[p.ImportPath] = p.Dir
	}
	return folders, nil
}

// A builder builds the tests of each package once.
type builder struct {
	*Counter
	folders map[string]string // by import path
	scratch string
	run     func(*exec.Cmd) error
	tests   map[string]*test // by import path
}

// A test is the test binary of a package that counts.
type test struct {
	dir, binary string
	err         error // why it couldn't be built
}

// test returns the test binary of a package.
func (b *builder) test(ctx context.Context, pkg string) *test {
	if t := b.tests[pkg]; t != nil {
		return t
	}
	t := &test{binary: filepath.Join(b.scratch, fmt.Sprintf("counting%d.test.exe", len(b.tests)))}
	b.tests[pkg] = t
	packages, err := gocmd.List[listed](ctx, gocmd.Command{Dir: b.Dir, Args: append(slices.Clone(b.Flags), "--", pkg)})
	if err == nil && len(packages) != 1 {
		err = fmt.Errorf("%s is %d packages", pkg, len(packages))
	}
	if err != nil {
		t.err = err
		return t
	}
	t.dir = packages[0].Dir
	var paths []string
	for p := range b.folders {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	args := slices.Concat([]string{"test", "-c", "-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(paths, ","), "-o", t.binary}, b.Flags, []string{pkg})
	if out, err := (gocmd.Command{Dir: b.Dir, Args: args, Run: b.run}).CombinedOutput(ctx); err != nil {
		t.err = fmt.Errorf("its tests don't build with -cover: %s", cmp.Or(gocmd.LastLine(out), err.Error()))
	}
	return t
}

// count runs a benchmark twice, the second time with twice as many operations: the difference is free of
// what runs once.
func (b *builder) count(ctx context.Context, benchmark Benchmark) (*Counts, error) {
	t := b.test(ctx, benchmark.Package)
	if t.err != nil {
		return nil, t.err
	}
	n := 100
	if benchmark.OpTime > 0 {
		n = int(min(maxOperations, cmp.Or(b.Time, DefaultTime)/(slowdown*benchmark.OpTime)))
	}
	n = max(n, 2) // with one operation, the benchmark's function runs only once
	once, err := b.blocks(ctx, t, benchmark.Name, n)
	if err != nil {
		return nil, err
	}
	twice, err := b.blocks(ctx, t, benchmark.Name, 2*n)
	if err != nil {
		return nil, err
	}
	c := &Counts{files: make(map[string][]block)}
	ran := false
	for file, blocks := range twice {
		less := once[file]
		if len(less) != len(blocks) {
			return nil, fmt.Errorf("two runs don't count the same blocks of %s", file)
		}
		for i, more := range blocks {
			ran = ran || more.Count > less[i].Count
			c.files[file] = append(c.files[file], block{
				position{more.StartLine, more.StartCol}, position{more.EndLine, more.EndCol},
				max(0, float64(more.Count-less[i].Count)/float64(n)),
			})
		}
		slices.SortStableFunc(c.files[file], func(a, b block) int { return cmp.Or(a.start.compare(b.start), b.end.compare(a.end)) })
	}
	if !ran {
		return nil, errors.New("its build with -cover runs no statement of the hot packages")
	}
	return c, nil
}

// blocks runs n operations of a benchmark, and returns the counts of blocks by absolute name of the file.
func (b *builder) blocks(ctx context.Context, t *test, name string, n int) (map[string][]cover.ProfileBlock, error) {
	file := filepath.Join(b.scratch, "counts.txt")
	name, processors := splitProcessors(name)
	cmd := exec.CommandContext(ctx, t.binary, "-test.run=^$", "-test.bench="+gocmd.ExactPattern("Benchmark"+name), "-test.benchtime="+strconv.Itoa(n)+"x",
		"-test.cpu="+strconv.Itoa(processors), "-test.coverprofile="+file)
	cmd.Dir = t.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := b.run(cmd); err != nil {
		return nil, fmt.Errorf("its build with -cover failed: %s", cmp.Or(gocmd.LastLine(out.Bytes()), err.Error()))
	}
	defer os.Remove(file)
	profiles, err := cover.ParseProfiles(file)
	if err != nil {
		return nil, fmt.Errorf("counts of -cover: %w", err)
	}
	all := make(map[string][]cover.ProfileBlock)
	for _, p := range profiles {
		dir, ok := b.folders[path.Dir(p.FileName)]
		if !ok {
			continue
		}
		all[filepath.Join(dir, path.Base(p.FileName))] = p.Blocks
	}
	if len(all) == 0 {
		return nil, errors.New("its build with -cover counted nothing")
	}
	return all, nil
}

// splitProcessors cuts the number of processors from a benchmark's name.
func splitProcessors(name string) (string, int) {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if n, err := strconv.Atoi(name[i+1:]); err == nil && n > 0 {
			return name[:i], n
		}
	}
	return name, 1
}
