//go:build unix

package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// A disk that is full leaves a partial run, and says so.
func TestFullDisk(t *testing.T) {
	store := t.TempDir()
	if err := mountSmall(store); err != nil {
		t.Skip("can't mount a small disk: ", err)
	}
	defer unmount(store)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m_test.go": strings.Replace(empty("m", "X"), "{}", "{ b.ReportMetric(1, \""+strings.Repeat("unit", 1000)+"\") }", 1)})
	b := quickBench(t, dir)
	b.Store, b.Count = filepath.Join(store, "runs"), 40
	report, err := b.Measure(t.Context())
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if entries, err := experiment.List(t.Context(), b.Store); err != nil || len(entries) != 1 || entries[0].State != experiment.Partial {
		t.Errorf("runs %+v, %v", entries, err)
	}
	if run, err := experiment.Open(t.Context(), report.Dir); err != nil || len(run.Results(experiment.Measure, experiment.Head)) == 0 {
		t.Errorf("the run does not open: %v", err)
	}
}

// TestMain lets the test be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HONE_TEST_BENCH"); dir != "" {
		b := &Bench{Dir: dir, Packages: []string{"./..."}, PreCheck: 2, Count: 4, Benchtime: Length{Duration: 5 * time.Millisecond},
			ProfileTime: 20 * time.Millisecond, Profiles: []string{"cpu", "mem"}, ProfileAll: true, Store: os.Getenv("HONE_TEST_STORE"), Command: []string{"hone"}}
		_, err := b.Against(context.Background(), "HEAD~")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKill kills a comparison at random moments, as no process can prevent, and
// looks what is left: in the repository, of processes, in the directory for
// temporary files, and in the store.
func TestKill(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	dir := t.TempDir()
	commit(t, dir, map[string]string{"go.mod": goMod, "a/a_test.go": empty("a", "A")})
	commit(t, dir, allocating("3"))
	commit(t, dir, allocating("4"))
	write(t, dir, map[string]string{"dirty.txt": "x"})
	temp, store := t.TempDir(), filepath.Join(dir, ".hone", "runs")
	marker := "HONE_TEST_STORE=" + store
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "HONE_TEST_BENCH="+dir, marker, "TMPDIR="+temp)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	status, state := runGit(t, dir, "status", "--porcelain"), gitState(t, dir)
	var whole time.Duration
	for range 2 { // that it works, and how long it takes with a warm build cache
		begin := time.Now()
		if err := start().Wait(); err != nil {
			t.Fatal(err)
		}
		whole = time.Since(begin)
	}
	const times = 10
	for i := range times + 1 {
		before, _ := filepath.Glob(filepath.Join(store, "[^.]*", "run.json"))
		cmd := start()
		// One in each part of the time, so that no phase is left out, and one as soon
		// as there is a run: how long phases take depends on what else the machine does.
		after := time.Duration((float64(i) + rand.Float64()) / float64(times) * float64(whole))
		what := fmt.Sprintf("killed after %v of %v", after.Round(time.Millisecond), whole.Round(time.Millisecond))
		if i < times {
			time.Sleep(after)
		} else {
			what = "killed with a run"
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if now, _ := filepath.Glob(filepath.Join(store, "[^.]*", "run.json")); len(now) > len(before) {
					break
				}
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if left := waitForNone(func() []string { return processesWith(marker) }); len(left) > 0 {
			t.Errorf("%s: processes %q", what, left)
		}
		if left := waitForNone(func() []string { names, _ := filepath.Glob(filepath.Join(temp, "*")); return names }); len(left) > 0 {
			t.Errorf("%s: files %q", what, left)
		}
	}
	if got := runGit(t, dir, "status", "--porcelain"); got != status {
		t.Errorf("status was\n%sis\n%s", status, got)
	}
	if got := gitState(t, dir); !maps.Equal(got, state) {
		t.Errorf("files of the repository were\n%v\nare\n%v", state, got)
	}
	if got := runGit(t, dir, "worktree", "list"); strings.Count(got, "\n") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
	entries, err := experiment.List(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[experiment.State]int)
	for _, e := range entries {
		count[e.State]++
		if _, err := experiment.Open(t.Context(), e.Dir); err != nil {
			t.Errorf("run %s: %v", e.ID, err)
		}
	}
	if count[experiment.Complete] < 1 || count[experiment.Partial] < 1 || count[experiment.Corrupt] > 0 {
		t.Errorf("runs: %v", count)
	}

	// Even with its watcher dead, the next measurement removes what is left.
	cmd := start()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(temp, "*"))
		if len(files) > 0 && len(watchers(marker)) > 0 {
			break
		}
	}
	for _, pid := range watchers(marker) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if left := waitForNone(func() []string { return processesWith(marker) }); len(left) > 0 {
		t.Errorf("without a watcher: processes %q", left)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) == 0 {
		t.Error("the watcher was not killed")
	}
	t.Setenv("TMPDIR", temp)
	s, err := workspace.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("not swept: %q", left)
	}
}

// gitState returns the sizes of all files in .git.
func gitState(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	state := make(map[string]int64)
	err := filepath.WalkDir(filepath.Join(dir, ".git"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		state[path] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func waitForNone(list func() []string) []string {
	var left []string
	for range 3000 {
		if left = list(); len(left) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}

// processesWith returns the living processes with a variable in their
// environment.
func processesWith(variable string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), variable) {
			command, _ := os.ReadFile(filepath.Join(d, "cmdline"))
			found = append(found, filepath.Base(d)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

func watchers(variable string) []int {
	var pids []int
	for _, p := range processesWith(variable) {
		if strings.Contains(p, "hone-watcher") {
			pid, _, _ := strings.Cut(p, " ")
			n, _ := strconv.Atoi(pid)
			pids = append(pids, n)
		}
	}
	return pids
}
