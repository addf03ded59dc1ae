//go:build unix

package temporary

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
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

	"github.com/hone-go/hone/internal/spawn"
)

// killedFolder names the folder in which this process makes temporary files until it is
// killed.
const killedFolder = "HONE_TEST_KILLED_FOLDER"

func TestMain(m *testing.M) {
	dir := os.Getenv(killedFolder)
	if dir == "" {
		os.Exit(m.Run())
	}
	var err error
	if os.Getenv(killedFolder+"_RUN") != "" {
		err = runUntilKilled()
	} else {
		err = makeUntilKilled(dir)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// runUntilKilled runs a program that starts another one, and prints "guarded".
func runUntilKilled() error {
	d, err := Make()
	if err != nil {
		return err
	}
	env, err := d.Env()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	cmd := exec.Command("sh", "-c", `touch "$TMPDIR/file"; sleep 1000 & echo $$ $!; wait`)
	cmd.Env, cmd.Stdout = append(os.Environ(), env...), os.Stdout
	spawn.Lead(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	d.Guard(cmd.Process.Pid)
	fmt.Println("guarded")
	return cmd.Wait()
}

func makeUntilKilled(dir string) error {
	for n := 0; ; n++ {
		if err := ReplaceText(filepath.Join(dir, "file"), 0o600, version(n)); err != nil {
			return err
		}
		d, err := MakeIn(dir)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(d.Path, "file"), nil, 0o600); err != nil {
			return err
		}
		switch n % 3 {
		case 0:
			err = d.Remove()
		case 1:
			os.RemoveAll(filepath.Join(dir, "folder"))
			err = d.Rename(filepath.Join(dir, "folder"))
		} // else it is the next one's to remove, or that of who comes after the kill
		if err != nil {
			return err
		}
		if d, err = Make(); err != nil {
			return err
		}
		if err := d.Remove(); err != nil {
			return err
		}
		if n == 0 {
			fmt.Println("begun")
		}
	}
}

func version(n int) []byte { return bytes.Repeat(fmt.Appendln(nil, n), 1000+n%1000) }

// TestKilled kills a process that makes temporary files: a file has one of its texts, in
// full, and the next process leaves nothing. HONE_TEMPORARY_KILLS says how often.
func TestKilled(t *testing.T) {
	kills := 10
	if text := os.Getenv("HONE_TEMPORARY_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	left := 0
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedFolder+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 16))
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // any moment
		cmd.Process.Kill()
		cmd.Wait()
		for _, name := range append(all(t, dir), all(t, tmp)...) {
			if strings.Contains(name, prefix) {
				left++
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if n, err := strconv.Atoi(first); err != nil || !bytes.Equal(text, version(n)) {
			t.Fatalf("torn: %d bytes of version %q", len(text), first)
		}
		Sweep(dir)
		Sweep(tmp)
		for _, name := range append(all(t, dir), all(t, tmp)...) {
			if name != "file" && name != "folder/" && name != "folder/file" {
				t.Errorf("left %q", name)
			}
		}
	}
	t.Logf("%d kills left %d files and folders, all swept", kills, left)
}

// TestGuard: what hone started, and what that started, goes with a hone that is killed,
// and so does the directory.
func TestGuard(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedFolder+"=none", killedFolder+"_RUN=1", "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []string
	for lines := bufio.NewScanner(io.LimitReader(out, 1<<10)); len(pids) < 3 && lines.Scan(); {
		pids = append(pids, strings.Fields(lines.Text())...)
	}
	pids = slices.DeleteFunc(pids, func(word string) bool { return word == "guarded" })
	if got := all(t, tmp); len(got) != 3 || !strings.HasSuffix(got[2], "/tmp/file") {
		t.Errorf("while it runs: %q", got)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		await(t, "process "+text+" ends", func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err == nil && bytes.Contains(stat, []byte(") Z ")) || syscall.Kill(pid, 0) != nil
		})
	}
	await(t, "the directory goes", func() bool {
		entries, err := os.ReadDir(tmp) // not all(t, tmp), which fails when it meets what is just removed
		return err == nil && len(entries) == 0
	})
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestRunEndsWithContext(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 1000 & echo; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- Run(cmd) }()
	out.Read(make([]byte, 1))
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	if left := all(t, os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestSweepHeld: the directory of an older hone that still runs stays.
func TestSweepHeld(t *testing.T) {
	root := t.TempDir()
	write(t, root, "hone-bench-1/lock", "hone-bench-1/tmp/file")
	dir := filepath.Join(root, "hone-bench-1")
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	Sweep(root)
	if _, err := os.Stat(filepath.Join(dir, "tmp", "file")); err != nil {
		t.Error(err)
	}
	lock.Close()
	Sweep(root)
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory stays although nobody holds it")
	}
}
