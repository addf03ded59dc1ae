package cloudprofiler

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// fill puts n CPU profiles of one project into a store, several of them at each
// time, and one of another project and of another protocol.
func fill(t *testing.T, st store.Store, n int) {
	t.Helper()
	var records []store.Record
	add := func(id byte, time int64, labels ...store.Label) {
		p, err := profile.DecodeBytes(ingesttest.Profile(t, "cpu.tree.pb.gz"), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		ls, err := store.NewLabels(labels...)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, store.Record{ID: store.ID{id, 1}, Labels: ls, Time: time, Duration: 10e9, Profile: p})
	}
	const start = 1_790_000_000_000_000_000
	for i := range n {
		add(byte(i*37), start+int64(i/3)*1e9, // identity and time in different orders
			store.Label{Name: "project", Value: "acme"}, store.Label{Name: "service", Value: "shop"}, store.Label{Name: "kind", Value: "cpu"},
			store.Label{Name: "version", Value: fmt.Sprint(i % 2)}, store.Label{Name: "instance", Value: fmt.Sprint(i)}, store.Label{Name: "language", Value: "go"})
	}
	add(255, start, store.Label{Name: "project", Value: "other"}, store.Label{Name: "service", Value: "shop"}, store.Label{Name: "kind", Value: "cpu"})
	add(254, start, store.Label{Name: "service", Value: "bank"}, store.Label{Name: "kind", Value: "block"})
	if err := st.Put(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

func exporter(t *testing.T, st store.Store, cfg Config) (profilerpb.ExportServiceClient, string) {
	t.Helper()
	mux := http.NewServeMux()
	s := newService(t, new(recorder), st, cfg)
	s.Mount(mux)
	addr := serve(t, mux, s.Close)
	return profilerpb.NewExportServiceClient(h2c(), "http://"+addr, connect.WithGRPC()), addr
}

// listAll returns all profiles of a project, by pages.
func listAll(t *testing.T, c profilerpb.ExportServiceClient, project string, size int32, between func()) (all []*profilerpb.Profile) {
	t.Helper()
	req := &profilerpb.ListProfilesRequest{Parent: "projects/" + project, PageSize: size}
	for {
		resp, err := c.ListProfiles(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if size > 0 && len(resp.Profiles) > int(size) || resp.SkippedProfiles != 0 {
			t.Errorf("a page of %d profiles, %d skipped", len(resp.Profiles), resp.SkippedProfiles)
		}
		all = append(all, resp.Profiles...)
		if req.PageToken = resp.NextPageToken; req.PageToken == "" {
			return all
		}
		if between != nil {
			between()
		}
	}
}

// Whatever the size of pages, each profile is listed once, the latest first.
func TestListPages(t *testing.T) {
	st := storetest.NewModel()
	fill(t, st, 20)
	c, _ := exporter(t, st, Config{})
	for _, size := range []int32{0, 1, 2, 3, 4, 7, 19, 20, 21, 5000} {
		all := listAll(t, c, "acme", size, nil)
		instances := make(map[string]bool)
		for i, p := range all {
			instances[p.Labels["instance"]] = true
			if i > 0 && p.StartTime.AsTime().After(all[i-1].StartTime.AsTime()) {
				t.Errorf("pages of %d: profile %d is later than the one before", size, i)
			}
		}
		if len(all) != 20 || len(instances) != 20 {
			t.Errorf("pages of %d: %d profiles of %d instances", size, len(all), len(instances))
		}
	}
	for _, c := range []struct {
		project string
		want    int
	}{{"other", 1}, {"nobody", 0}, {"-", 22}} {
		ex, _ := exporter(t, st, Config{})
		if got := len(listAll(t, ex, c.project, 0, nil)); got != c.want {
			t.Errorf("project %s has %d profiles, want %d", c.project, got, c.want)
		}
	}
}

// Profiles that come while somebody turns pages don't move what is on them.
func TestListWhileProfilesArrive(t *testing.T) {
	st := storetest.NewModel()
	fill(t, st, 20)
	c, _ := exporter(t, st, Config{})
	recv := &recorder{cfg: ingest.Config{Store: st}}
	n := 0
	all := listAll(t, c, "acme", 3, func() {
		n++
		err := recv.Receive(t.Context(), Protocol, ingest.Push{Data: ingesttest.Profile(t, "cpu.tree.pb.gz"), Kind: "cpu", Time: time.Now().UnixNano(), Key: fmt.Sprint(n),
			Labels: []store.Label{{Name: "project", Value: "acme"}, {Name: "service", Value: "shop"}}})
		if err != nil {
			t.Fatal(err)
		}
	})
	instances := make(map[string]bool)
	for _, p := range all {
		instances[p.Labels["instance"]] = true
	}
	if n == 0 || len(all) != 20 || len(instances) != 20 {
		t.Errorf("%d profiles of %d instances, while %d came", len(all), len(instances), n)
	}
}

// What is listed is what was sent.
func TestListedProfile(t *testing.T) {
	st := storetest.NewModel()
	recv := &recorder{cfg: ingest.Config{Store: st}}
	s := newService(t, recv, st, Config{})
	mux := http.NewServeMux()
	s.Mount(mux)
	addr := serve(t, mux, s.Close)
	sent := ask(t, profilerpb.NewProfilerServiceClient(h2c(), "http://"+addr, connect.WithGRPC()), "shop")
	sent.Labels["comm"] = "a.out"
	if err := update(t, profilerpb.NewProfilerServiceClient(h2c(), "http://"+addr, connect.WithGRPC()), sent); err != nil {
		t.Fatal(err)
	}
	resp, err := profilerpb.NewExportServiceClient(h2c(), "http://"+addr).ListProfiles(t.Context(), &profilerpb.ListProfilesRequest{Parent: "projects/acme"})
	if err != nil || len(resp.Profiles) != 1 {
		t.Fatalf("%v, %v", resp, err)
	}
	got := resp.Profiles[0]
	if got.ProfileType != cpu || !maps.Equal(got.Labels, sent.Labels) || got.Deployment.String() != sent.Deployment.String() || !strings.HasPrefix(got.Name, "projects/acme/profiles/") {
		t.Errorf("listed %v", got)
	}
	if age := time.Since(got.StartTime.AsTime()); age < 0 || age > 5*time.Minute {
		t.Errorf("it is %v old", age)
	}
	want, err := profile.DecodeBytes(sent.ProfileBytes, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(got.ProfileBytes, profile.Limits{})
	if err != nil || !maps.Equal(ingesttest.ValueSums(p), ingesttest.ValueSums(want)) || p.DurationNanos != want.DurationNanos || got.Duration.AsDuration() != time.Duration(want.DurationNanos) {
		t.Errorf("listed %v, %v ns; sent %v, %v ns: %v", ingesttest.ValueSums(p), p.DurationNanos, ingesttest.ValueSums(want), want.DurationNanos, err)
	}
	// The same in REST.
	status, answer := rest(t, "GET", "http://"+addr+"/v2/projects/acme/profiles?pageSize=5", nil)
	profiles, _ := answer["profiles"].([]any)
	if status != 200 || len(profiles) != 1 || profiles[0].(map[string]any)["profileBytes"] != base64.StdEncoding.EncodeToString(got.ProfileBytes) {
		t.Errorf("REST: %d with %d profiles", status, len(profiles))
	}
}

func TestListRefuses(t *testing.T) {
	st := storetest.NewModel()
	fill(t, st, 3)
	c, _ := exporter(t, st, Config{})
	for what, req := range map[string]*profilerpb.ListProfilesRequest{
		"no parent":       {},
		"a strange token": {Parent: "projects/acme", PageToken: "x"},
		"a negative size": {Parent: "projects/acme", PageSize: -1},
	} {
		_, err := c.ListProfiles(t.Context(), req)
		wantCode(t, what, err, connect.CodeInvalidArgument)
	}
	private, _ := exporter(t, st, Config{MayRead: func(_ context.Context, service string) error {
		if service == "bank" {
			return ingest.Errorf(ingest.Denied, "no")
		}
		return nil
	}})
	for _, p := range listAll(t, private, "-", 2, nil) {
		if p.Deployment.Target == "bank" {
			t.Error("a profile is listed that the sender may not read")
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.ListProfiles(t.Context(), &profilerpb.ListProfilesRequest{Parent: "projects/acme"})
	wantCode(t, "a closed store", err, connect.CodeInternal)
}

// broken is a store that can't read some profiles.
type broken struct{ store.Store }

func (b broken) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if q.ID[0]%2 == 0 {
		return nil, errors.New("bad sector")
	}
	return b.Store.Merge(ctx, q)
}

func TestListSkips(t *testing.T) {
	st := storetest.NewModel()
	fill(t, st, 20)
	c, _ := exporter(t, broken{st}, Config{})
	resp, err := c.ListProfiles(t.Context(), &profilerpb.ListProfilesRequest{Parent: "projects/acme"})
	if err != nil || resp.SkippedProfiles != 10 || len(resp.Profiles) != 10 {
		t.Errorf("%d profiles, %d skipped, %v", len(resp.GetProfiles()), resp.GetSkippedProfiles(), err)
	}
}

// Every kind has a type to be listed as, and comes back as it went.
func TestKinds(t *testing.T) {
	for typ, kind := range kinds {
		if got := typeOf(kindOf(typ, deploymentOf("shop"))); got != typ {
			t.Errorf("%v becomes %s, and that %v", typ, kind, got)
		}
	}
	if len(kinds) != len(profilerpb.ProfileType_name)-1 {
		t.Errorf("there are %d kinds and %d types", len(kinds), len(profilerpb.ProfileType_name)-1)
	}
	java := deploymentOf("shop")
	java.Labels["language"] = "java"
	if kind := kindOf(profilerpb.ProfileType_THREADS, java); kind != "threads" || typeOf(kind) != profilerpb.ProfileType_THREADS {
		t.Errorf("threads of Java are of kind %s", kind)
	}
}

// Columns of allocations stay in heap profiles that have something there.
func TestHeapColumns(t *testing.T) {
	for name, want := range map[string][]string{"heap.tree.pb.gz": {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}} {
		p, err := profile.DecodeBytes(ingesttest.Profile(t, name), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		dropZeroAllocs(p)
		var got []string
		for _, st := range p.SampleTypes {
			got = append(got, st.Type)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}
