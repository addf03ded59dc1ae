//go:build unix

package doc_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// A step of doc/cluster.md: a block of commands that run until ^C, or one after the other.
var step = regexp.MustCompile("(?ms)^<!-- (until \\^C|then) -->\n```sh\n(.*?)^```$")

// TestCluster follows doc/cluster.md as whoever reads it does, in a folder of its own
// and at other ports.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts ClickHouse")
	}
	clickhousetest.SkipMissing(t, clickhousetest.InstallCluster())
	page, err := os.ReadFile("cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := step.FindAllStringSubmatch(string(page), -1)
	if len(steps) != 5 {
		t.Fatalf("%d steps", len(steps))
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "hone"), "../cmd/hone").CombinedOutput(); err != nil {
		t.Fatalf("building hone: %v\n%s", err, out)
	}
	for _, name := range []string{"examples", "testdata"} {
		if err := os.Symlink(filepath.Join(repository, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	first := freePorts(t, 20)
	port := func(n int) string { return strconv.Itoa(first + n) }
	ports := strings.NewReplacer(":8123", ":"+port(0), ":8124", ":"+port(1), ":4600", ":"+port(18), ":4602", ":"+port(19))
	shell := func(text string) *exec.Cmd {
		cmd := exec.Command("sh", "-euc", ports.Replace(text))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":/usr/sbin:"+os.Getenv("PATH"), "PORTS="+port(0), "HONE_SERVER=")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd
	}
	var printed string
	for _, s := range steps {
		cmd := shell(s[2])
		if s[1] == "then" {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", s[2], err, out)
			}
			printed += string(out)
			continue
		}
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		defer func() {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // as ^C does
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Errorf("%s: ^C does not end it", s[2])
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		}()
		for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			said, _ := os.ReadFile(out.Name())
			if bytes.Contains(said, []byte("^C ends")) {
				break
			}
			if time.Since(start) > time.Minute || len(ended) > 0 {
				t.Fatalf("%s: says\n%s", s[2], said)
			}
		}
	}
	for _, want := range []string{
		"all servers of the cluster hone", `== {version="v1"}`, `== {version="v2"}`, "FUNCTION", "encoding/json.checkValid", "profiles",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page's commands print no %q:\n%s", want, printed)
		}
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
