package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

// prometheusScript installs Prometheus, and runs programs that end with this process.
const prometheusScript = "../../test/prometheus/prometheus.sh"

// withPrometheus skips the test if the machine has no Prometheus; in CI it fails.
func withPrometheus(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Prometheus")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	out, err := exec.Command("sh", prometheusScript, "install").CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("CI") != "true" {
		t.Skipf("no Prometheus: %s", out)
	}
	if err != nil {
		t.Fatalf("installing Prometheus: %v\n%s", err, out)
	}
}

// startPrometheus starts Prometheus with rules about what it scrapes each second, and
// returns its URL.
func startPrometheus(t *testing.T, scrape, rules string) string {
	t.Helper()
	dir := t.TempDir()
	at, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"prometheus.yml": "global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [rules.yml]\nscrape_configs:\n" + scrape,
		"rules.yml":      rules,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs(prometheusScript)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", script, "run", "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
		"--web.listen-address="+at[0])
	var log sharedBuffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its log tells why it ended
	}()
	t.Cleanup(func() {
		stdin.Close()
		<-ended
		if t.Failed() {
			t.Logf("Prometheus says\n%s", log.String())
		}
	})
	for start := time.Now(); ; {
		r, err := http.Get("http://" + at[0] + "/-/ready")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return "http://" + at[0]
			}
		}
		select {
		case <-ended:
			t.Fatal("Prometheus ended")
		case <-time.After(50 * time.Millisecond):
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("Prometheus isn't ready: %v", err)
		}
	}
}

// TestServeFunctionMetrics checks that each store gives the same function metrics.
func TestServeFunctionMetrics(t *testing.T) {
	eachStore(t, func(t *testing.T, on ...string) {
		_, _, text := startFunctionMetrics(t, on...)
		for _, want := range []string{
			`json_cores{service="api",version="v1",k8s_pod="p"} 0.98896`, `functions_ratio{function="encoding/json.checkValid"} 0.0727`,
			`functions_ratio{function="other"} 0.818`, `hone_function_metric_cut_series{metric="functions_ratio"} 57`,
		} {
			if !strings.Contains(text, "\n"+want) {
				t.Errorf("%s is missing in\n%s", want, text)
			}
		}
	})
}

// startFunctionMetrics starts a server with two function metrics about the last hour. It
// returns a file with its token, and the metrics.
func startFunctionMetrics(t *testing.T, on ...string) (d *serving, tokenFile, text string) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	token := strings.TrimSpace(honeWith(t, nil, "", "token", "add", "-role", "admin", "-data", data, "a").stdout)
	tokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	// The first interval that is measured is the last complete hour. If another hour begins
	// meanwhile, it is this one.
	d = startServe(t, data, on...)
	hour := time.Now().Add(-2 * time.Second).Truncate(time.Hour)
	for _, at := range []time.Time{hour.Add(-30 * time.Minute), hour.Add(time.Second)} {
		d.succeed("push", "-token-file", tokenFile, "-service", "api", "-version", "v1", "-label", "k8s.pod=p", "-time", at.UTC().Format(time.RFC3339), testdata("cpu.json-decode.pb.gz"))
	}
	d.end()
	d = startServe(t, data, append(on, "-config", writeConfig(t, `
[function_metrics]
interval = "1h"
delay = "1s"
[[function_metrics.rule]]
name = "json"
select = "cpu"
packages = "encoding/json"
callees = true
by = ["service", "version", "k8s.pod"]
[[function_metrics.rule]]
name = "functions"
select = "cpu"
functions = ".*"
value = "share"
by = ["function"]
limit = 3
`))...)
	return d, tokenFile, metricsText(t, d.url, token)
}

// TestPrometheus has a real Prometheus scrape function metrics, and checks that an alert on
// one fires.
func TestPrometheus(t *testing.T) {
	withPrometheus(t)
	d, tokenFile, text := startFunctionMetrics(t)
	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s\nabout\n%s", err, out, text)
	}
	prometheus := startPrometheus(t, fmt.Sprintf(`
- job_name: functions
  metrics_path: /metrics/profiles
  honor_labels: true
  authorization: { credentials_file: %s }
  static_configs: [{ targets: [%q] }]
`, tokenFile, strings.Trim(strings.TrimPrefix(d.url, "http://"), "/")), `
groups:
- name: hone
  rules:
  - { alert: ExpensiveJSON, expr: json_cores > 0.1, annotations: { text: "{{ $labels.service }} {{ $labels.version }} {{ $value }}" } }
  - { alert: CheapJSON, expr: json_cores <= 0.1 }
  - { alert: Cut, expr: 'hone_function_metric_cut_series{metric="functions_ratio"} > 0' }
`)
	alerts := firing(t, prometheus, 2)
	if len(alerts) != 2 || !strings.HasPrefix(alerts["ExpensiveJSON"], "api v1 ") || alerts["CheapJSON"] != "" {
		t.Errorf("alerts that fire: %v", alerts)
	}
	// It asks for OpenMetrics. The values are those of the text format, and shares add up to 1.
	if got := queryPrometheus(t, prometheus, `json_cores{service="api",version="v1",k8s_pod="p"}`); !strings.Contains(text, `json_cores{service="api",version="v1",k8s_pod="p"} `+got+"\n") {
		t.Errorf("Prometheus has %s, the text format\n%s", got, text)
	}
	if got := queryPrometheus(t, prometheus, "round(sum(functions_ratio), 0.001)"); got != "1" {
		t.Errorf("the shares of all functions add up to %s", got)
	}
}

// metricsText returns the function metrics, once there are some.
func metricsText(t *testing.T, server, token string) string {
	t.Helper()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		r, err := http.DefaultClient.Do(ask(t, strings.TrimSuffix(server, "/")+"/metrics/profiles", token))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err == nil && r.StatusCode == http.StatusOK && strings.Contains(string(body), "\njson_cores{") && strings.Contains(string(body), "\nfunctions_ratio{") {
			return string(body)
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("no function metrics: %s, %v\n%s", r.Status, err, body)
		}
	}
}

// firing returns the texts of the alerts that fire, by name, once there are n of them.
func firing(t *testing.T, prometheus string, n int) map[string]string {
	t.Helper()
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var answer struct {
			Data struct {
				Alerts []struct {
					State       string
					Labels      map[string]string
					Annotations map[string]string
				}
			}
		}
		err := getJSON(prometheus+"/api/v1/alerts", &answer)
		found := map[string]string{}
		for _, a := range answer.Data.Alerts {
			if a.State == "firing" {
				found[a.Labels["alertname"]] = a.Annotations["text"] + " "
			}
		}
		if len(found) >= n {
			return found
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("alerts that fire: %v, want %d; %v", found, n, err)
		}
	}
}

func getJSON(address string, into any) error {
	r, err := http.Get(address)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	return json.NewDecoder(r.Body).Decode(into)
}

// queryPrometheus returns the value of the only series that a query has now.
func queryPrometheus(t *testing.T, prometheus, query string) string {
	t.Helper()
	var answer struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := getJSON(prometheus+"/api/v1/query?query="+url.QueryEscape(query), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Data.Result) != 1 {
		t.Fatalf("%s: %d series", query, len(answer.Data.Result))
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1])
}
