// Package collect_test runs each program of doc/collecting.md and checks that
// it yields valid profiles, each of its own kind.
package collect_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// kinds maps a profile's name to what tells it from the other kinds. Block and
// mutex profiles have the same sample types: only their frames differ.
var kinds = map[string]struct {
	sampleTypes string
	frame       string // some sample has a function that matches
	noFrame     string // none has one
}{
	"profile":      {"samples/count cpu/nanoseconds", `\.(hash|job)$`, ""},
	"heap":         {"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "", ""},
	"allocs":       {"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", "", ""},
	"block":        {"contentions/count delay/nanoseconds", `^(sync.*Mutex\)\.Lock|runtime\.(chan(send|recv)|selectgo).*)$`, `Mutex\)\.Unlock$`},
	"mutex":        {"contentions/count delay/nanoseconds", `^sync.*Mutex\)\.Unlock$`, `Mutex\)\.Lock$`},
	"goroutine":    {"goroutine/count", `^main\.main$`, ""},
	"threadcreate": {"threadcreate/count", "", ""},
}

func TestFlagsWritesEachKind(t *testing.T) {
	t.Parallel()
	args := func(dir string) []string {
		return []string{
			"-cpuprofile", filepath.Join(dir, "profile"),
			"-memprofile", filepath.Join(dir, "heap"),
			"-blockprofile", filepath.Join(dir, "block"),
			"-mutexprofile", filepath.Join(dir, "mutex"),
		}
	}
	check := func(t *testing.T, dir string) {
		for _, kind := range []string{"profile", "heap", "block", "mutex"} {
			data, err := os.ReadFile(filepath.Join(dir, kind))
			if err != nil {
				t.Error(err)
				continue
			}
			checkKind(t, kind, data)
		}
	}

	t.Run("at exit", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		out, err := exec.Command(program("flags"), append(args(dir), "-for", "2s")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		check(t, dir)
	})

	t.Run("on interrupt", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("windows cannot send an interrupt to one process")
		}
		dir := t.TempDir()
		cmd := exec.Command(program("flags"), append(args(dir), "-for", "1h")...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		// The signal must not arrive before the program listens for it: wait
		// for the CPU profile's file, created after that.
		waitFor(t, filepath.Join(dir, "profile"))
		letWork(t, cmd)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		check(t, dir)
	})
}

func TestAgentWritesOnInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("windows cannot send an interrupt to one process")
	}
	dir := t.TempDir()
	files := map[string]string{"profile": "-cpuprofile", "heap": "-memprofile"}
	args := []string{"-for", "1m"}
	for kind, flag := range files {
		args = append(args, flag, filepath.Join(dir, kind))
	}
	cmd := sampled(exec.Command(program("withagent"), args...))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	letWork(t, cmd)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: interrupt" {
		t.Errorf("%v, want an end by the signal", err)
	}
	for kind := range files {
		data, err := os.ReadFile(filepath.Join(dir, kind))
		if err != nil {
			t.Error(err)
			continue
		}
		checkKind(t, kind, data)
	}
}

func TestServersServeEachKind(t *testing.T) {
	always := []string{"profile?seconds=2", "heap", "allocs", "goroutine", "threadcreate"}
	tests := []struct {
		program string
		args    []string
		load    bool // needs requests to have something to do
		serves  []string
	}{
		{"defaultmux", []string{"-addr", "127.0.0.1:0"}, true, always},
		{"custommux", []string{"-addr", "127.0.0.1:0", "-debug", "127.0.0.1:0"}, true, always},
		{"withagent", []string{"-debug", "127.0.0.1:0", "-for", "1m"}, false, always},
		{"sidecar", []string{"-debug", "127.0.0.1:0", "-blockprofilerate", "1000", "-mutexprofilefraction", "1"}, false,
			append(slices.Clone(always), "block", "mutex")},
	}
	for _, test := range tests {
		t.Run(test.program, func(t *testing.T) {
			t.Parallel()
			debugURL, publicURL := startServer(t, test.program, test.args)
			if test.load {
				go load(t.Context(), publicURL+"/hash/hone")
			}
			for _, path := range test.serves {
				kind, _, _ := strings.Cut(path, "?")
				data, err := get(t.Context(), debugURL+path)
				if err != nil {
					t.Error(err)
					continue
				}
				p := checkKind(t, kind, data)
				if p != nil && test.program == "sidecar" && kind == "profile" {
					if !slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool { return s.HasLabel("customer", "large") }) {
						t.Error("CPU profile: no sample is labelled customer=large")
					}
				}
			}
		})
	}
}

