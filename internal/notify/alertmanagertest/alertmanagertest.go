// Package alertmanagertest starts real Alertmanagers for tests, on the loopback interface: see
// test/alertmanager/alertmanager.sh.
package alertmanagertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

// An Alertmanager is a running Alertmanager that tells the test of its alerts.
type Alertmanager struct {
	URL string

	t    testing.TB
	mu   sync.Mutex
	told []string // see Told
}

// An Alert is one that an Alertmanager has.
type Alert struct {
	Labels       map[string]string
	Annotations  map[string]string
	StartsAt     time.Time
	EndsAt       time.Time
	GeneratorURL string
}

// configuration has the Alertmanager tell of changes at once, and of each once.
const configuration = `
route: {receiver: test, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
receivers:
- name: test
  webhook_configs: [{url: '%s', send_resolved: true}]
`

// Start starts an Alertmanager that ends with the test. Where it is missing the test is skipped,
// except in CI.
func Start(t testing.TB) *Alertmanager {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(here), "../../../test/alertmanager/alertmanager.sh")
	install(t, script)
	a := &Alertmanager{t: t}
	hook := httptest.NewServer(http.HandlerFunc(a.take))
	t.Cleanup(hook.Close)
	ports, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "alertmanager.yml"), fmt.Appendf(nil, configuration, hook.URL), 0o644); err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	cmd := exec.Command("sh", script, "run", dir, ports[0])
	cmd.Stdout, cmd.Stderr = &output, &output
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
		if t.Failed() {
			t.Logf("Alertmanager says\n%s", output.String())
		}
	})
	a.URL = "http://" + ports[0]
	a.Wait("it is ready", func() bool {
		resp, err := http.Get(a.URL + "/-/ready")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return a
}

// install installs Alertmanager, or ends the test.
func install(t testing.TB, script string) {
	t.Helper()
	out, err := exec.Command("sh", script, "install").CombinedOutput()
	var exit *exec.ExitError
	missing := errors.Is(err, exec.ErrNotFound) || errors.As(err, &exit) && exit.ExitCode() == 3
	if missing && os.Getenv("CI") != "true" {
		fmt.Fprintf(os.Stderr, "== SKIPPED: tests against Alertmanager: %s\n", out)
		t.Skipf("no Alertmanager: %s", out)
	}
	if err != nil {
		t.Fatalf("installing Alertmanager: %v\n%s", err, out)
	}
}

// Wait waits until something is so. It fails the test after a minute.
func (a *Alertmanager) Wait(what string, is func() bool) {
	a.t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			a.t.Fatalf("Alertmanager: not within a minute: %s", what)
		}
	}
}

// Alerts returns the alerts that aren't over.
func (a *Alertmanager) Alerts() (all []Alert) {
	a.t.Helper()
	resp, err := http.Get(a.URL + "/api/v2/alerts")
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil || resp.StatusCode != http.StatusOK {
		a.t.Fatalf("%s, %v", resp.Status, err)
	}
	return all
}

// take takes what the Alertmanager sends to people.
func (a *Alertmanager) take(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		Alerts []struct {
			Status string
			Labels map[string]string
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		a.t.Error(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range body.Alerts {
		a.told = append(a.told, one.Status+" "+one.Labels["function"])
	}
}

// Told returns what the Alertmanager told people so far: a status, firing or resolved, and a
// function each.
func (a *Alertmanager) Told() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.told)
}
