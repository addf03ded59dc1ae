package cloudprofiler

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

var h2c = sync.OnceValue(func() *http.Client {
	tr := &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: tr}
})

// dial returns a client for a mounted service, and the server's address.
func dial(t *testing.T, s *Service, options ...connect.ClientOption) (profilerpb.ProfilerServiceClient, string) {
	t.Helper()
	mux := http.NewServeMux()
	s.Mount(mux)
	addr := serve(t, mux, s.Close)
	return profilerpb.NewProfilerServiceClient(h2c(), "http://"+addr, options...), addr
}

func deploymentOf(service string) *profilerpb.Deployment {
	return &profilerpb.Deployment{ProjectId: "acme", Target: service, Labels: map[string]string{"language": "go", "version": "v1"}}
}

func pollFor(service string, types ...profileType) *profilerpb.CreateProfileRequest {
	return &profilerpb.CreateProfileRequest{Parent: "projects/acme", Deployment: deploymentOf(service), ProfileType: types}
}

const cpu, heap = profilerpb.ProfileType_CPU, profilerpb.ProfileType_HEAP

// ask has a service ask for a profile, and returns it with the bytes of a real one.
func ask(t *testing.T, c profilerpb.ProfilerServiceClient, service string) *profilerpb.Profile {
	t.Helper()
	p, err := c.CreateProfile(t.Context(), pollFor(service, cpu))
	if err != nil {
		t.Fatal(err)
	}
	p.ProfileBytes = ingesttest.Profile(t, "cpu.tree.pb.gz")
	p.Labels = map[string]string{"instance": "node-7"}
	return p
}

func update(t *testing.T, c profilerpb.ProfilerServiceClient, p *profilerpb.Profile) error {
	t.Helper()
	_, err := c.UpdateProfile(t.Context(), &profilerpb.UpdateProfileRequest{Profile: p})
	return err
}

func wantCode(t *testing.T, what string, err error, want connect.Code) {
	t.Helper()
	if err == nil || connect.CodeOf(err) != want {
		t.Errorf("%s: %v, want code %v", what, err, want)
	}
}

// All the protocols of the API do the same.
func TestProtocols(t *testing.T) {
	for name, options := range map[string][]connect.ClientOption{
		"gRPC": {connect.WithGRPC()}, "gRPC-Web": {connect.WithGRPCWeb()}, "Connect": nil, "Connect JSON": {connect.WithProtoJSON()},
		"gRPC gzip": {connect.WithGRPC(), connect.WithSendGzip()},
	} {
		t.Run(name, func(t *testing.T) {
			recv := new(recorder)
			c, _ := dial(t, newService(t, recv, nil, Config{}), options...)
			p := ask(t, c, "shop")
			if p.ProfileType != cpu || p.Duration.AsDuration() != 10*time.Second || !strings.HasPrefix(p.Name, "projects/acme/profiles/") || !proto.Equal(p.Deployment, deploymentOf("shop")) {
				t.Errorf("asked for %v", p)
			}
			before := time.Now().UnixNano()
			if err := update(t, c, p); err != nil {
				t.Fatal(err)
			}
			got := recv.received()
			if len(got) != 1 {
				t.Fatalf("%d profiles", len(got))
			}
			if got[0].Key != p.Name || got[0].Kind != "cpu" || labelOf(got[0], "instance") != "node-7" || labelOf(got[0], "service") != "shop" {
				t.Errorf("received key %q, kind %q, labels %v", got[0].Key, got[0].Kind, got[0].Labels)
			}
			if age := time.Duration(before - got[0].Time); age < 0 || age > 5*time.Minute {
				t.Errorf("the profile's time is %v before now", age)
			}
			offline := proto.CloneOf(p)
			offline.Name, offline.Deployment.ProjectId, offline.StartTime = "", "", timestamppb.New(time.Unix(1e9, 5))
			kept, err := c.CreateOfflineProfile(t.Context(), &profilerpb.CreateOfflineProfileRequest{Parent: "projects/acme", Profile: offline})
			if err != nil || kept.Name == "" || len(kept.ProfileBytes) > 0 {
				t.Fatalf("offline: %v, %v", kept, err)
			}
			if got := recv.received()[1]; got.Time != 1e18+5 || got.Key != "" || labelOf(got, "project") != "acme" {
				t.Errorf("offline: received time %d, key %q, labels %v", got.Time, got.Key, got.Labels)
			}
		})
	}
}

