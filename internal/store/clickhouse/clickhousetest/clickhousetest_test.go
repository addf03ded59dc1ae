//go:build unix

package clickhousetest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test be a program that starts a server and is killed.
func TestMain(m *testing.M) {
	if os.Getenv("HONE_TEST_STARTS") == "" {
		os.Exit(m.Run())
	}
	s, err := startShared(StartSingle)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Pid(), s.dir)
	time.Sleep(time.Minute)
}

// TestInterface: the shim of today's engine answers as servers do.
func TestInterface(t *testing.T) {
	for _, c := range []struct {
		name   string
		server func(testing.TB) *Server
		denied int // status with a wrong password
	}{{"single", Single, http.StatusUnauthorized}, {"today", Today, http.StatusForbidden}} {
		t.Run(c.name, func(t *testing.T) {
			s := c.server(t)
			db := s.Database(t)
			do := func(status int, params url.Values, header http.Header, body io.Reader) string {
				t.Helper()
				req, err := http.NewRequest(http.MethodPost, "http://"+s.Addr+"/?"+params.Encode(), body)
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range header {
					req.Header[k] = v
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				data, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != status {
					t.Errorf("%v: %s, want %d: %s, %v", params, resp.Status, status, data, err)
				}
				return string(data)
			}
			numbers := func(n ...uint32) []byte {
				b, err := binary.Append(nil, binary.LittleEndian, n)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			in := func(query string) url.Values { return url.Values{"query": {query}, "database": {db}} }
			want := func(got, want string) {
				t.Helper()
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
			do(200, in("CREATE TABLE t (x UInt32) ENGINE = MergeTree ORDER BY x"), nil, nil)
			do(200, in("INSERT INTO t (x) FORMAT RowBinary"), nil, bytes.NewReader(numbers(1, 2)))
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			w.Write(numbers(3, 4))
			w.Close()
			// Of no known length: in chunks.
			do(200, in("INSERT INTO t FORMAT RowBinary"), http.Header{"Content-Encoding": {"gzip"}}, io.MultiReader(&zipped))
			do(200, in(""), nil, strings.NewReader("INSERT INTO t FORMAT RowBinary\n"+string(numbers(5))))
			want(do(200, in("SELECT x FROM t ORDER BY x FORMAT RowBinary"), nil, nil), string(numbers(1, 2, 3, 4, 5)))
			compressed := in("SELECT sum(x) FROM t")
			compressed.Set("enable_http_compression", "1")
			want(do(200, compressed, nil, nil), "15\n") // Go's client asks for gzip, and undoes it

			var form bytes.Buffer
			m := multipart.NewWriter(&form)
			part, err := m.CreateFormFile("chosen", "chosen")
			if err != nil {
				t.Fatal(err)
			}
			part.Write(numbers(2, 4, 6))
			m.Close()
			external := in("SELECT x FROM t WHERE x IN chosen ORDER BY x")
			external.Set("chosen_structure", "x UInt32")
			external.Set("chosen_format", "RowBinary")
			want(do(200, external, http.Header{"Content-Type": {m.FormDataContentType()}}, &form), "2\n4\n")
			limited := in("SELECT x FROM t")
			limited.Set("max_result_rows", "2")
			do(500, limited, nil, nil)

			if !strings.Contains(do(404, in("SELECT * FROM nothing"), nil, nil), "Code: 60") {
				t.Error("no code in the error of a table that is not there")
			}
			do(400, in("SELEKT"), nil, nil)
			user := func(name, password string) http.Header {
				return http.Header{"X-Clickhouse-User": {name}, "X-Clickhouse-Key": {password}}
			}
			want(do(200, in("SELECT 1"), user(User, Password), nil), "1\n")
			do(c.denied, in("SELECT 1"), user(User, "another"), nil)
			want(do(200, in("SELECT count() FROM t"), user(Reader, ""), nil), "5\n")
			if got := do(500, in("INSERT INTO t FORMAT RowBinary"), user(Reader, ""), bytes.NewReader(numbers(1))); !strings.Contains(got, "Code: 164") {
				t.Errorf("who may only read inserts: %s", got)
			}
		})
	}
}

// TestParameters are what today's engine has and Debian's lacks.
func TestParameters(t *testing.T) {
	s := Today(t)
	resp, err := http.Get("http://" + s.Addr + "/?" + url.Values{"query": {"SELECT {s:String}, {n:UInt64} + 1"}, "param_s": {`it's\\`}, "param_n": {"41"}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	if want := "it\\'s\\\\\t42\n"; string(data) != want {
		t.Errorf("%q, want %q", data, want)
	}
}

// TestRestart: a server that was killed has what it was given.
func TestRestart(t *testing.T) {
	for name, start := range map[string]func(string) (*Server, error){"single": StartSingle, "today": StartToday} {
		t.Run(name, func(t *testing.T) {
			s := ForTest(t, start)
			db := s.Name(t)
			for _, statement := range []string{
				"CREATE DATABASE " + db, "CREATE TABLE " + db + ".t (x UInt32) ENGINE = MergeTree ORDER BY x", "INSERT INTO " + db + ".t VALUES (7)",
			} {
				if _, err := s.Query(statement); err != nil {
					t.Fatal(err)
				}
			}
			s.Kill()
			if _, err := s.Query("SELECT 1"); err == nil {
				t.Error("a server that was killed answers")
			}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Query("SELECT x FROM " + db + ".t"); got != "7\n" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestCluster: rows of all shards are found on each server, and a replica that was
// killed catches up.
func TestCluster(t *testing.T) {
	skipShort(t)
	c := ForTest(t, func(dir string) (*Cluster, error) { return StartCluster(dir, 2, 2) })
	db := c.Database(t)
	ask := func(s *Server, statement, want string) {
		t.Helper()
		var got string
		var err error
		for range 100 { // replicas follow a moment later
			if got, err = s.Query(statement); err == nil && got == want {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%s: %s: %q, %v; want %q", s.Addr, statement, got, err, want)
	}
	first := c.Servers()[0]
	for _, statement := range []string{
		"CREATE TABLE " + db + ".own ON CLUSTER hone (x UInt32) ENGINE = ReplicatedReplacingMergeTree('/hone/" + db + "/{shard}', '{replica}') ORDER BY x",
		"CREATE TABLE " + db + ".all ON CLUSTER hone AS " + db + ".own ENGINE = Distributed(hone, " + db + ", own, x)",
	} {
		if _, err := first.Query(statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.Query("INSERT INTO " + db + ".all SELECT number FROM system.numbers LIMIT 1000"); err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Servers() {
		ask(s, "SELECT count() FROM "+db+".all", "1000\n")
		ask(s, "SELECT count() FROM "+db+".own", "500\n")
	}
	c.Shards[1][1].Kill()
	if _, err := c.Shards[1][0].Query("INSERT INTO " + db + ".own VALUES (5000)"); err != nil {
		t.Fatal(err)
	}
	ask(first, "SELECT count() FROM "+db+".all", "1001\n")
	if err := c.Shards[1][1].Start(); err != nil {
		t.Fatal(err)
	}
	ask(c.Shards[1][1], "SELECT count() FROM "+db+".own", "501\n")
}

// TestEnd: what tests share ends with the process, and its folder goes.
func TestEnd(t *testing.T) {
	Single(t) // skips
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "HONE_TEST_STARTS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	var pid int
	var dir string
	if _, err := fmt.Sscan(line, &pid, &dir); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		running := syscall.Kill(pid, 0) == nil && !ended(pid)
		_, err := os.Stat(dir)
		if !running && os.IsNotExist(err) {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("a minute after the process was killed: server runs: %v; folder: %v", running, err)
		}
	}
}

// ended reports whether a process has ended that nobody waited for.
func ended(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	return err == nil && strings.Contains(string(status), ") Z ")
}
