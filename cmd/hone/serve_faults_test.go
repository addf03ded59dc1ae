//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// TestServeFaults: two nodes of hone on a cluster take profiles while replicas are
// killed, nodes are killed, and the nodes are cut off from a shard, at random moments.
// In the end each profile that was acknowledged is there once. HONE_TEST_KILLS says how
// often replicas are killed.
func TestServeFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	kills := 2
	if n, err := strconv.Atoi(os.Getenv("HONE_TEST_KILLS")); err == nil {
		kills = n
	}
	cluster := clickhousetest.ForTest(t, func(dir string) (*clickhousetest.Cluster, error) { return clickhousetest.StartCluster(dir, 2, 2) })
	t.Setenv("HONE_TEST_HONE", "1") // see TestMain
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// What hone reaches the servers through, by shard.
	var addresses []string
	gates := make([][]*gate, len(cluster.Shards))
	for shard, replicas := range cluster.Shards {
		for _, s := range replicas {
			g := newGate(t, s.Addr)
			gates[shard] = append(gates[shard], g)
			addresses = append(addresses, g.addr)
		}
	}
	store := created(t, "clickhouse://"+strings.Join(addresses, ",")+"/hone?cluster="+clickhousetest.ClusterName+"&timeout=20s")
	nodes := []*honeNode{{program: program, data: t.TempDir(), store: store}, {program: program, data: t.TempDir(), store: store}}
	for _, n := range nodes {
		n.start(t)
		t.Cleanup(n.kill)
	}

	load, stop := context.WithCancel(t.Context())
	var sent atomic.Int64
	var senders sync.WaitGroup
	file, err := os.ReadFile(testdata("cpu.json-decode.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 8
	t.Cleanup(senders.Wait) // they end with the test, if it fails
	begin := time.Now().Add(-time.Hour)
	for i := range atOnce {
		senders.Go(func() {
			for load.Err() == nil {
				n := sent.Add(1)
				q := url.Values{"service": {fmt.Sprint("s", n%5)}, "instance": {fmt.Sprint(i)}, "key": {fmt.Sprint("k", n)},
					"time": {strconv.FormatInt(begin.Add(time.Duration(n)*time.Millisecond).UnixNano(), 10)}}
				// The same profile, again and at one node after the other, until it is acknowledged.
				for try := i; t.Context().Err() == nil && !nodes[try%2].push(t.Context(), q, file); try++ {
					time.Sleep(50 * time.Millisecond)
				}
			}
		})
	}

	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	pause := func(most int) { time.Sleep(time.Duration(r.IntN(most)) * time.Millisecond) }
	for kill := range kills {
		pause(1500)
		replicas := cluster.Shards[r.IntN(len(cluster.Shards))]
		s := replicas[r.IntN(len(replicas))]
		s.Kill()
		pause(1500)
		switch kill % 3 {
		case 0:
			n := nodes[kill/3%2]
			n.kill()
			n.start(t)
		case 1:
			for _, g := range gates[r.IntN(len(gates))] {
				g.cut(true)
			}
			pause(2000)
			for _, shard := range gates {
				for _, g := range shard {
					g.cut(false)
				}
			}
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		// All is in service again when each sender has gone on.
		for start, more := time.Now(), sent.Load()+2*atOnce; sent.Load() < more; time.Sleep(20 * time.Millisecond) {
			if time.Since(start) > 2*time.Minute {
				t.Fatalf("2 minutes after all were started again, %d of %d profiles came through", sent.Load()+2*atOnce-more, 2*atOnce)
			}
		}
	}
	stop()
	senders.Wait()
	t.Logf("%d replicas killed, %d profiles acknowledged", kills, sent.Load())

	// Each node answers for all, one after the other, as that of before is killed.
	for _, n := range nodes {
		var answer struct {
			Series []struct {
				Total struct{ Value, Profiles int64 }
			}
		}
		n.get(t, "/api/v1/series?"+url.Values{"q": {"cpu"}, "from": {"-1d"}, "step": {"1d"}}.Encode(), &answer)
		var value, profiles int64
		for _, s := range answer.Series {
			value, profiles = value+s.Total.Value, profiles+s.Total.Profiles
		}
		const each = 1_100_000_000 // ns of CPU time in the file
		if profiles != sent.Load() || value != sent.Load()*each {
			t.Errorf("%d profiles with %d ns; %d were acknowledged, which have %d ns", profiles, value, sent.Load(), sent.Load()*each)
		}
		n.kill()
	}
}

// A honeNode is a hone serve in a process of its own, at an address that stays.
type honeNode struct {
	program, data, store string

	mu   sync.Mutex
	addr string
	cmd  *exec.Cmd
}

func (n *honeNode) start(t *testing.T) {
	t.Helper()
	if n.addr == "" {
		n.addr = "127.0.0.1:0"
	}
	for start := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		cmd := exec.Command(n.program, "serve", "-data", n.data, "-listen", n.addr, "-store", n.store)
		var problem bytes.Buffer
		cmd.Stderr = &problem
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 4096)
		k, _ := out.Read(line)
		if m := servingLine.FindSubmatch(line[:k]); m != nil {
			n.mu.Lock()
			n.addr, n.cmd = strings.TrimPrefix(string(m[1]), "http://"), cmd
			n.mu.Unlock()
			return
		}
		cmd.Wait() // it is started again, as the system would
		if time.Since(start) > time.Minute {
			t.Fatalf("hone serve does not start: %s%s", line[:k], problem.String())
		}
	}
}

func (n *honeNode) kill() {
	if n.cmd.ProcessState == nil {
		n.cmd.Process.Kill()
		n.cmd.Wait()
	}
}

// push reports whether a profile was acknowledged.
func (n *honeNode) push(ctx context.Context, q url.Values, file []byte) bool {
	n.mu.Lock()
	addr := n.addr
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/api/v1/profiles?"+q.Encode(), bytes.NewReader(file))
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusNoContent
}

// get asks a node until it answers: replicas that were started again catch up first.
func (n *honeNode) get(t *testing.T, path string, into any) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		resp, err := http.Get("http://" + n.addr + path)
		var data []byte
		if err == nil {
			data, _ = io.ReadAll(resp.Body)
			resp.Body.Close()
			if err = json.Unmarshal(data, into); err == nil && resp.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%s: %v %s", path, err, data)
		}
	}
}

// A gate is an address that leads to another, unless it is cut.
type gate struct {
	addr string

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g := &gate{addr: l.Addr().String(), open: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.pass(c, to)
		}
	}()
	return g
}

func (g *gate) pass(c net.Conn, to string) {
	defer c.Close()
	d, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer d.Close()
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return
	}
	g.open[c] = true
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.open, c)
		g.mu.Unlock()
	}()
	go func() {
		io.Copy(d, c)
		d.Close()
	}()
	io.Copy(c, d)
}

// cut ends connections and has no others until it is called with false.
func (g *gate) cut(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	for c := range g.open {
		c.Close()
	}
}
