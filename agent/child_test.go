package agent_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/agent"
)

// kinds tells the profiles from each other. Block and mutex have the same
// sample types, so functions have to.
var kinds = map[string]struct{ types, function, notFunction string }{
	"cpu":   {"samples/count cpu/nanoseconds", `^main\.hash$`, ""},
	"mem":   {"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", `^main\.hash$`, ""},
	"block": {"contentions/count delay/nanoseconds", `^runtime\.chan(recv|send)`, `Unlock$`},
	"mutex": {"contentions/count delay/nanoseconds", `Mutex\)\.Unlock$`, ""},
}

var allFlags = []string{"-cpuprofile", "cpu", "-memprofile", "mem", "-blockprofile", "block", "-mutexprofile", "mutex", "-trace", "trace"}

func TestFilesOfEachEnd(t *testing.T) {
	tests := []struct {
		name    string
		args    []string
		signal  syscall.Signal // 0: none, the program ends by itself
		status  string
		written bool
		output  string // regular expression for what the program prints
	}{
		{"return", nil, 0, "exit status 0", true, "end"},
		{"panic", []string{"-end", "panic"}, 0, "exit status 2", true, "on purpose"},
		{"panic of a goroutine", []string{"-end", "goroutine-panic"}, 0, "exit status 2", false, "on purpose"},
		{"os.Exit", []string{"-end", "exit"}, 0, "exit status 5", false, ""},
		{"os.Exit after stop", []string{"-end", "stop-exit"}, 0, "exit status 5", true, ""},
		{"log.Fatal", []string{"-end", "log.Fatal"}, 0, "exit status 1", false, "on purpose"},

		{"SIGINT", nil, syscall.SIGINT, "signal: interrupt", true, "working"},
		{"SIGTERM", nil, syscall.SIGTERM, "signal: terminated", true, "working"},
		{"SIGKILL", nil, syscall.SIGKILL, "signal: killed", false, "working"},
		{"other signal handled", []string{"-handle", "other"}, syscall.SIGTERM, "signal: terminated", true, "working"},
		{"handled by Notify", []string{"-handle", "notify"}, syscall.SIGTERM, "exit status 0", true, "got terminated\n.*got terminated\n.*end"},
		{"all signals handled", []string{"-handle", "all"}, syscall.SIGINT, "exit status 0", true, "shut down\nend"},
		{"handled by os.Exit", []string{"-handle", "exit"}, syscall.SIGINT, "exit status 7", true, "working"},
		{"handled once", []string{"-handle", "graceful"}, syscall.SIGINT, "signal: interrupt", true, "working"},

		{"continue", []string{"-policy", "1", "-for", "2s"}, syscall.SIGINT, "exit status 0", true, "end"},
		{"continue, handled by Notify", []string{"-policy", "1", "-handle", "notify"}, syscall.SIGTERM, "exit status 0", true, "^working\ngot terminated\nshut down\nend\n$"},
		{"continue, handled by os.Exit", []string{"-policy", "1", "-handle", "exit"}, syscall.SIGINT, "exit status 7", true, "working"},
		{"continue, handled once", []string{"-policy", "1", "-handle", "graceful"}, syscall.SIGINT, "exit status 0", true, "shut down\nend"},

		{"off", []string{"-policy", "2"}, syscall.SIGINT, "signal: interrupt", false, "working"},
		{"off, handled", []string{"-policy", "2", "-handle", "graceful"}, syscall.SIGINT, "exit status 0", true, "end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.signal != 0 && runtime.GOOS == "windows" {
				t.Skip("windows cannot send a signal to one process")
			}
			args := append(slices.Clone(allFlags), test.args...)
			if test.signal == 0 {
				args = append(args, "-for", "400ms")
			}
			c := startChild(t, args...)
			if test.signal != 0 {
				c.works()
				c.signal(test.signal)
			}
			status := c.wait()
			if status != test.status {
				t.Errorf("%s, want %s", status, test.status)
			}
			if !regexp.MustCompile("(?s)" + test.output).MatchString(c.output.String()) {
				t.Errorf("output does not match %q:\n%s", test.output, c.output.String())
			}
			files := c.files()
			if !test.written {
				for name := range files {
					if !strings.HasSuffix(name, ".partial") {
						t.Errorf("%s was written", name)
					}
				}
				return
			}
			c.checkFiles(files)
		})
	}
}

