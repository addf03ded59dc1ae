package fnmetrics_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/hone-go/hone/internal/fnmetrics"
)

// TestFormats checks the formats that scrapers ask for.
func TestFormats(t *testing.T) {
	f := newFleet(t)
	f.put(0, 10*time.Second, cpu, map[string]int64{"main.f": 5e9}, "service", "a", "kind", "cpu", "k8s.pod-name", "p\"1\"\n\x1b[2J")
	w := f.watch(0, fnmetrics.RuleConfig{Name: "x", Help: "F\\G\nof all.", Select: "cpu", Functions: ".*", By: []string{"k8s.pod-name"}})
	w.Tick(t.Context(), after(2*time.Minute))
	// As Prometheus 2.42 and 3.5 send it.
	const (
		v2 = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
		v3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
	)
	for _, test := range []struct{ name, accept, kind, first string }{
		{"none", "", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", `
			# HELP x_cores F\\G\\nof all.
			# TYPE x_cores gauge
			x_cores{k8s_pod_name="p\"1\"\\n\\x1b[2J"} 0.5
			`},
		{"2.42", v2, "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores", `
			# HELP x_cores F\\G\\nof all.
			# TYPE x_cores gauge
			# UNIT x_cores cores
			x_cores{k8s_pod_name="p\"1\"\\n\\x1b[2J"} 0.5
			`},
		{"3.5", v3, "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8", `
			# HELP x_cores F\\G\\nof all.
			# TYPE x_cores gauge
			# UNIT x_cores cores
			x_cores{"k8s.pod-name"="p\"1\"\\n\\x1b[2J"} 0.5
			`},
	} {
		kind, body, err := w.Expose(http.Header{"Accept": {test.accept}}, after(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if kind != test.kind {
			t.Errorf("%s: got %s, want %s", test.name, kind, test.kind)
		}
		want := strings.TrimSpace(strings.ReplaceAll(test.first, "\t", "")) + "\n"
		if !strings.HasPrefix(string(body), want) {
			t.Errorf("%s: got\n%s\nwant first\n%s", test.name, body, want)
		}
		if open := strings.Contains(kind, "openmetrics"); open != strings.HasSuffix(string(body), "\n# EOF\n") {
			t.Errorf("%s: wrong end: %q", test.name, body)
		}
		if strings.Contains(kind, "openmetrics") {
			wantUnits(t, string(body))
			continue
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		if _, err := parser.TextToMetricFamilies(strings.NewReader(string(body))); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// wantUnits checks that a metric's name ends with its unit, as OpenMetrics asks.
func wantUnits(t *testing.T, body string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(body) {
		if rest, ok := strings.CutPrefix(line, "# UNIT "); ok {
			n++
			if name, unit, _ := strings.Cut(strings.TrimSpace(rest), " "); !strings.HasSuffix(name, "_"+unit) {
				t.Errorf("the name doesn't end with the unit: %s", line)
			}
		}
	}
	if n == 0 {
		t.Error("no units")
	}
}