// rest sends a request and returns the status and the JSON of the answer.
func rest(t *testing.T, method, url string, body []byte, header ...string) (status int, answer map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s: %s: %v", method, url, text, err)
	}
	return resp.StatusCode, answer
}

func TestREST(t *testing.T) {
	recv := new(recorder)
	s := newService(t, recv, nil, Config{})
	_, addr := dial(t, s)
	profiles := "http://" + addr + "/v2/projects/acme/profiles"
	status, p := rest(t, "POST", profiles, []byte(`{"deployment": {"projectId": "acme", "target": "shop", "labels": {"language": "go", "version": "v1"}}, "profileType": ["CPU", "TYPE_OF_2031"], "x": 1}`))
	if status != 200 || p["profileType"] != "CPU" || p["duration"] != "10s" {
		t.Fatalf("create: %d %v", status, p)
	}
	p["profileBytes"] = base64.StdEncoding.EncodeToString(ingesttest.Profile(t, "cpu.tree.pb.gz"))
	p["labels"] = map[string]string{"instance": "node-7"}
	body, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	patch := "http://" + addr + "/v2/" + p["name"].(string)
	if status, answer := rest(t, "PATCH", patch+"?updateMask=profileBytes,labels", body); status != 200 || answer["name"] != p["name"] {
		t.Errorf("update: %d %v", status, answer)
	}
	if status, answer := rest(t, "PATCH", patch, ingesttest.Gzip(body), "Content-Encoding", "gzip"); status != 200 {
		t.Errorf("gzipped: %d %v", status, answer)
	}
	delete(p, "name")
	offline, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if status, answer := rest(t, "POST", profiles+":createOffline", offline); status != 200 || answer["name"] == "" {
		t.Errorf("offline: %d %v", status, answer)
	}
	if got := recv.received(); len(got) != 3 || labelOf(got[0], "instance") != "node-7" || got[0].Key != got[1].Key {
		t.Errorf("received %d profiles", len(got))
	}
	for what, c := range map[string]struct {
		method, url, body string
		status            int
		name              string
	}{
		"no JSON":            {"POST", profiles, `{"deployment":`, 400, "INVALID_ARGUMENT"},
		"no deployment":      {"POST", profiles, `{}`, 400, "INVALID_ARGUMENT"},
		"unknown name":       {"PATCH", profiles + "/nobody", string(body), 404, "NOT_FOUND"},
		"no bytes":           {"PATCH", patch, `{"profileType": "CPU", "duration": "10s", "deployment": {"projectId": "acme", "target": "shop", "labels": {"language": "go", "version": "v1"}}}`, 400, "INVALID_ARGUMENT"},
		"strange page size":  {"GET", profiles + "?pageSize=x", "", 400, "INVALID_ARGUMENT"},
		"nothing to list":    {"GET", profiles, "", 501, "UNIMPLEMENTED"},
		"too long":           {"POST", profiles, `{"x": "` + strings.Repeat("x", pollBytes) + `"}`, 413, "RESOURCE_EXHAUSTED"},
		"a bomb":             {"POST", profiles, string(ingesttest.Bomb(4 << 20)), 413, "RESOURCE_EXHAUSTED"},
		"unknown encoding":   {"POST", profiles, `{}`, 400, "INVALID_ARGUMENT"},
		"none of our levels": {"POST", "http://" + addr + "/v2/projects/acme/profiles:createOffline", `{"deployment": {"target": "shop"}, "profileType": 0}`, 400, "INVALID_ARGUMENT"},
	} {
		encoding := map[string]string{"a bomb": "gzip", "unknown encoding": "br"}[what]
		status, answer := rest(t, c.method, c.url, []byte(c.body), "Content-Encoding", encoding)
		e, _ := answer["error"].(map[string]any)
		if status != c.status || e["status"] != c.name || e["code"] != float64(c.status) || e["message"] == "" {
			t.Errorf("%s: %d %v", what, status, answer)
		}
	}
	// Agents for other languages look for the time to ask again here.
	s.Close()
	status, answer := rest(t, "POST", profiles, []byte(`{"deployment": {"target": "shop"}, "profileType": ["CPU"]}`))
	details, _ := answer["error"].(map[string]any)["details"].([]any)
	if status != 409 || len(details) != 1 || !strings.HasSuffix(details[0].(map[string]any)["retryDelay"].(string), "s") {
		t.Errorf("after the end: %d %v", status, answer)
	}
}

