package agent

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// service is a run of testdata/service.
type service struct {
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
}

func startService(t *testing.T, program, server, spool string) *service {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "HONE_SERVER="+server, "HONE_VERSION=v1", "SPOOL="+spool)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &service{cmd, stdin, bufio.NewScanner(stdout)}
}

// spooled waits until the program says that so many profiles are on disk.
func (s *service) spooled(t *testing.T, want int) {
	t.Helper()
	for s.lines.Scan() {
		if n, err := strconv.Atoi(s.lines.Text()); err == nil && n >= want {
			return
		}
	}
	t.Fatalf("the program has ended: %v", s.lines.Err())
}

// TestKilledPrograms has a program die by SIGKILL without a server, again and
// again, and another run of it deliver what all of them have left.
func TestKilledPrograms(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "shop.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/service").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := newReceiver(t)
	d := newDownServer(t)
	spool := filepath.Join(dir, "spool")
	for run := range 3 {
		s := startService(t, program, "http://"+d.addr, spool)
		s.spooled(t, 4*(run+1))
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Wait()
	}
	// They lie there longer than a minute by the time that another process
	// takes them for orphans.
	var left []string
	entries, err := os.ReadDir(spool)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		taken, key, ok := spoolName(e.Name())
		if !ok {
			continue // it was being written when the process died
		}
		left = append(left, key)
		p := &parcel{taken: taken.Add(-2 * time.Minute), key: key}
		if err := os.Rename(filepath.Join(spool, e.Name()), inSpool(spool, p)); err != nil {
			t.Fatal(err)
		}
	}
	if len(left) < 12 {
		t.Fatalf("%d profiles are left, the programs had at least 12", len(left))
	}
	d.up(r)
	s := startService(t, program, "http://"+d.addr, spool)
	got := func() map[string]bool {
		keys := make(map[string]bool)
		for _, p := range r.all("") {
			keys[p.query.Get("key")] = true
		}
		return keys
	}
	eventually(t, "what was left arrives", func() bool {
		keys := got()
		for _, k := range left {
			if !keys[k] {
				return false
			}
		}
		return true
	})
	eventually(t, "a CPU profile with work in it", func() bool { return total(t, r.all(KindCPU), "cpu", "main.work") > 0 })
	_ = s.stdin.Close()
	var last string
	for s.lines.Scan() {
		last = s.lines.Text()
	}
	if err := s.cmd.Wait(); err != nil || !strings.Contains(last, "SpoolFiles:0 ") || !strings.Contains(last, "Dropped:0 ") {
		t.Errorf("%v; %s", err, last)
	}
	r.checkKeys()
	for _, p := range r.all("") {
		q := p.query
		if q.Get("service") != "service" || q.Get("version") != "v1" || !strings.Contains(q.Get("instance"), ":") {
			t.Errorf("identity %v", q)
		}
	}
	labels := make(map[string]bool)
	for _, p := range r.all(KindCPU) {
		for _, s := range mustDecode(t, p.body).Samples {
			for _, v := range s.Labels["customer"] {
				labels[v] = true
			}
		}
	}
	if !labels["large"] {
		t.Errorf("the program's labels are %v", labels)
	}
}

func inSpool(dir string, p *parcel) string { return (&spool{dir: dir}).path(p) }
