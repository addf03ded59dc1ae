//go:build unix

package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// The slow one allocates, too: a busy machine confirms that, when it can't tell times.
const (
	slowSum  = "package sum\n\nvar kept []byte\n\n// Sum adds the digits of numbers.\nfunc Sum(n int) (s int) {\n\tfor i := range 200000 * n {\n\t\tif s += i % 10; i%1000 == 0 {\n\t\t\tkept = make([]byte, 8)\n\t\t}\n\t}\n\treturn s\n}\n"
	slowMore = "package sum\n\n// more is slow.\nconst more = 1\n"
	fastMore = "package sum\n\n// more is fast.\nconst more = 1\n"
	fastSum  = "package sum\n\nvar kept []byte\n\n// Sum adds the digits of numbers.\nfunc Sum(n int) (s int) {\n\treturn 45 * 20000 * n\n}\n"
)

// A killedModule is a module with a finding that hone fix confirms, for hones that are killed.
type killedModule struct {
	*testing.T
	dir, source, tmp string
	more             string // another file that the rewrite changes
	found            advice.Finding
}

func newKilledModule(t *testing.T, after string) *killedModule {
	t.Helper()
	moduleOfFiles(t, map[string]string{
		"go.mod": "module example.com/sum\n\ngo 1.24\n", "sum.go": slowSum, "more.go": slowMore, "deep/er/er.go": "package er\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1) != 900000 {\n\t\tt.Fatal(Sum(1))\n\t}\n}\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor range b.N {\n\t\tsink = Sum(3)\n\t}\n}\n",
	})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	m := &killedModule{T: t, dir: dir, source: filepath.Join(dir, "sum.go"), more: filepath.Join(dir, "more.go"), tmp: t.TempDir()}
	m.found = advice.Finding{ID: "test-123456", Rule: "test", Class: advice.Safe, State: advice.Bounded, Package: "example.com/sum", Title: "a loop",
		Fix: &advice.Fix{Files: []advice.FileChange{
			{File: m.source, Before: []byte(slowSum), After: []byte(after)}, {File: m.more, Before: []byte(slowMore), After: []byte(fastMore)},
		}}}
	m.found.Evidence.Subjects = []string{"Sum"}
	m.advise()
	return m
}

// advise gives the advice; hone tune gives advice of its own.
func (m *killedModule) advise() {
	m.Helper()
	if err := adviceStore().Keep(&advice.Report{Findings: []advice.Finding{m.found}}, map[string]tune.Benchmark{"Sum": {Package: "example.com/sum", Benchmark: "Sum"}}); err != nil {
		m.Fatal(err)
	}
}

func (m *killedModule) start(args ...string) (*exec.Cmd, *strings.Builder) {
	m.Helper()
	cmd, out := exec.Command(os.Args[0], args...), new(strings.Builder)
	cmd.Env = append(os.Environ(), "HONE_TEST_HONE=1", "TMPDIR="+m.tmp)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	return cmd, out
}

// TestKilledFixAndTune kills hone fix and hone tune at any moment: each file has the old
// text or the new one, the next run gives all of them the same, and it leaves nothing in the module or the temporary
// directory. HONE_FIX_KILLS says how often each is killed.
func TestKilledFixAndTune(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	kills := 1
	if text := os.Getenv("HONE_FIX_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	m := newKilledModule(t, fastSum)
	dir, source, tmp := m.dir, m.source, m.tmp
	check := func(when string) {
		t.Helper()
		if text, err := os.ReadFile(source); err != nil || string(text) != slowSum && string(text) != fastSum {
			t.Fatalf("%s: %v, torn:\n%s", when, err, text)
		}
		if text, err := os.ReadFile(m.more); err != nil || string(text) != slowMore && string(text) != fastMore {
			t.Fatalf("%s: %v, torn:\n%s", when, err, text)
		}
	}
	restore := func() {
		if err := errors.Join(os.WriteFile(source, []byte(slowSum), 0o666), os.WriteFile(m.more, []byte(slowMore), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"fix", "-dirty", "-count", "6", "-benchtime", "2ms", "test-123456"},
		{"tune", "-dirty", "-count", "2", "-benchtime", "2ms", "-profiletime", "50ms"},
	} {
		verb := args[0]
		begun := time.Now()
		cmd, out := m.start(args...)
		cmd.Wait()
		whole := time.Since(begun)
		if !cmd.ProcessState.Exited() || cmd.ProcessState.ExitCode() == exitUsage {
			t.Fatalf("hone %s: %v\n%s", verb, cmd.ProcessState, out)
		}
		if text, _ := os.ReadFile(source); verb == "fix" && string(text) != fastSum {
			t.Logf("this machine is too busy to confirm the rewrite, so that no kill can come while it is written:\n%s", out)
		}
		for range kills {
			restore()
			cmd, _ := m.start(args...)
			time.Sleep(time.Duration(rand.Int64N(int64(whole)))) // any moment
			cmd.Process.Kill()
			cmd.Wait()
			check("killed hone " + verb)
			sweep()
			sum, _ := os.ReadFile(source)
			more, _ := os.ReadFile(m.more)
			if verb == "fix" && (string(sum) == fastSum) != (string(more) == fastMore) {
				t.Errorf("killed hone %s: after the sweep, one file is rewritten and another is not:\n%s\n%s", verb, sum, more)
			}

			m.advise()
			// What a kill at other moments leaves, which is not for luck to decide.
			for _, name := range []string{"deep/er/.hone-tmp-1", ".hone/advice/.hone-tmp-2", ".hone/runs/x/.hone-tmp-3"} {
				os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
				write(t, filepath.Join(dir, name), "left")
			}
			os.Mkdir(filepath.Join(tmp, "hone-tmp-4"), 0o700)
			write(t, filepath.Join(tmp, "hone-tmp-4", "file"), "left")
			restore()
			cmd, out = m.start("fix", "-dirty", "-check", "test-123456")
			if err := cmd.Wait(); err != nil {
				t.Errorf("after the kill: %v\n%s", err, out)
			}
			check("the next run")
			for _, root := range []string{dir, tmp} {
				filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
					if err == nil && path != root && (root == tmp || strings.Contains(e.Name(), "hone-tmp-")) {
						t.Errorf("killed hone %s: the next run leaves %s", verb, path)
					}
					return nil
				})
			}
		}
	}
}
