//go:build unix

package doc_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// A step of a page: a block of commands that run until ^C, or one after the other, or a file to write.
var step = regexp.MustCompile("(?ms)^<!-- (until \\^C|then|write: (\\S+)) -->\n```\\w+\n(.*?)^```$")

// TestSteps follows pages as a reader does, in a new folder for each and at other ports.
func TestSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers and puts load on one")
	}
	for _, page := range []struct {
		name  string
		steps int
		wants []string // what the commands print
		after string   // the page that its readers have followed before
	}{
		{name: "quick-start.md", steps: 13, wants: []string{
			"hone bench -bench '^BenchmarkCount$'", "example.com/words.Count via regexp.MustCompile", "regexp-per-call-", "a request costs", "4 words",
		}},
		{name: "serve.md", steps: 2, wants: []string{`== {version="v1"}`, `== {version="v2"}`, "encoding/json.checkValid"}},
		{name: "query.md", steps: 5, wants: []string{"main.compareAny", "FUNCTION", "DURATION", "cpu.html", "flat%"}, after: "serve.md"},
		{name: "api.md", steps: 4, wants: []string{"main.compareAny", `"series":`, `"functions":`, "flat%"}, after: "serve.md"},
		{name: "load.md", steps: 3, wants: []string{"answered", "response", "a request costs", "Type: cpu"}},
		{name: "security.md", steps: 1, wants: []string{"agents", "alice", "write", "read"}},
	} {
		t.Run(page.name, func(t *testing.T) {
			shell := reader(t)
			if page.after != "" {
				follow(t, shell, page.after)
			}
			n, printed := follow(t, shell, page.name)
			check(t, n, page.steps, printed, page.wants)
		})
	}
}

// TestCluster follows the page that needs ClickHouse.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts ClickHouse")
	}
	clickhousetest.SkipMissing(t, clickhousetest.InstallCluster())
	n, printed := follow(t, reader(t), "cluster.md")
	check(t, n, 5, printed, []string{
		"all servers of the cluster hone", `== {version="v1"}`, `== {version="v2"}`, "FUNCTION", "encoding/json.checkValid", "profiles",
	})
}

func check(t *testing.T, steps, wantSteps int, printed string, wants []string) {
	t.Helper()
	if steps != wantSteps {
		t.Errorf("%d steps, want %d", steps, wantSteps)
	}
	for _, want := range wants {
		if !strings.Contains(printed, want) {
			t.Errorf("the page's commands print no %q:\n%s", want, printed)
		}
	}
}

// follow runs the steps of a page, and returns how many there are and what those print that end. The
// others end with the test.
func follow(t *testing.T, shell func(commands string) *exec.Cmd, page string) (count int, printed string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	steps := step.FindAllStringSubmatch(string(text), -1)
	for _, s := range steps {
		kind, name, commands := s[1], s[2], s[3]
		if name != "" {
			commands = fmt.Sprintf("mkdir -p %s\ncat >%s <<'EOF'\n%sEOF\n", path.Dir(name), name, commands)
		}
		cmd := shell(commands)
		if kind != "until ^C" {
			out, err := cmd.CombinedOutput()
			// Whether a rewrite is faster can't always be told, least of all in a hurry.
			if err != nil && !bytes.Contains(out, []byte("\ninconclusive ")) {
				t.Fatalf("%s: %v\n%s", commands, err, out)
			}
			printed += string(out)
			continue
		}
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		t.Cleanup(func() {
			defer out.Close()
			syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // as ^C does
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Errorf("%s: ^C does not end it", commands)
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		})
		for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			said, _ := os.ReadFile(out.Name())
			if bytes.Contains(said, []byte("^C ends")) {
				break
			}
			if time.Since(start) > time.Minute || len(ended) > 0 {
				t.Fatalf("%s: says\n%s", commands, said)
			}
		}
	}
	return len(steps), printed
}

// reader returns a shell for a reader of a page: in a folder with examples, testdata and hone's go.mod,
// with hone in the PATH, no state of hone's, and free ports. Commands begin in the folder where the ones before ended.
func reader(t *testing.T) func(commands string) *exec.Cmd {
	t.Helper()
	hone, err := filepath.Abs(honeBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	links := map[string]string{filepath.Join(bin, "hone"): hone}
	for _, name := range []string{"examples", "testdata", "go.mod", "go.sum"} {
		links[filepath.Join(dir, name)] = filepath.Join(repository, name)
	}
	for link, target := range links {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(bin, "folder") // its name is in this file
	if err := os.WriteFile(folder, []byte(dir), 0o666); err != nil {
		t.Fatal(err)
	}
	first := freePorts(t, 20)
	port := func(n int) string { return strconv.Itoa(first + n) }
	ports := strings.NewReplacer(":8123", ":"+port(0), ":8124", ":"+port(1), ":8080", ":"+port(17), ":4600", ":"+port(18), ":4602", ":"+port(19),
		"hone serve\n", "hone serve -listen 127.0.0.1:"+port(18)+"\n",
		// The quick start measures for minutes, and its results don't matter here.
		"hone bench\n", "hone bench -count 2\n", "hone bench -against HEAD\n", "hone bench -for 5s -against HEAD\n",
		"hone fix ", "hone fix -count 4 ", "hone load http -rate 50 ", "hone load http -max-late 1 -goal 'silence<=1m' -duration 2s -rate 50 ",
		"hone load http", "hone load http -max-late 1 -goal 'silence<=1m'") // which a busy machine needs
	return func(commands string) *exec.Cmd {
		cmd := exec.Command("sh", "-euc", "cd \"$(cat \"$FOLDER\")\"\n"+ports.Replace(commands)+"\npwd >\"$FOLDER\"\n")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":/usr/sbin:"+os.Getenv("PATH"), "PORTS="+port(0), "FOLDER="+folder,
			"GIT_AUTHOR_NAME=reader", "GIT_AUTHOR_EMAIL=reader@localhost", "GIT_COMMITTER_NAME=reader", "GIT_COMMITTER_EMAIL=reader@localhost",
			"HONE_SERVER=http://127.0.0.1:"+port(18), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd
	}
}

// freePorts returns the first of n ports in a row that nobody listens at.
func freePorts(t *testing.T, n int) int {
	t.Helper()
next:
	for first := 10_000 + os.Getpid()%1000*20; first < 31_000; first += n {
		for i := range n {
			l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first+i))
			if err != nil {
				continue next
			}
			l.Close()
		}
		return first
	}
	t.Fatal("there are no free ports")
	return 0
}