// retryDelay returns what Go's agent reads of an error; see its
// abortedBackoffDuration.
func retryDelay(t *testing.T, err error) time.Duration {
	t.Helper()
	var e *connect.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of an RPC: %v", err)
	}
	info, err := connect.DecodeBinaryHeader(e.Meta().Get("google.rpc.retryinfo-bin"))
	if err != nil {
		t.Fatal(err)
	}
	num, typ, n := protowire.ConsumeTag(info)
	delay, m := protowire.ConsumeBytes(info[max(n, 0):])
	var d durationpb.Duration
	if num != 1 || typ != protowire.BytesType || n+m != len(info) || proto.Unmarshal(delay, &d) != nil {
		t.Fatalf("no RetryInfo: %x", info)
	}
	return d.AsDuration()
}

// Thousands of agents wait; all are told to come back when the server ends, and
// nothing of them is left.
func TestShutdownWithThousandsOfPolls(t *testing.T) {
	s := newService(t, new(recorder), nil, Config{Schedule: Schedule{Interval: time.Hour}, MaxPollsPerDeployment: 5000})
	c, _ := dial(t, s, connect.WithGRPC())
	const polls = 2000
	var answered, away atomic.Int64
	var wg sync.WaitGroup
	for range polls {
		wg.Go(func() {
			_, err := c.CreateProfile(t.Context(), pollFor("shop", cpu))
			if err == nil {
				answered.Add(1)
				return
			}
			if connect.CodeOf(err) != connect.CodeAborted {
				t.Errorf("sent away with %v", err)
			} else if d := retryDelay(t, err); d < 4*time.Second || d > 12*time.Second {
				t.Errorf("sent away for %v", d)
			}
			away.Add(1)
		})
	}
	eventually(t, "all polls wait", func() bool { return s.Stats().Polls == polls-1 })
	s.Close()
	wg.Wait()
	if answered.Load() != 1 || away.Load() != polls-1 || s.Stats().Polls != 0 {
		t.Errorf("%d polls were answered and %d sent away, %d wait", answered.Load(), away.Load(), s.Stats().Polls)
	}
}

// An agent that loses its connection doesn't take the turn of another.
func TestDroppedPoll(t *testing.T) {
	s := newService(t, new(recorder), nil, Config{Schedule: Schedule{Interval: time.Hour}})
	c, addr := dial(t, s, connect.WithGRPC())
	ask(t, c, "shop")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, err := c.CreateProfile(ctx, pollFor("shop", cpu))
			wantCode(t, "a poll that was cancelled", err, connect.CodeCanceled)
		})
	}
	wg.Go(func() {
		req, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+"/v2/projects/acme/profiles", strings.NewReader(`{"deployment": {"target": "shop", "labels": {"language": "go", "version": "v1"}}, "profileType": ["CPU"]}`))
		if err == nil {
			_, err = http.DefaultClient.Do(req)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a poll by REST that was cancelled: %v", err)
		}
	})
	eventually(t, "all polls wait", func() bool { return s.Stats().Polls == 101 })
	cancel()
	wg.Wait()
	eventually(t, "no poll waits", func() bool { return s.Stats().Polls == 0 })
}

