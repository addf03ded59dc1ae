package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/profile"
)

// writeSpans writes a CPU profile. Its stacks are functions, root first, separated by
// semicolons, and may end in a span and a trace.
func writeSpans(t *testing.T, values map[string]int64) string {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for text, value := range values {
		path, spans, _ := strings.Cut(text, " ")
		var stack []uint32
		for _, name := range slices.Backward(strings.Split(path, ";")) {
			stack = append(stack, b.Location(0, 0, profile.Line{Function: b.Function(name, name, "", 0)}))
		}
		var labels []profile.Label
		if span, trace, ok := strings.Cut(spans, " "); ok {
			labels = []profile.Label{{Key: b.String("span_id"), Str: b.String(span)}, {Key: b.String("trace_id"), Str: b.String(trace)}}
		}
		b.Sample(stack, labels, value)
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	f, err := os.Create(file)
	if err == nil {
		err = p.Encode(f)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestGrafanaClients: the clients that Pyroscope generates for Grafana's data source, its
// Profiles Drilldown app and profilecli get what these programs need from a real server.
func TestGrafanaClients(t *testing.T) {
	d := startServe(t, t.TempDir())
	base := time.Now().Add(-20 * time.Minute).Truncate(time.Minute)
	push := func(minute int, values map[string]int64, args ...string) {
		at := base.Add(time.Duration(minute) * time.Minute).UTC().Format(time.RFC3339)
		d.succeed(append(append([]string{"push", "-kind", "cpu", "-time", at}, args...), writeSpans(t, values))...)
	}
	push(0, map[string]int64{"main.main;main.work 00f067aa0ba902b7 4bf92f3577b34da6a3ce929d0e0e4736": 100, "main.main;main.work;runtime.gc": 7, "main.main;main.idle": 1000},
		"-service", "shop", "-label", "k8s.pod=a")
	push(1, map[string]int64{"main.main;main.work 00f067aa0ba902b8 4bf92f3577b34da6a3ce929d0e0e4737": 50}, "-service", "shop", "-label", "k8s.pod=b")
	push(0, map[string]int64{"main.main": 5}, "-service", "other")

	const (
		cpu    = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
		work   = ";main.main;main.work 150"
		gc     = ";main.main;main.work;runtime.gc 7"
		idle   = ";main.main;main.idle 1000"
		refuse = "unimplemented"
	)
	for _, protocol := range []string{"connect", "grpc", "grpc-web"} {
		t.Run(protocol, func(t *testing.T) {
			answers := grafanaAnswers(t, d, protocol, base.Add(-time.Minute), base.Add(10*time.Minute))
			for call, want := range map[string][]string{
				"health":       nil,
				"profileTypes": {cpu},
				"labelNames":   {"__name__", "__period_type__", "__period_unit__", "__profile_type__", "__service_name__", "__type__", "__unit__", "k8s.pod", "service_name"},
				"labelValues":  {"a", "b"},
				"metrics":      {"k8s.pod=a 1107", "k8s.pod=b 50"}, "heatmap of spans": {"00f067aa0ba902b7 100 of 1", "00f067aa0ba902b8 50 of 1"},
				"profile": {idle, work, gc}, "profile of IDs": {idle, ";main.main;main.work 100", gc}, "profile below a call site": {work, gc},
				"profile of functions": {work}, "profile of spans": {";main.main;main.work 100"}, "profile of traces": {";main.main;main.work 100"},
				"featureFlags": {"utf8LabelNames", "v2StorageLayer"}, "settings": nil, "services": {"other " + cpu, "shop " + cpu},
				"function details": {"157"}, "export of few nodes": {"1157"}, "render-diff": {"1157 1157"}, "diff": {"1157 1157"}, "profile stats": {"true"},
				"ready": {"ready\n"}, "query profile": {"1162"}, "query profile --function-names-only": {";main.main 5", idle, work, gc},
				"query profile --async": {";main.main 5", idle, work, gc}, "query series": {"3"}, "query go-pgo": {"5"}, "query top": {"other 5", "shop 1157"}, "dot": {"true"}, "analyze": {"3"},
			} {
				got, ok := answers[call]
				slices.Sort(got.Found)
				if slices.Sort(want); !ok || got.Code != "" || !slices.Equal(got.Found, want) {
					t.Errorf("%s: %s %q, want %q", call, got.Code, got.Found, want)
				}
				delete(answers, call)
			}
			for call, some := range map[string]int{"metrics: exemplars": 2, "heatmap of profiles": 3} {
				if got := answers[call]; got.Code != "" || len(got.Found) != some {
					t.Errorf("%s: %s %q, want %d", call, got.Code, got.Found, some)
				}
				delete(answers, call)
			}
			for _, call := range []string{"set a setting", "newer format", "source of functions", "recording-rules list"} {
				if got := answers[call]; got.Code != refuse || len(got.Found) != 1 || !strings.Contains(got.Found[0], "hone ") {
					t.Errorf("%s: %s %q, want %s and a reason", call, got.Code, got.Found, refuse)
				}
				delete(answers, call)
			}
			for call, got := range answers {
				t.Errorf("nothing is expected of %s: %v", call, got)
			}
		})
	}
}

// A grafanaAnswer is what a caller says of one call.
type grafanaAnswer struct {
	Call, Code string
	Found      []string
}

// grafanaAnswers lets the callers ask, and returns what they say by call.
func grafanaAnswers(t *testing.T, d *serving, protocol string, from, to time.Time) map[string]grafanaAnswer {
	t.Helper()
	ms := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
	agent := ingesttest.StartAgent(t, "grafana", os.Environ(), "-addr", d.url, "-protocol", protocol, "-from", ms(from), "-to", ms(to))
	const last = `"recording-rules list"`
	for deadline := time.Now().Add(time.Minute); !strings.Contains(agent.Output(), last); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the callers don't end:\n%s", agent.Output())
		}
	}
	answers := map[string]grafanaAnswer{}
	for line := range strings.Lines(agent.Output()) {
		var a grafanaAnswer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		answers[a.Call] = a
	}
	return answers
}
