package ingesttest

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/hone-go/hone/internal/store"
)

// An Agent is a program of the Go module test/agents, which has a real client of
// one of the protocols in it. It runs until its standard input ends.
type Agent struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.Closer
	out   *safeBuffer
	sent  string // folder of what it has sent
}

var building sync.Mutex // one at a time: they share packages

// StartAgent builds and starts a program. Its flag -sent is set. The modules of
// the clients have to come from the network the first time; where they don't, the
// test is skipped, and in CI it fails.
func StartAgent(t testing.TB, program string, args ...string) *Agent {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	bin := filepath.Join(t.TempDir(), program+".exe")
	build := exec.Command("go", "build", "-o", bin, "./"+program)
	build.Dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "test", "agents")
	build.Env = append(os.Environ(), "GOWORK=off")
	if program == "pyroscope" {
		build.Env = append(build.Env, "GOEXPERIMENT=goroutineleakprofile") // the kind of profile that needs it
	}
	building.Lock()
	out, err := build.CombinedOutput()
	building.Unlock()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the real client %s can't be built, and CI has to: %v\n%s", program, err, out)
		}
		t.Skipf("== NOT TESTED: the real client %s can't be built: %v\n%s", program, err, out)
	}
	a := &Agent{t: t, out: &safeBuffer{}, sent: t.TempDir()}
	a.cmd = exec.Command(bin, append(args, "-sent", a.sent)...)
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	a.cmd.Stdout, a.cmd.Stderr = a.out, a.out
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if a.cmd.ProcessState == nil {
			_ = a.cmd.Process.Kill()
			_ = a.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("the agent says:\n%s", a.out.String())
		}
	})
	return a
}

// Stop ends the agent's standard input and waits until it ends too.
func (a *Agent) Stop() {
	a.t.Helper()
	_ = a.stdin.Close()
	if err := a.cmd.Wait(); err != nil {
		a.t.Fatalf("the agent failed: %v", err)
	}
}

// Sums are sums of values by kind of profile and "type/unit".
type Sums map[string]map[string]int64

func (s Sums) add(kind, sampleType string, v int64) {
	if s[kind] == nil {
		s[kind] = map[string]int64{}
	}
	s[kind][sampleType] += v
}

// Sent returns the sums of what the agent has sent so far, read by another
// library than hone's, and the number of profiles.
func (a *Agent) Sent() (sums Sums, profiles int64) {
	a.t.Helper()
	files, err := filepath.Glob(filepath.Join(a.sent, "*.pb.gz"))
	if err != nil {
		a.t.Fatal(err)
	}
	sums = Sums{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			a.t.Fatal(err)
		}
		p, err := pprof.ParseData(data)
		if err != nil {
			a.t.Fatalf("%s: %v", file, err)
		}
		kind, _, _ := strings.Cut(filepath.Base(file), "-")
		for t, st := range p.SampleType {
			sums.add(kind, st.Type+"/"+st.Unit, 0)
			for _, s := range p.Sample {
				sums.add(kind, st.Type+"/"+st.Unit, s.Value[t])
			}
		}
	}
	return sums, int64(len(files))
}

// Stored returns the sums of what is in a store, and the number of profiles.
func Stored(t testing.TB, st store.Store) (sums Sums, profiles int64) {
	t.Helper()
	groups, err := st.Merge(context.Background(), store.Query{By: []string{store.LabelKind}})
	if err != nil {
		t.Fatal(err)
	}
	sums = Sums{}
	for _, g := range groups {
		profiles += g.Profiles
		for sampleType, v := range ValueSums(g.Profile) {
			sums.add(g.Labels.Get(store.LabelKind), sampleType, v)
		}
	}
	return sums, profiles
}

// CheckStored waits until a store has profiles of all kinds, several times, and
// compares what is in it with what the agent has sent.
func (a *Agent) CheckStored(st store.Store, atLeast int64, kinds ...string) {
	a.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		sums, profiles := Stored(a.t, st)
		missing := ""
		for _, kind := range kinds {
			if sums[kind] == nil {
				missing = kind
			}
		}
		if missing == "" && profiles >= atLeast {
			break
		}
		if time.Now().After(deadline) {
			a.t.Fatalf("after two minutes there are %d profiles, and none of %q: %v", profiles, missing, sums)
		}
	}
	a.Stop()
	got, stored := Stored(a.t, st)
	want, sent := a.Sent()
	if stored != sent {
		a.t.Errorf("%d profiles are in the store, %d have been sent", stored, sent)
	}
	if !reflect.DeepEqual(got, want) {
		a.t.Errorf("in the store: %v\nhas been sent: %v", got, want)
	}
	for kind, sums := range want {
		for sampleType, v := range sums {
			if v == 0 && kind != "goroutineleak" {
				a.t.Errorf("%s: no %s at all", kind, sampleType)
			}
		}
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// LabelValues returns the values of a label in a store.
func LabelValues(t testing.TB, st store.Store, name string) []string {
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