// TestSignalAtAnyMoment sends signals before, during and after the recording.
// Whatever comes of it, a file named as asked is complete.
func TestSignalAtAnyMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows cannot send a signal to one process")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	for i := range rounds {
		handle, policy := []string{"", "notify"}[i%2], []string{"0", "1"}[i/2%2]
		args := append(slices.Clone(allFlags), "-for", "250ms", "-handle", handle, "-policy", policy)
		c := startChild(t, args...)
		signals := 1 + r.IntN(2)
		for range signals {
			time.Sleep(time.Duration(r.Int64N(int64(300 * time.Millisecond))))
			c.signal([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[r.IntN(2)])
		}
		status := c.wait()
		for name, data := range c.files() {
			if strings.HasSuffix(name, ".partial") || name == "trace" {
				continue
			}
			if _, err := agent.Decode(data); err != nil {
				t.Errorf("round %d, %s: %s: %v", i, status, name, err)
			}
		}
		if status != "exit status 0" && !strings.HasPrefix(status, "signal: ") {
			t.Errorf("round %d: %s\n%s", i, status, c.output.String())
		}
	}
}

func TestSecondSignalKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows cannot send a signal to one process")
	}
	t.Run("end", func(t *testing.T) {
		// The heap profile waits for a reader of its pipe, which never comes.
		dir := t.TempDir()
		if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v: %s", err, out)
		}
		c := startChildIn(t, dir, "-cpuprofile", "cpu", "-memprofile", "pipe")
		c.works()
		c.signal(syscall.SIGINT)
		waitFor(t, func() bool { return exists(filepath.Join(dir, "cpu")) })
		c.signal(syscall.SIGTERM)
		if status := c.wait(); status != "signal: terminated" {
			t.Error(status)
		}
	})
	t.Run("continue", func(t *testing.T) {
		// A program that does not listen lives on until then.
		c := startChild(t, "-policy", "1", "-cpuprofile", "cpu")
		c.works()
		c.signal(syscall.SIGINT)
		waitFor(t, func() bool { return exists(filepath.Join(c.dir, "cpu")) })
		c.signal(syscall.SIGINT)
		if status := c.wait(); status != "signal: interrupt" {
			t.Error(status)
		}
	})
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestIgnoredSignalStaysIgnored(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to ignore")
	}
	c := startCommand(t, t.TempDir(), "sh", "-c", `trap '' INT; exec "$0" -cpuprofile cpu -for 1s`, prog)
	c.works()
	c.signal(syscall.SIGINT)
	if status := c.wait(); status != "exit status 0" {
		t.Errorf("%s, want a normal end", status)
	}
}

func TestBadFiles(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"-cpuprofile", "no/such/dir/cpu"}, "-cpuprofile: create .*no such file or directory"},
		{[]string{"-memprofile", "."}, "-memprofile: .* is a directory"},
		{[]string{"-cpuprofile", "x", "-memprofile", "./x"}, "-memprofile: .*x is already the file of -cpuprofile"},
		{[]string{"-blockprofile", "no/such/dir/b", "-trace", "t"}, "-blockprofile: create .*no such file"},
		{[]string{"-cpuprofile"}, "flag needs an argument"},
	}
	for _, test := range tests {
		c := startChild(t, append([]string{"-for", "1ms"}, test.args...)...)
		if status := c.wait(); status != "exit status 2" {
			t.Errorf("%q: %s", test.args, status)
		}
		if !regexp.MustCompile(test.want).MatchString(c.output.String()) {
			t.Errorf("%q: %s\nwant %s", test.args, c.output.String(), test.want)
		}
		if files := c.files(); len(files) > 0 {
			t.Errorf("%q left %d files", test.args, len(files))
		}
	}
}

func TestFailureToWriteIsReportedOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	for _, args := range [][]string{
		{"-cpuprofile", "/dev/full"}, {"-memprofile", "/dev/full"}, {"-trace", "/dev/full"},
	} {
		args = append(args, "-for", "200ms", "-mutexprofile", "mutex")
		c := startChild(t, args...)
		c.wait()
		if n := strings.Count(c.output.String(), "no space left on device"); n != 1 {
			t.Errorf("%q: reported %d times:\n%s", args, n, c.output.String())
		}
		if _, ok := c.files()["mutex"]; !ok {
			t.Errorf("%q: the other profile was not written", args)
		}
	}
}

func TestDeviceAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "real"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := startChildIn(t, dir, "-cpuprofile", "/dev/null", "-trace", "/dev/null", "-memprofile", "link", "-for", "100ms")
	c.wait()
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatalf("/dev/null: %v, %v", info, err)
	}
	if _, err := os.Readlink(filepath.Join(dir, "link")); err != nil {
		t.Error(err)
	}
	if len(c.files()["real"]) == 0 {
		t.Error("the link's target was not written")
	}
}

// child is a run of testdata/prog.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	output *output
	timer  *time.Timer
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	return len(b), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

func startChild(t *testing.T, args ...string) *child { return startChildIn(t, t.TempDir(), args...) }

func startChildIn(t *testing.T, dir string, args ...string) *child {
	t.Helper()
	return startCommand(t, dir, prog, args...)
}

func startCommand(t *testing.T, dir, name string, args ...string) *child {
	t.Helper()
	c := &child{t: t, dir: dir, output: new(output)}
	c.cmd = exec.Command(name, args...)
	c.cmd.Dir = dir
	c.cmd.Stdout, c.cmd.Stderr = c.output, c.output
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.timer = time.AfterFunc(time.Minute, func() { _ = c.cmd.Process.Kill() })
	return c
}

// works waits until the program listens for signals and has done what its profiles are to show.
func (c *child) works() {
	c.t.Helper()
	waitFor(c.t, func() bool { return strings.Contains(c.output.String(), "working") })
}

func (c *child) signal(s syscall.Signal) {
	if err := c.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Error(err)
	}
}

func (c *child) wait() string {
	defer c.timer.Stop()
	_ = c.cmd.Wait()
	return c.cmd.ProcessState.String()
}

func (c *child) files() map[string][]byte {
	c.t.Helper()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if data, err := os.ReadFile(filepath.Join(c.dir, e.Name())); err == nil {
			files[e.Name()] = data
		}
	}
	return files
}

// checkFiles wants a file of each kind and nothing else.
func (c *child) checkFiles(files map[string][]byte) {
	t := c.t
	t.Helper()
	for name, data := range files {
		if name == "trace" {
			if !bytes.HasPrefix(data, []byte("go 1.")) {
				t.Error("trace: not a trace")
			}
			continue
		}
		kind, ok := kinds[name]
		if !ok {
			t.Errorf("left behind: %s", name)
			continue
		}
		checkKind(t, name, data, kind.types, kind.function, kind.notFunction)
	}
	for name := range kinds {
		if files[name] == nil {
			t.Errorf("%s was not written", name)
		}
	}
	if files["trace"] == nil {
		t.Error("trace was not written")
	}
}

func checkKind(t *testing.T, name string, data []byte, types, function, notFunction string) {
	t.Helper()
	p, err := agent.Decode(data)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if got := sampleTypes(p); got != types {
		t.Errorf("%s: sample types %s, want %s", name, got, types)
	}
	if function != "" && !hasFunction(p, function) {
		t.Errorf("%s: no function is called %s", name, function)
	}
	if notFunction != "" && hasFunction(p, notFunction) {
		t.Errorf("%s: a function is called %s", name, notFunction)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("timed out")
}

// prog is testdata/prog, built once for all tests.
var prog string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agent")
	if err == nil {
		defer os.RemoveAll(dir)
		prog = filepath.Join(dir, "prog.exe")
		var out []byte
		out, err = exec.Command("go", "build", "-o", prog, "./testdata/prog").CombinedOutput()
		os.Stderr.Write(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building testdata/prog:", err)
		return 1
	}
	return m.Run()
}