func TestCustomMuxHidesProfilesFromPublic(t *testing.T) {
	t.Parallel()
	_, publicURL := startServer(t, "custommux", []string{"-addr", "127.0.0.1:0", "-debug", "127.0.0.1:0"})
	if _, err := get(t.Context(), publicURL+"/debug/pprof/heap"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("public port, /debug/pprof/heap: %v, want status 404", err)
	}
}

// checkKind parses a profile and checks that it is of the named kind.
func checkKind(t *testing.T, kind string, data []byte) *profile.Profile {
	t.Helper()
	want := kinds[kind]
	p, err := profile.ParseData(data)
	if err != nil {
		t.Errorf("%s: %v", kind, err)
		return nil
	}
	if err := p.CheckValid(); err != nil {
		t.Errorf("%s: %v", kind, err)
	}
	var types []string
	for _, st := range p.SampleType {
		types = append(types, st.Type+"/"+st.Unit)
	}
	if got := strings.Join(types, " "); got != want.sampleTypes {
		t.Errorf("%s: sample types %s, want %s", kind, got, want.sampleTypes)
	}
	if len(p.Sample) == 0 {
		t.Errorf("%s: no samples", kind)
	}
	if want.frame != "" && !hasFunction(p, want.frame) {
		t.Errorf("%s: no function matches %s", kind, want.frame)
	}
	if want.noFrame != "" && ownFunction(p, want.noFrame) {
		t.Errorf("%s: a function matches %s", kind, want.noFrame)
	}
	return p
}

func hasFunction(p *profile.Profile, pattern string) bool {
	re := regexp.MustCompile(pattern)
	return slices.ContainsFunc(p.Function, func(f *profile.Function) bool { return re.MatchString(f.Name) })
}

// ownFunction is hasFunction without the waits for the runtime's own locks, which the
// mutex profile has too: the runtime takes such locks within Mutex.Lock.
func ownFunction(p *profile.Profile, pattern string) bool {
	re := regexp.MustCompile(pattern)
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		for i, l := range s.Location {
			for j, line := range l.Line {
				name := line.Function.Name
				if i == 0 && j == 0 && (name == "runtime.unlock" || name == "runtime._LostContendedRuntimeLock") {
					return false
				}
				if re.MatchString(name) {
					return true
				}
			}
		}
		return false
	})
}

// sampled has a program sample more of its allocations: these allocate so little that
// the usual rate may have none.
func sampled(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), "GODEBUG=memprofilerate=4096")
	return cmd
}

var announcement = regexp.MustCompile(`(serving|profiles) at (http://[^/]+)(/.*)`)

// startServer starts a program, which is killed when the test ends, and
// returns the URL of its profiles, with a slash at the end, and that of its
// public port, without one. A program with one port has one announcement.
func startServer(t *testing.T, name string, args []string) (debugURL, publicURL string) {
	t.Helper()
	cmd := sampled(exec.Command(program(name), args...))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var log strings.Builder
	lines := bufio.NewScanner(stderr)
	for debugURL == "" && lines.Scan() {
		fmt.Fprintln(&log, lines.Text())
		m := announcement.FindStringSubmatch(lines.Text())
		switch {
		case m == nil:
		case m[1] == "serving":
			publicURL = m[2]
		default:
			debugURL = m[2] + m[3]
			if publicURL == "" {
				publicURL = m[2]
			}
		}
	}
	if debugURL == "" {
		t.Fatalf("%s did not announce its profiles:\n%s", name, log.String())
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	return debugURL, publicURL
}

// load requests url over and over until ctx ends.
func load(ctx context.Context, url string) {
	for ctx.Err() == nil {
		_, _ = get(ctx, url)
	}
}

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, resp.Status, bytes.TrimSpace(body))
	}
	return body, err
}

// letWork waits until a program has used a second of processor time, and two seconds where that can't be seen.
func letWork(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if runtime.GOOS != "linux" {
		time.Sleep(2 * time.Second)
		return
	}
	for range 600 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest) // from the third on: see proc(5)
		user, _ := strconv.Atoi(fields[14-3])
		system, _ := strconv.Atoi(fields[15-3])
		if user+system >= 100 { // hundredths of a second
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("it does not work")
}

func waitFor(t *testing.T, file string) {
	t.Helper()
	for range 600 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s was not created", file)
}

// binDir holds the programs, built once for all tests.
var binDir string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	var err error
	binDir, err = os.MkdirTemp("", "collect")
	if err == nil {
		defer os.RemoveAll(binDir)
		var out []byte
		out, err = exec.Command("go", "build", "-o", binDir+string(filepath.Separator), "./...").CombinedOutput()
		os.Stderr.Write(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the programs:", err)
		return 1
	}
	return m.Run()
}

func program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(binDir, name)
}
