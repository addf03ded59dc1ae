package ingesttest

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Client is a real client of a protocol, and what it sends.
type Client struct {
	Program  string   // of test/agents
	Args     []string // besides -addr, -name and -sent
	HostPort bool     // -addr is host:port, and not a URL
	AtLeast  int64    // profiles to wait for
	Kinds    []string // of profiles, all of which have to come

	// Through, unless it is nil, returns the host:port that the client is told
	// in place of the server's.
	Through func(server string) string
	// Check, unless it is nil, looks at what is in the store, by kind, and at the
	// folder of what has been sent, and at what the client has said.
	Check func(stored map[string]*profile.Profile, sent, output string)
}

// CheckClient lets a client send to a store, which it closes: the sum of every
// sample type of every kind in the store has to be what was sent, and the labels
// those of the client.
func CheckClient(t *testing.T, st store.Store, mount func(*http.ServeMux, ingest.Receiver), c Client) {
	t.Helper()
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	server := Serve(t, ingest.New(ingest.Config{Store: st}), mount)
	addr := server.URL
	if c.HostPort {
		addr = server.Listener.Addr().String()
	}
	if c.Through != nil {
		addr = c.Through(server.Listener.Addr().String())
	}
	sent := t.TempDir()
	agent := StartAgent(t, c.Program, os.Environ(), append([]string{"-addr", addr, "-name", "shop", "-sent", sent}, c.Args...)...)
	waitFor(t, st, c)
	agent.stop()
	checkSums(t, st, sent)
	for name, want := range map[string][]string{store.LabelService: {"shop"}, store.LabelInstance: {"host-1"}} {
		if got := labelValues(t, st, name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if c.Check != nil {
		kinds := map[string]*profile.Profile{}
		for _, g := range merged(t, st) {
			kinds[g.Labels.Get(store.LabelKind)] = g.Profile
		}
		c.Check(kinds, sent, agent.Output())
	}
}

// sampleSums are sums of values by kind of profile and "type/unit".
type sampleSums map[string]map[string]int64

func (s sampleSums) add(kind, sampleType string, v int64) {
	if s[kind] == nil {
		s[kind] = map[string]int64{}
	}
	s[kind][sampleType] += v
}

// sumsOf returns the sums of the profiles in a folder, read by another library
// than hone's, and their number.
func sumsOf(t testing.TB, folder string) (all sampleSums, profiles int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all = sampleSums{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pprof.ParseData(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kind, _, _ := strings.Cut(filepath.Base(file), "-")
		for i, st := range p.SampleType {
			all.add(kind, st.Type+"/"+st.Unit, 0)
			for _, s := range p.Sample {
				all.add(kind, st.Type+"/"+st.Unit, s.Value[i])
			}
		}
	}
	return all, int64(len(files))
}

// stored returns the sums of what is in a store, and the number of profiles.
func stored(t testing.TB, st store.Store) (all sampleSums, profiles int64) {
	t.Helper()
	all = sampleSums{}
	for _, g := range merged(t, st) {
		profiles += g.Profiles
		for sampleType, v := range ValueSums(g.Profile) {
			all.add(g.Labels.Get(store.LabelKind), sampleType, v)
		}
	}
	return all, profiles
}

// merged returns what is in a store, by kind.
func merged(t testing.TB, st store.Store) []store.Group {
	t.Helper()
	groups, err := st.Merge(context.Background(), store.Query{By: []string{store.LabelKind}})
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// waitFor waits until a store has profiles of all kinds, several times.
func waitFor(t testing.TB, st store.Store, c Client) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got, profiles := stored(t, st)
		missing := ""
		for _, kind := range c.Kinds {
			if got[kind] == nil {
				missing = kind
			}
		}
		if missing == "" && profiles >= c.AtLeast {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after two minutes there are %d profiles, and none of %q: %v", profiles, missing, got)
		}
	}
}

// checkSums compares what is in a store with what has been sent, which is in a
// folder.
func checkSums(t testing.TB, st store.Store, folder string) {
	t.Helper()
	got, kept := stored(t, st)
	want, sent := sumsOf(t, folder)
	if kept != sent {
		t.Errorf("%d profiles are in the store, %d have been sent", kept, sent)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in the store: %v\nhas been sent: %v", got, want)
	}
	for kind, of := range want {
		for sampleType, v := range of {
			if v == 0 && kind != "goroutineleak" {
				t.Errorf("%s: no %s at all", kind, sampleType)
			}
		}
	}
}

// labelValues returns the values of a label in a store.
func labelValues(t testing.TB, st store.Store, name string) []string {
	t.Helper()
	all, err := st.Labels(context.Background(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if l.Name == name {
			return l.Values
		}
	}
	return nil
}
