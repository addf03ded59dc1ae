package parca

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/profile"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealClient: profiles written through gRPC to WriteRaw arrive with all their values.
func TestRealClient(t *testing.T) {
	ingesttest.CheckClient(t, openStore(t), Mount, ingesttest.Client{Program: "parca", HostPort: true, AtLeast: 5, Kinds: []string{"cpu", "heap", "goroutine", "mutex", "block"}})
}

func openStore(t *testing.T) *disk.Store {
	t.Helper()
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// agent is the reporter of Parca's agent, which sends all it has as one record.
func agent(t *testing.T, schema string) ingesttest.Client {
	return ingesttest.Client{Program: "parcaagent", Args: []string{"-schema", schema}, HostPort: true, AtLeast: 3,
		Kinds: []string{"cpu", "offcpu", "heap"}, Check: func(stored map[string]*profile.Profile, sent, output string) {
			for kind, got := range stored {
				checkSamples(t, kind, got, filepath.Join(sent, kind+"-1.pb.gz"))
			}
			if strings.Contains(output, "upload") {
				t.Errorf("the agent tries to upload debug information:\n%s", output)
			}
		}}
}

// TestRealAgent: what the agent samples arrives stack by stack, in both schemas.
func TestRealAgent(t *testing.T) {
	for _, schema := range []string{"1", "2"} {
		t.Run("v"+schema, func(t *testing.T) { ingesttest.CheckClient(t, openStore(t), Mount, agent(t, schema)) })
	}
}

// TestRealAgentCutOff: a connection that ends before a record is kept, and one
// that ends when it is and before the agent knows, lose and double nothing.
func TestRealAgentCutOff(t *testing.T) {
	p := &proxy{t: t}
	c := agent(t, "2")
	c.Through = p.listen
	ingesttest.CheckClient(t, openStore(t), func(mux *http.ServeMux, recv ingest.Receiver) { Mount(mux, &cutting{Receiver: recv, cut: p.cut}) }, c)
	if p.accepted < 3 {
		t.Errorf("the agent connected %d times: nothing was cut off", p.accepted)
	}
}

// cutting is a Receiver whose first two senders don't get to know what became of
// their profiles: nothing of the first ones', and those of the second are kept.
type cutting struct {
	ingest.Receiver
	cut func()
	mu  sync.Mutex
	n   int
}

func (c *cutting) Receive(ctx context.Context, protocol string, pushes ...ingest.Push) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.n == 1 {
		c.cut()
		return errors.New("cut off")
	}
	err := c.Receiver.Receive(context.WithoutCancel(ctx), protocol, pushes...)
	if c.n == 2 {
		c.cut()
	}
	return err
}

// A proxy hands on what it gets, until it is cut.
type proxy struct {
	t        *testing.T
	mu       sync.Mutex
	conns    []net.Conn
	accepted int
}

func (p *proxy) listen(server string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		l.Close()
		p.cut()
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return // closed
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				continue
			}
			p.mu.Lock()
			p.accepted++
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			go io.Copy(in, out)
			go io.Copy(out, in)
		}
	}()
	return l.Addr().String()
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// checkSamples compares samples with those in a file: stacks, labels and values.
func checkSamples(t *testing.T, kind string, got *profile.Profile, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	want, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g, w := samplesOf(got), samplesOf(want)
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if !slices.Equal(g[key], w[key]) {
			t.Errorf("%s: %s: %v, want %v", kind, key, g[key], w[key])
		}
		delete(g, key)
	}
	for _, key := range slices.Sorted(maps.Keys(g)) {
		t.Errorf("%s: %s: %v, want none", kind, key, g[key])
	}
}

// samplesOf returns values by stack and labels.
func samplesOf(p *profile.Profile) map[string][]int64 {
	all := map[string][]int64{}
	for s := range p.NumSamples() {
		var parts []string
		for _, l := range p.Stack(s) {
			place := ""
			if m := p.MappingOf(l); m != nil {
				place = fmt.Sprintf("%s(%s)+%#x", m.File, m.BuildID, p.Locations[l].Address-m.Start)
			}
			for _, ln := range p.LocationLines(l) {
				fn := p.Functions[ln.Function]
				place += fmt.Sprintf(" %s(%s) %s:%d", p.Strings[fn.Name], p.Strings[fn.SystemName], p.Strings[fn.File], ln.Line)
			}
			parts = append(parts, place)
		}
		var labels []string
		for _, l := range p.SampleLabelSet(s) {
			labels = append(labels, p.Strings[l.Key]+"="+p.Strings[l.Str])
		}
		slices.Sort(labels)
		key := strings.Join(parts, ";") + " " + strings.Join(labels, ",")
		if all[key] == nil {
			all[key] = make([]int64, len(p.SampleTypes))
		}
		for t, column := range p.Values {
			all[key][t] += column[s]
		}
	}
	return all
}