// Polls last longer than the server gives other requests.
func TestPollsOutlastTimeouts(t *testing.T) {
	s := newService(t, new(recorder), nil, Config{Schedule: Schedule{Interval: 2 * time.Second}})
	mux := http.NewServeMux()
	s.Mount(mux)
	srv := httptest.NewUnstartedServer(mux)
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetHTTP1(true)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	c := profilerpb.NewProfilerServiceClient(h2c(), srv.URL, connect.WithGRPC())
	for range 2 {
		if _, err := c.CreateProfile(t.Context(), pollFor("grpc", cpu)); err != nil {
			t.Fatal(err)
		}
		if status, answer := rest(t, "POST", srv.URL+"/v2/projects/acme/profiles", []byte(`{"deployment": {"target": "rest"}, "profileType": ["CPU"]}`)); status != 200 {
			t.Fatal(answer)
		}
	}
}

// A server that is started again takes the profiles that the one before has
// asked for, if it has the key.
func TestUpdateAfterRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	start := func() (profilerpb.ProfilerServiceClient, *recorder) {
		key, err := LoadKey(file, func(text string) { t.Error(text) })
		if err != nil {
			t.Fatal(err)
		}
		recv := new(recorder)
		c, _ := dial(t, newService(t, recv, nil, Config{Key: key}), connect.WithGRPC())
		return c, recv
	}
	before, _ := start()
	p := ask(t, before, "shop")
	after, recv := start()
	if err := update(t, after, p); err != nil {
		t.Fatal(err)
	}
	if got := recv.received(); len(got) != 1 || got[0].Key != p.Name {
		t.Errorf("received %v", got)
	}
	stranger, _ := dial(t, newService(t, new(recorder), nil, Config{}), connect.WithGRPC())
	wantCode(t, "a server with another key", update(t, stranger, p), connect.CodeNotFound)
}

// Only what was asked for is taken: nothing of it may be changed.
func TestNamesAreSigned(t *testing.T) {
	recv := new(recorder)
	s := newService(t, recv, nil, Config{})
	c, _ := dial(t, s, connect.WithGRPC())
	p := ask(t, c, "shop")
	for what, change := range map[string]func(p *profilerpb.Profile){
		"no name":        func(p *profilerpb.Profile) { p.Name = "" },
		"no profile":     func(p *profilerpb.Profile) { p.Name = "projects/acme" },
		"strange ID":     func(p *profilerpb.Profile) { p.Name = "projects/acme/profiles/?" },
		"short ID":       func(p *profilerpb.Profile) { p.Name = p.Name[:len(p.Name)-4] },
		"other ID":       func(p *profilerpb.Profile) { p.Name = strings.Replace(p.Name, "profiles/AR", "profiles/AS", 1) },
		"other project":  func(p *profilerpb.Profile) { p.Name = strings.Replace(p.Name, "acme", "evil", 1) },
		"other target":   func(p *profilerpb.Profile) { p.Deployment.Target = "bank" },
		"other version":  func(p *profilerpb.Profile) { p.Deployment.Labels["version"] = "v2" },
		"another label":  func(p *profilerpb.Profile) { p.Deployment.Labels["zone"] = "here" },
		"other type":     func(p *profilerpb.Profile) { p.ProfileType = heap },
		"other duration": func(p *profilerpb.Profile) { p.Duration = durationpb.New(time.Second) },
		"moved separator": func(p *profilerpb.Profile) {
			p.Deployment.Labels = map[string]string{"language": "go\x07version\x02v1"}
		},
	} {
		q := proto.CloneOf(p)
		change(q)
		if proto.Equal(p, q) {
			t.Errorf("%s: nothing is changed", what)
		}
		wantCode(t, what, update(t, c, q), connect.CodeNotFound)
	}
	if _, err := c.UpdateProfile(t.Context(), &profilerpb.UpdateProfileRequest{}); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("an update of nothing: %v", err)
	}
	late := proto.CloneOf(p)
	late.Name = newName(s.cfg.Key, late, time.Now().Add(-2*time.Hour))
	wantCode(t, "two hours later", update(t, c, late), connect.CodeNotFound)
	if len(recv.received()) > 0 {
		t.Error("a profile was received")
	}
	// Clients may leave out what they don't change, and send a profile again.
	for range 2 {
		if err := update(t, c, p); err != nil {
			t.Fatal(err)
		}
	}
	short := ask(t, c, "other")
	short.Deployment, short.Duration, short.ProfileType = nil, nil, 0
	if err := update(t, c, short); err != nil {
		t.Fatal(err)
	}
	got := recv.received()
	if len(got) != 3 || got[0].Key != got[1].Key || got[0].Time != got[1].Time || got[2].Key == got[0].Key || labelOf(got[2], "service") != "other" {
		t.Errorf("received %d profiles", len(got))
	}
	if st := s.Stats(); st.Kept != 3 || st.Refused != 14 || st.Sessions != 0 || st.Deployments != 2 {
		t.Errorf("figures %+v", st)
	}
}

