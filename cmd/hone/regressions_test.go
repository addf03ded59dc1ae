package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/regress/regresstest"
	"github.com/hone-go/hone/internal/store/disk"
)

// TestRegressionsOfStore looks for regressions in a store's folder.
func TestRegressionsOfStore(t *testing.T) {
	dir := t.TempDir()
	st, err := disk.Open(filepath.Join(dir, "store"), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	end := 20_000 * 24 * int64(time.Hour)
	if err := regresstest.FillDeploy(t.Context(), st, "shop", end, regresstest.Usual(), regresstest.Usual().With("main;a;b;new", 6e8)); err != nil {
		t.Fatal(err)
	}
	if err := regresstest.FillDeploy(t.Context(), st, "calm", end, regresstest.Usual(), regresstest.Usual()); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (code int, out, errs string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code = execute(t.Context(), append([]string{"regressions"}, args...), strings.NewReader(""), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := run("-fail", dir)
	if code != exitMissed || errs != "" {
		t.Errorf("-fail: %d, %s", code, errs)
	}
	for _, want := range []string{"shop", "v2", "b*", "+120.0%", "0.05 CPUs to 0.11 CPUs", "3 of 3", "new"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	code, out, _ = run("-fail", "-service", "calm", dir)
	if code != exitOK || out != "No regressions.\n" {
		t.Errorf("calm: %d, %s", code, out)
	}
	code, out, _ = run("-json", dir)
	var list api.Regressions
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitOK || len(list.Regressions) != 1 || list.Regressions[0].Function != "b" {
		t.Errorf("-json: %d, %v, %s", code, err, out)
	}
	for _, args := range [][]string{{"-reason", "known"}, {"-ack", "1", dir}, {dir, dir}, {"-from", "1s", dir}, {"-ack", "1", "-all"}, {"-notify-test", dir}, {"-notify-test", "-fail"}} {
		if code, _, _ := run(args...); code != exitUsage {
			t.Errorf("%q: %d, want %d", args, code, exitUsage)
		}
	}
}

// TestRegressionsOfServer asks a running server.
func TestRegressionsOfServer(t *testing.T) {
	d := startServe(t, t.TempDir())
	if got := d.succeed("regressions", "-fail"); got != "No regressions.\n" {
		t.Error(got)
	}
	d.hone("regressions", "-ack", "12", "-reason", "known").failsWith(t, exitFailure, `unknown regression "12"`)
	d.hone("regressions", "-ack", "12", "-reason", strings.Repeat("x", 501)).failsWith(t, exitFailure, "use at most 500")
}

// TestRegressionsNotifyTest has a running server send tests.
func TestRegressionsNotifyTest(t *testing.T) {
	d := startServe(t, t.TempDir())
	d.hone("regressions", "-notify-test").failsWith(t, exitFailure, "no notifications are configured: add [[notify]]")
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hook/s3cret" {
			http.Error(w, "invalid_token\x1b[31m", http.StatusForbidden)
		}
	}))
	defer receiver.Close()
	config := writeConfig(t, `
[[notify]]
name = "alerts"
format = "alertmanager"
url = "`+receiver.URL+`"
[[notify]]
name = "chat"
format = "json"
url = "`+receiver.URL+`/hook/s3cret"
`)
	d = startServe(t, t.TempDir(), "-config", config)
	o := d.hone("regressions", "-notify-test")
	if o.code != exitFailure || !strings.Contains(o.stderr, "1 of 2 test notifications failed") {
		t.Errorf("got %d, %s", o.code, o.stderr)
	}
	for _, want := range []string{"TARGET  FORMAT", "alerts  alertmanager  sent", "200 OK", "chat    json          failed", "403 Forbidden: invalid_token\uFFFD[31m"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	if o := d.hone("regressions", "-notify-test", "-json"); !strings.Contains(o.stdout, `"status": 403`) || strings.Contains(o.stdout+d.stderr.String(), "s3cret") {
		t.Errorf("got %s\nthe log has %s", o.stdout, d.stderr.String())
	}
}