func TestBadUploads(t *testing.T) {
	recv := &recorder{cfg: ingest.Config{MaxBody: 1 << 20, MaxDecoded: 4 << 20}}
	c, _ := dial(t, newService(t, recv, nil, Config{}), connect.WithGRPC())
	p := ask(t, c, "shop")
	good := p.ProfileBytes
	for what, bad := range map[string]struct {
		data []byte
		code connect.Code
	}{
		"nothing":          {nil, connect.CodeInvalidArgument},
		"no profile":       {[]byte("<html>"), connect.CodeInvalidArgument},
		"half":             {good[:len(good)/2], connect.CodeInvalidArgument},
		"without its end":  {good[:len(good)-1], connect.CodeInvalidArgument},
		"more than a body": {bytes.Repeat([]byte{0}, 1<<20), connect.CodeResourceExhausted},
		"a bomb":           {ingesttest.Gzip(bytes.Repeat([]byte{6<<3 | 2, 0}, 8<<20)), connect.CodeResourceExhausted}, // of empty strings
	} {
		q := proto.CloneOf(p)
		q.ProfileBytes = bad.data
		err := update(t, c, q)
		wantCode(t, what, err, bad.code)
	}
	q := proto.CloneOf(p)
	q.Labels[strings.Repeat("x", maxName+1)] = "1"
	wantCode(t, "a long label", update(t, c, q), connect.CodeInvalidArgument)
	for i := range maxFields {
		q.Labels[strconv.Itoa(i)] = "1"
	}
	err := update(t, c, q)
	if wantCode(t, "hundreds of labels", err, connect.CodeInvalidArgument); !strings.Contains(err.Error(), "too many fields") {
		t.Errorf("they were read first: %v", err)
	}
	if len(recv.received()) > 0 {
		t.Error("a profile was received")
	}
	if err := update(t, c, p); err != nil {
		t.Errorf("a good profile after the bad ones: %v", err)
	}
}

func TestBadPolls(t *testing.T) {
	c, addr := dial(t, newService(t, new(recorder), nil, Config{}), connect.WithGRPC())
	for what, change := range map[string]func(req *profilerpb.CreateProfileRequest){
		"no parent":       func(req *profilerpb.CreateProfileRequest) { req.Parent = "" },
		"another project": func(req *profilerpb.CreateProfileRequest) { req.Parent = "projects/other" },
		"a path":          func(req *profilerpb.CreateProfileRequest) { req.Parent = "projects/acme/profiles/x" },
		"no deployment":   func(req *profilerpb.CreateProfileRequest) { req.Deployment = nil },
		"no service":      func(req *profilerpb.CreateProfileRequest) { req.Deployment.Target = "" },
		"a long service":  func(req *profilerpb.CreateProfileRequest) { req.Deployment.Target = strings.Repeat("x", 256) },
		"no types":        func(req *profilerpb.CreateProfileRequest) { req.ProfileType = nil },
		"unknown types":   func(req *profilerpb.CreateProfileRequest) { req.ProfileType = []profileType{0, 77} },
		"many labels": func(req *profilerpb.CreateProfileRequest) {
			for i := range 65 {
				req.Deployment.Labels[strings.Repeat("x", i+1)] = "1"
			}
		},
	} {
		req := pollFor("shop", cpu)
		change(req)
		_, err := c.CreateProfile(t.Context(), req)
		wantCode(t, what, err, connect.CodeInvalidArgument)
	}
	huge := pollFor("shop", slices.Repeat([]profileType{cpu}, pollBytes+1)...)
	_, err := c.CreateProfile(t.Context(), huge)
	wantCode(t, "a huge poll", err, connect.CodeResourceExhausted)
	if _, err := http.Post("http://"+addr+profilerpb.ProfilerServiceCreateProfileProcedure, "application/grpc", strings.NewReader("GET")); err != nil {
		t.Errorf("the server is gone: %v", err)
	}
	// An unknown version of the API is one that isn't there.
	resp, err := http.Post("http://"+addr+"/google.devtools.cloudprofiler.v3.ProfilerService/CreateProfile", "application/grpc", nil)
	if err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("version 3: %v, %v", resp, err)
	}
}

// Errors of the receiver keep their meaning.
func TestReasons(t *testing.T) {
	for reason := ingest.Internal; reason <= ingest.Unavailable; reason++ {
		recv := &recorder{err: &ingest.Error{Reason: reason, RetryAfter: 3 * time.Second, Err: errors.New("because")}}
		c, addr := dial(t, newService(t, recv, nil, Config{}), connect.WithGRPC())
		p := ask(t, c, "shop")
		err := update(t, c, p)
		wantCode(t, reason.String(), err, connect.Code(reason.GRPC()))
		body, jerr := protojson.Marshal(p)
		if jerr != nil {
			t.Fatal(jerr)
		}
		status, answer := rest(t, "PATCH", "http://"+addr+"/v2/"+p.Name, body)
		if status != reason.HTTP() {
			t.Errorf("%v: %d %v", reason, status, answer)
		}
		if reason == ingest.Internal {
			if strings.Contains(err.Error(), "because") {
				t.Errorf("the server's own trouble is told to clients: %v", err)
			}
		} else if !strings.Contains(err.Error(), "because") || retryDelay(t, err) != 3*time.Second {
			t.Errorf("%v: %v", reason, err)
		}
	}
}

// Who may not write a service isn't given its turns either.
func TestMayWrite(t *testing.T) {
	recv := new(recorder)
	s := newService(t, recv, nil, Config{MayWrite: func(_ context.Context, service string) error {
		if service == "bank" {
			return ingest.Errorf(ingest.Denied, "the token is not for %s", service)
		}
		return nil
	}})
	c, _ := dial(t, s, connect.WithGRPC())
	_, err := c.CreateProfile(t.Context(), pollFor("bank", cpu))
	wantCode(t, "a poll", err, connect.CodePermissionDenied)
	p := ask(t, c, "shop")
	p.Deployment.Target = "bank"
	p.Name = newName(s.cfg.Key, p, time.Now())
	wantCode(t, "an upload", update(t, c, p), connect.CodePermissionDenied)
	_, err = c.CreateOfflineProfile(t.Context(), &profilerpb.CreateOfflineProfileRequest{Parent: "projects/acme", Profile: p})
	wantCode(t, "an upload nobody asked for", err, connect.CodePermissionDenied)
	if len(recv.received()) > 0 {
		t.Error("a profile was received")
	}
}

func TestKindsThatAreOff(t *testing.T) {
	s := newService(t, new(recorder), nil, Config{Schedule: Schedule{Interval: -1}, Kinds: map[string]Schedule{"heap": {Interval: time.Hour}}, MaxDeployments: 1})
	c, _ := dial(t, s, connect.WithGRPC())
	_, err := c.CreateProfile(t.Context(), pollFor("shop", cpu))
	wantCode(t, "CPU profiles", err, connect.CodeAborted)
	if d := retryDelay(t, err); d < time.Minute {
		t.Errorf("ask again in %v", d)
	}
	p, err := c.CreateProfile(t.Context(), pollFor("shop", cpu, heap))
	if err != nil || p.ProfileType != heap || p.Duration == nil || p.Duration.AsDuration() != 0 {
		t.Errorf("asked for %v, %v", p, err)
	}
	_, err = c.CreateProfile(t.Context(), pollFor("other", heap))
	wantCode(t, "a deployment too many", err, connect.CodeAborted)
	if d := retryDelay(t, err); d < 30*time.Minute {
		t.Errorf("ask again in %v", d)
	}
}

func TestSessionsThatNeverCome(t *testing.T) {
	s := newService(t, new(recorder), nil, Config{MaxSessions: 2})
	c, _ := dial(t, s, connect.WithGRPC())
	ask(t, c, "a")
	ask(t, c, "b")
	_, err := c.CreateProfile(t.Context(), pollFor("c", cpu))
	wantCode(t, "one more than may be", err, connect.CodeAborted)
	if open, missing := s.sessions.counts(time.Now().Add(time.Hour)); open != 0 || missing != 2 {
		t.Errorf("after an hour %d profiles are open, %d missing", open, missing)
	}
}

func TestBadConfig(t *testing.T) {
	for what, cfg := range map[string]Config{
		"a short key":         {Key: []byte("x")},
		"a quick interval":    {Schedule: Schedule{Interval: time.Millisecond}},
		"a long duration":     {Kinds: map[string]Schedule{"cpu": {Duration: time.Hour}}},
		"an unknown kind":     {Kinds: map[string]Schedule{"gpu": {}}},
		"a negative limit":    {MaxPolls: -1},
		"a negative duration": {Schedule: Schedule{Duration: -1}},
	} {
		if _, err := New(new(recorder), nil, cfg); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

// With TLS and a token the agent needs nothing but its options.
func TestAgentWithToken(t *testing.T) {
	for name, arg := range map[string]string{"Authorization": "-token", "X-Goog-Api-Key": "-api-key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recv := new(recorder)
			s := newService(t, recv, nil, quick)
			mux := http.NewServeMux()
			s.Mount(mux)
			guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.TrimPrefix(r.Header.Get(name), "Bearer ") != "secret-7" {
					t.Errorf("%s is %q", name, r.Header.Get(name))
				}
				mux.ServeHTTP(w, r)
			})
			srv := httptest.NewUnstartedServer(guarded)
			srv.EnableHTTP2 = true
			srv.StartTLS()
			t.Cleanup(srv.Close)
			t.Cleanup(s.Close)
			roots := filepath.Join(t.TempDir(), "roots.pem")
			if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
				t.Fatal(err)
			}
			startAgent(t, []string{"SSL_CERT_FILE=" + roots}, "-addr", srv.Listener.Addr().String(), arg, "secret-7", "-project", "acme", "-service", "shop", "-types", "cpu,threads", "-debug")
			eventually(t, "profiles of both kinds", func() bool { return len(recv.kinds()) == 2 })
		})
	}
}
