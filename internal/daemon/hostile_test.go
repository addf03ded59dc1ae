package daemon

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/load/kafkaload"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/loads"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// An ask is a request. In its target, BAD stands for the hostile text, LABEL for what a label
// may hold of it; in its body, the same as JSON. The other words in capitals are in
// newHostileServer.
type ask struct {
	target, body string
	plain        int // the status with plain texts
}

// asks has requests for all routes that hone serve has, and that hone load kafka -listen has.
// The first of a route has to succeed with plain texts.
var asks = map[string][]ask{
	"/":                                   {{"/", "", 200}, {"/BAD", "", 404}, {"/flame?profile=BAD", "", 200}},
	"/api/":                               {{"/api/v1/BAD", "", 404}},
	"GET /login":                          {{"/login?to=/BAD", "", 200}, {"/login?to=BAD", "", 200}},
	"POST /login":                         {{"/login", "token=TOKEN&to=/BAD", 303}, {"/login", "token=BAD&to=BAD", 401}},
	"GET /login/provider":                 {{"/login/provider?to=BAD", "", 404}},
	"GET /login/callback":                 {{"/login/callback?state=BAD&error=BAD&error_description=BAD", "", 404}},
	"POST /logout":                        {{"/logout", "", 204}},
	"GET /healthz":                        {{"/healthz", "", 200}},
	"GET /readyz":                         {{"/readyz", "", 200}},
	"GET /metrics":                        {{"/metrics", "", 200}},
	"GET /api/v1/user":                    {{"/api/v1/user", "", 200}},
	"GET /api/v1/sessions":                {{"/api/v1/sessions", "", 200}},
	"DELETE /api/v1/sessions/{id}":        {{"/api/v1/sessions/BAD", "", 404}},
	"GET /api/v1/profiles":                {{"/api/v1/profiles", "", 200}},
	"POST /api/v1/profiles":               {{"/api/v1/profiles?name=BAD", "RAW", 201}, {"/api/v1/profiles?name=x", "BAD", 422}, {"/api/v1/profiles?service=x&BAD=BAD", "RAW", 400}},
	"GET /api/v1/profiles/{id}":           {{"/api/v1/profiles/SELECTION", "", 200}, {"/api/v1/profiles/BAD", "", 404}},
	"GET /api/v1/profiles/{id}/build":     {{"/api/v1/profiles/SELECTION/build", "", 200}, {"/api/v1/profiles/BAD/build", "", 404}},
	"GET /api/v1/report/{name...}":        {{"/api/v1/report/top?profile=SELECTION", "", 200}, {"/api/v1/report/BAD?profile=SELECTION", "", 404}, {"/api/v1/report/top?profile=BAD", "", 404}, {"/api/v1/report/top?profile=SELECTION&focus=BAD", "", 200}},
	"GET /api/v1/advice":                  {{"/api/v1/advice?profile=SELECTION", "", 200}, {"/api/v1/advice?profile=BAD", "", 404}},
	"GET /api/v1/runs":                    {{"/api/v1/runs", "", 404}},
	"GET /api/v1/runs/compare":            {{"/api/v1/runs/compare?runs=BAD", "", 404}},
	"GET /api/v1/runs/trend":              {{"/api/v1/runs/trend?benchmark=BAD", "", 404}},
	"GET /api/v1/runs/verdicts":           {{"/api/v1/runs/verdicts", "", 404}},
	"GET /api/v1/runs/{id}":               {{"/api/v1/runs/BAD", "", 404}},
	"GET /api/v1/runs/{id}/load":          {{"/api/v1/runs/BAD/load", "", 404}},
	"GET /api/v1/views":                   {{"/api/v1/views", "", 200}},
	"PUT /api/v1/views/{name}":            {{"/api/v1/views/LABEL", `{"query": "focus=x"}`, 200}, {"/api/v1/views/x", "BAD", 400}},
	"DELETE /api/v1/views/{name}":         {{"/api/v1/views/LABEL", "", 204}, {"/api/v1/views/BAD", "", 404}},
	"GET /flamegraph":                     {{"/flamegraph?f=BAD", "", 302}},
	"GET /flamegraph2":                    {{"/flamegraph2?f=BAD", "", 302}},
	"GET /flamegraphold":                  {{"/flamegraphold?f=BAD", "", 302}},
	"GET /ui/{name...}":                   {{"/ui/top?f=BAD", "", 302}, {"/ui/BAD", "", 404}},
	"GET /download":                       {{"/download", "", 404}, {"/download?f=BAD", "", 404}},
	"GET /api/v1/pprof":                   {{"/api/v1/pprof?q=cpu", "", 200}, {"/api/v1/pprof?q=BAD", "", 404}},
	"GET /api/v1/labels":                  {{"/api/v1/labels", "", 200}},
	"GET /api/v1/services":                {{"/api/v1/services", "", 200}},
	"GET /api/v1/overview":                {{"/api/v1/overview", "", 200}, {"/api/v1/overview?find=BAD", "", 200}},
	"GET /api/v1/changes":                 {{"/api/v1/changes?service=sLABEL", "", 200}, {"/api/v1/changes?service=BAD", "", 0}},
	"GET /api/v1/heat":                    {{"/api/v1/heat?q=cpu&by=note", "", 200}, {"/api/v1/heat?q=cpu&values=1", "", 200}, {"/api/v1/heat?q=BAD&by=BAD", "", 200}},
	"DELETE /api/v1/services":             {{"/api/v1/services?service=sLABEL&dry_run=true", "", 200}},
	"GET /api/v1/records":                 {{"/api/v1/records?q=cpu", "", 200}},
	"GET /api/v1/series":                  {{"/api/v1/series?q=cpu&by=note", "", 200}},
	"GET /api/v1/history":                 {{"/api/v1/history?q=cpu", "", 200}, {"/api/v1/history?q=cpu&function=BAD&with=BAD", "", 200}},
	"GET /api/v1/markers":                 {{"/api/v1/markers", "", 200}},
	"POST /api/v1/markers":                {{"/api/v1/markers", `{"service": "x", "text": LABEL}`, 201}, {"/api/v1/markers", "BAD", 400}, {"/api/v1/markers", `{"profile": BAD, "text": LABEL}`, 400}},
	"DELETE /api/v1/markers/{id}":         {{"/api/v1/markers/BAD", "", 404}},
	"/mcp":                                {{"/mcp?BAD", "", 405}},
	"GET /api/v1/regressions":             {{"/api/v1/regressions?service=BAD", "", 200}, {"/api/v1/regressions?state=BAD", "", 400}},
	"GET /api/v1/status":                  {{"/api/v1/status", "", 200}},
	"POST /api/v1/backup":                 {{"/api/v1/backup?name=a", "", 201}, {"/api/v1/backup?name=BAD", "", 201}},
	"GET /api/v1/loads":                   {{"/api/v1/loads", "", 200}},
	"GET /api/v1/loads/{id}":              {{"/api/v1/loads/BAD", "", 404}},
	"POST /api/v1/loads":                  {{"/api/v1/loads", `{"topic": LABEL}`, 400}, {"/api/v1/loads", "BAD", 400}},
	"POST /api/v1/loads/{id}/stop":        {{"/api/v1/loads/BAD/stop", "", 404}},
	"POST /ingest":                        {{"/ingest?name=aLABEL&format=pprof&TIMES", "RAW", 200}, {"/ingest?name=a&format=folded&TIMES", "main;BAD 5\n", 200}},
	"POST /pyroscope/ingest":              {{"/pyroscope/ingest?name=a&format=pprof&TIMES", "RAW", 200}, {"/pyroscope/ingest?name=BAD&format=BAD", "BAD", 422}},
	"GET /metrics/profiles":               {{"/metrics/profiles", "", 200}},
	"GET /api/v1/function-metrics":        {{"/api/v1/function-metrics", "", 200}},
	"GET /api/v1/function-metrics/{name}": {{"/api/v1/function-metrics/functions?step=1m", "", 200}, {"/api/v1/function-metrics/BAD", "", 404}},
	"GET /ready":                          {{"/ready", "", 200}},
	"GET /api/v1/endpoints":               {{"/api/v1/endpoints?q=cpu", "", 200}, {"/api/v1/endpoints?q=BAD", "", 200}},
	"GET /api/v1/exemplars":               {{"/api/v1/exemplars?q=cpu", "", 200}, {"/api/v1/exemplars?q=BAD", "", 200}},
	"/push.v1.PusherService/Push": {{"/push.v1.PusherService/Push", `{"series": [{"labels": [{"name": "__name__", "value": "process_cpu"}, {"name": "service_name", "value": "push"}, {"name": "x", "value": LABEL}],
		"samples": [{"ID": "a", "rawProfile": "PROFILE"}]}]}`, 200}},
	"/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw": {{"/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
		`{"series": [{"labels": {"labels": [{"name": "job", "value": LABEL}, {"name": "__name__", "value": "process_cpu"}]}, "samples": [{"rawProfile": "PROFILE"}]}], "normalized": true}`, 200}},
	"/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow":                  {{"/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow", `{}`, 200}, {"/parca.profilestore.v1alpha1.ProfileStoreService/WriteArrow", `{"BAD": BAD}`, 400}},
	"/parca.profilestore.v1alpha1.ProfileStoreService/Write":                       {{"/parca.profilestore.v1alpha1.ProfileStoreService/Write", `{}`, 505}},
	"/parca.profilestore.v1alpha1.ProfileStoreService/":                            {{"/parca.profilestore.v1alpha1.ProfileStoreService/BAD", `{"name": BAD}`, 501}},
	"/parca.profilestore.v1alpha1.AgentsService/":                                  {{"/parca.profilestore.v1alpha1.AgentsService/Agents", `{"name": BAD}`, 501}},
	"/parca.debuginfo.v1alpha1.DebuginfoService/":                                  {{"/parca.debuginfo.v1alpha1.DebuginfoService/InitiateUpload", `{"name": BAD}`, 501}},
	"/parca.telemetry.v1alpha1.TelemetryService/":                                  {{"/parca.telemetry.v1alpha1.TelemetryService/ReportPanic", `{"name": BAD}`, 501}},
	"/parca.query.v1alpha1.QueryService/":                                          {{"/parca.query.v1alpha1.QueryService/QueryRange", `{"name": BAD}`, 501}},
	"/parca.scrape.v1alpha1.ScrapeService/":                                        {{"/parca.scrape.v1alpha1.ScrapeService/Targets", `{"name": BAD}`, 501}},
	"/opentelemetry.proto.collector.logs.v1.LogsService/":                          {{"/opentelemetry.proto.collector.logs.v1.LogsService/Export", `{"name": BAD}`, 501}},
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/":                    {{"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", `{"name": BAD}`, 501}},
	"/opentelemetry.proto.collector.trace.v1.TraceService/":                        {{"/opentelemetry.proto.collector.trace.v1.TraceService/Export", `{"name": BAD}`, 501}},
	"/opentelemetry.proto.collector.profiles.v1experimental.ProfilesService/":      {{"/opentelemetry.proto.collector.profiles.v1experimental.ProfilesService/Export", `{"name": BAD}`, 501}},
	"/opentelemetry.proto.collector.profiles.v1.ProfilesService/":                  {{"/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export", `{"name": BAD}`, 501}},
	"/parca.debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload":              {{"/parca.debuginfo.v1alpha1.DebuginfoService/ShouldInitiateUpload", `{"buildId": LABEL}`, 200}},
	"POST /api/profiles/writeraw":                                                  {{"/api/profiles/writeraw", `{}`, 200}},
	"POST /profiles/writeraw":                                                      {{"/profiles/writeraw", `{"series": [{"labels": {"labels": [{"name": LABEL, "value": LABEL}]}, "samples": [{"rawProfile": "PROFILE"}]}]}`, 400}},
	"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export": {{"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", `{}`, 200}},
	"POST /v1development/profiles":                                                 {{"/v1development/profiles", `{}`, 200}},
	"/querier.v1.QuerierService/":                                                  {{"/querier.v1.QuerierService/BAD", `{}`, 501}},
	"/querier.v1.QuerierService/AnalyzeQuery":                                      {{"/querier.v1.QuerierService/AnalyzeQuery", `{"query": TYPE}`, 200}, {"/querier.v1.QuerierService/AnalyzeQuery", `{"query": BAD}`, 400}},
	"/capabilities.v1.FeatureFlagsService/":                                        {{"/capabilities.v1.FeatureFlagsService/BAD", `{}`, 501}},
	"/capabilities.v1.FeatureFlagsService/GetFeatureFlags":                         {{"/capabilities.v1.FeatureFlagsService/GetFeatureFlags", `{}`, 200}, {"/capabilities.v1.FeatureFlagsService/GetFeatureFlags", `{"BAD": BAD}`, 400}},
	"/settings.v1.SettingsService/":                                                {{"/settings.v1.SettingsService/Set", `{"setting": {"name": BAD, "value": BAD}}`, 501}},
	"/settings.v1.SettingsService/Get":                                             {{"/settings.v1.SettingsService/Get", `{}`, 200}},
	"/settings.v1.RecordingRulesService/":                                          {{"/settings.v1.RecordingRulesService/GetRecordingRule", `{"id": BAD}`, 501}},
	"/settings.v1.CollectionRulesService/":                                         {{"/settings.v1.CollectionRulesService/GetCollectionRule", `{"name": BAD}`, 501}},
	"/version.v1.Version/":                                                         {{"/version.v1.Version/BAD", `{}`, 501}},
	"/version.v1.Version/Version":                                                  {{"/version.v1.Version/Version", `{}`, 200}},
	"/vcs.v1.VCSService/":                                                          {{"/vcs.v1.VCSService/GetFile", `{"repositoryURL": BAD, "localPath": BAD}`, 501}},
	"/adhocprofiles.v1.AdHocProfileService/":                                       {{"/adhocprofiles.v1.AdHocProfileService/Upload", `{"name": BAD, "profile": "PROFILE"}`, 501}},
	"/debuginfo.v1alpha1.DebuginfoService/":                                        {{"/debuginfo.v1alpha1.DebuginfoService/DeleteDebuginfo", `{"gnuBuildId": BAD}`, 501}},
	"/ingester.v1.IngesterService/":                                                {{"/ingester.v1.IngesterService/Series", `{"matchers": [BAD]}`, 501}},
	"/storegateway.v1.StoreGatewayService/":                                        {{"/storegateway.v1.StoreGatewayService/Series", `{"matchers": [BAD]}`, 501}},
	"/querier.v1.QuerierService/ProfileTypes":                                      {{"/querier.v1.QuerierService/ProfileTypes", `{"start": 0, "end": 4102444800000}`, 200}, {"/querier.v1.QuerierService/ProfileTypes", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/LabelNames":                                        {{"/querier.v1.QuerierService/LabelNames", `{"start": 0, "end": 4102444800000}`, 200}, {"/querier.v1.QuerierService/LabelNames", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/LabelValues":                                       {{"/querier.v1.QuerierService/LabelValues", `{"name": "note", "start": 0, "end": 4102444800000}`, 200}, {"/querier.v1.QuerierService/LabelValues", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/Series":                                            {{"/querier.v1.QuerierService/Series", `{"start": 0, "end": 4102444800000}`, 200}, {"/querier.v1.QuerierService/Series", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/SelectSeries":                                      {{"/querier.v1.QuerierService/SelectSeries", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "step": 1e9}`, 200}, {"/querier.v1.QuerierService/SelectSeries", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "step": 1e9, "exemplarType": 2}`, 200}, {"/querier.v1.QuerierService/SelectSeries", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/SelectHeatmap":                                     {{"/querier.v1.QuerierService/SelectHeatmap", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "step": 1e9}`, 200}, {"/querier.v1.QuerierService/SelectHeatmap", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "step": 1e9, "queryType": 2, "exemplarType": 3}`, 200}, {"/querier.v1.QuerierService/SelectHeatmap", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/SelectMergeStacktraces":                            {{"/querier.v1.QuerierService/SelectMergeStacktraces", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000}`, 200}, {"/querier.v1.QuerierService/SelectMergeStacktraces", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "format": 3}`, 200}, {"/querier.v1.QuerierService/SelectMergeStacktraces", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "format": 2}`, 200}, {"/querier.v1.QuerierService/SelectMergeStacktraces", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "format": 4}`, 200}, {"/querier.v1.QuerierService/SelectMergeStacktraces", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/SelectMergeSpanProfile":                            {{"/querier.v1.QuerierService/SelectMergeSpanProfile", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "spanSelector": [BAD]}`, 200}, {"/querier.v1.QuerierService/SelectMergeSpanProfile", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/SelectMergeProfile":                                {{"/querier.v1.QuerierService/SelectMergeProfile", `{"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000, "maxNodes": 1}`, 200}, {"/querier.v1.QuerierService/SelectMergeProfile", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/Diff":                                              {{"/querier.v1.QuerierService/Diff", `{"left": {"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000}, "right": {"profileTypeID": TYPE, "labelSelector": "{}", "start": 0, "end": 4102444800000}}`, 200}, {"/querier.v1.QuerierService/Diff", `{"BAD": BAD}`, 400}},
	"/querier.v1.QuerierService/GetProfileStats":                                   {{"/querier.v1.QuerierService/GetProfileStats", `{}`, 200}, {"/querier.v1.QuerierService/GetProfileStats", `{"BAD": BAD}`, 400}},
	"GET /pyroscope/render":                                                        {{"/pyroscope/render?query=TYPE", "", 200}, {"/pyroscope/render?query=TYPE&format=dot", "", 200}, {"/pyroscope/render?query=TYPE&groupBy=note", "", 200}, {"/pyroscope/render?query=BAD&from=BAD", "", 400}},
	"GET /pyroscope/render-diff":                                                   {{"/pyroscope/render-diff?leftQuery=TYPE&rightQuery=TYPE", "", 200}, {"/pyroscope/render-diff?leftQuery=BAD&rightQuery=BAD", "", 400}},
	"GET /pyroscope/labels":                                                        {{"/pyroscope/labels", "", 200}, {"/pyroscope/labels?query={BAD}", "", 400}},
	"GET /pyroscope/label-values":                                                  {{"/pyroscope/label-values?label=note", "", 200}, {"/pyroscope/label-values?label=BAD&query=BAD", "", 200}},
	"/google.devtools.cloudprofiler.v2.ExportService/":                             {{"/google.devtools.cloudprofiler.v2.ExportService/ListProfiles", `{"parent": "projects/p"}`, 200}, {"/google.devtools.cloudprofiler.v2.ExportService/ListProfiles", `{"parent": BAD, "pageToken": BAD}`, 400}},
	"/google.devtools.cloudprofiler.v2.ProfilerService/":                           {{"/google.devtools.cloudprofiler.v2.ProfilerService/CreateOfflineProfile", `{"parent": "projects/p", "profile": {DEPLOYMENT}}`, 200}, {"/google.devtools.cloudprofiler.v2.ProfilerService/BAD", `{}`, 404}},
	"GET /v2/projects/{project}/profiles":                                          {{"/v2/projects/p/profiles", "", 200}, {"/v2/projects/BAD/profiles?pageToken=BAD", "", 400}},
	"POST /v2/projects/{project}/profiles":                                         {{"/v2/projects/p/profiles", `{"deployment": {"target": "rest", "labels": {"language": "go", "version": LABEL}}, "profileType": ["CPU"]}`, 200}, {"/v2/projects/BAD/profiles", `{"deployment": {"target": BAD, "labels": {"language": BAD}}, "profileType": [BAD]}`, 400}},
	"POST /v2/projects/{project}/profiles:createOffline":                           {{"/v2/projects/p/profiles:createOffline", `{DEPLOYMENT}`, 200}, {"/v2/projects/BAD/profiles:createOffline", `{"profileType": BAD}`, 400}},
	"PATCH /v2/projects/{project}/profiles/{id}":                                   {{"/v2/projects/p/profiles/BAD", `{DEPLOYMENT}`, 404}},

	"POST /api/v1/regressions/{id}/acknowledge":   {{"/api/v1/regressions/BAD/acknowledge", "", 404}, {"/api/v1/regressions/BAD/acknowledge", "BAD", 400}},
	"DELETE /api/v1/regressions/{id}/acknowledge": {{"/api/v1/regressions/BAD/acknowledge", "", 404}},
	"GET /api/v1/regressions/summary":             {{"/api/v1/regressions/summary", "", 200}},
	"GET /api/v1/notifications":                   {{"/api/v1/notifications", "", 200}},
	"POST /api/v1/notifications/test":             {{"/api/v1/notifications/test", "", 404}, {"/api/v1/notifications/test?target=BAD", "", 404}},
}

// refuse has the routes that may refuse hostile texts, and why.
var refuse = map[string]bool{
	"POST /api/v1/markers": true, "PUT /api/v1/views/{name}": true, "DELETE /api/v1/views/{name}": true, // characters that are no text
	"DELETE /api/v1/services": true, "GET /api/v1/changes": true, // is called otherwise then
	"POST /ingest": true, // the name is a selector
}

// patternsOf returns the routes of a mux, which net/http keeps to itself.
func patternsOf(t *testing.T, mux *http.ServeMux) []string {
	t.Helper()
	found := map[string]bool{}
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				look(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				look(v.MapIndex(key))
			}
		case reflect.Struct:
			if text := v.FieldByName("str"); v.Type().Name() == "pattern" && text.Kind() == reflect.String {
				found[text.String()] = true
				return
			}
			for i := range v.NumField() {
				look(v.Field(i))
			}
		}
	}
	look(reflect.ValueOf(mux).Elem().FieldByName("index"))
	if len(found) == 0 {
		t.Fatal("net/http keeps the patterns of a mux elsewhere now: mend patternsOf")
	}
	return slices.Sorted(maps.Keys(found))
}

// A hostileServer is hone serve with a store that holds profiles of one hostile text, without
// a network, and beside it the server of hone load kafka -listen.
type hostileServer struct {
	*daemon
	loads    *server.Server
	log      bytes.Buffer
	patterns []string
	secret   string         // of a token; "" for none
	cookies  []*http.Cookie // of a login
	// profileType is what Pyroscope calls the profiles.
	profileType string
	replace     func(text string, escape func(string) string) string
}

var hostileReach = server.Reach{Hosts: []string{"localhost:4600"}}

func newHostileServer(t *testing.T, bad string) *hostileServer {
	t.Helper()
	h := &hostileServer{}
	cfg := DefaultConfig("")
	cfg.Data = t.TempDir()
	cfg.Module = filepath.Join(cfg.Data, "module")
	if err := os.Mkdir(cfg.Module, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Module, "go.mod"), []byte("module example.com/m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg.Auth.Tokens = filepath.Join(cfg.Data, "tokens.json")
	cfg.FunctionMetrics.Interval, cfg.FunctionMetrics.Delay = configDuration(24*time.Hour), configDuration(time.Second)
	cfg.FunctionMetrics.Rules = []metricRuleConfig{{
		Name: "functions", Help: bad, Select: "cpu", Functions: ".*", Value: "share", By: []string{"note", "first", "function", "package"},
	}}
	d := &daemon{cfg: cfg, level: new(slog.LevelVar), metrics: prometheus.NewRegistry(), memory: ingest.NewMemory(int64(cfg.Server.InFlight))}
	d.o.Site.Options = shell.DefaultConfig()
	d.o.Site.Decode = func(_ context.Context, data []byte) (*profile.Profile, error) {
		return profile.DecodeBytes(data, profile.Limits{})
	}
	d.log = newLog(&h.log, cfg, d.level)
	var err error
	if d.store, err = openKeeper(t.Context(), cfg, d.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.store.Close() })
	if d.auth, err = d.newAuth(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.auth.Audit.Close() })
	name := []rune("token " + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, labelOf(bad)) + ".")
	if h.secret, _, err = d.auth.Tokens.Add(string(name[:min(len(name), 30)]), auth.Admin, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := d.assemble(t.Context(), hostileReach); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.markers.Close)
	h.daemon = d
	protocols, err := d.protocols()
	if err != nil {
		t.Fatal(err)
	}
	if h.loads, err = server.New(t.Context(), server.Config{Hosts: []string{"localhost:4600"}}); err != nil {
		t.Fatal(err)
	}
	loads.New(t.Context(), h.loads, kafkaload.Options{})
	h.patterns = slices.Concat(d.server.Patterns(), h.loads.Patterns(), patternsOf(t, protocols))

	var raw bytes.Buffer
	if err := hostile.Profile(bad, 1).Encode(&raw); err != nil {
		t.Fatal(err)
	}
	selection := "sel:" + url.Values{"q": {"cpu"}}.Encode()
	h.replace = func(text string, escape func(string) string) string {
		now := time.Now().Unix()
		return strings.NewReplacer("TIMES", fmt.Sprintf("from=%d&until=%d", now-20, now-10), "TYPE", escape(h.profileType),
			"DEPLOYMENT", `"profileType": "CPU", "duration": "10s", "profileBytes": "`+base64.StdEncoding.EncodeToString(raw.Bytes())+`",
				"deployment": {"projectId": "p", "target": "offline", "labels": {"language": "go", "version": `+escape(labelOf(bad))+`, "zone": `+escape(labelOf(bad))+`}}`, "SELECTION", url.QueryEscape(selection), "PROFILE", base64.StdEncoding.EncodeToString(raw.Bytes()), "RAW", raw.String(),
			"BAD", escape(bad), "LABEL", escape(labelOf(bad)), "TOKEN", h.secret).Replace(text)
	}
	push := url.Values{"service": {"s" + labelOf(bad)}, "kind": {"cpu"}, "duration": {"10s"}, "version": {labelOf(bad)}, "label.note": {labelOf(bad)}, "label.first": {"x" + labelOf(bad)}}
	if w := h.do("POST", "/api/v1/profiles?"+push.Encode(), raw.String(), ""); w.Code != http.StatusNoContent {
		t.Fatalf("%.60q: a push is answered %d %s", bad, w.Code, w.Body)
	}
	h.functions.Tick(t.Context(), time.Now().Truncate(24*time.Hour).Add(24*time.Hour+2*time.Second))
	var types struct{ ProfileTypes []struct{ ID string } }
	w := h.do("POST", "/querier.v1.QuerierService/ProfileTypes", "{}", "")
	if err := json.Unmarshal(w.Body.Bytes(), &types); err != nil || len(types.ProfileTypes) != 2 {
		t.Fatalf("%.60q: %v, profile types: %.500q", bad, err, w.Body)
	}
	h.profileType = types.ProfileTypes[0].ID // that of the hostile type
	if w := h.do("PUT", h.replace("/api/v1/views/LABEL", url.PathEscape), `{"query": "focus=x"}`, ""); w.Code != http.StatusOK && bad == hostile.Plain {
		t.Fatalf("a view is answered %d %s", w.Code, w.Body)
	}
	if w := h.do("POST", "/login", "token="+h.secret, ""); w.Code != http.StatusSeeOther {
		t.Fatalf("a login is answered %d %s", w.Code, w.Body)
	}
	return h
}

// labelOf keeps of a text what a label may hold.
func labelOf(bad string) string {
	text := strings.ToValidUTF8(strings.ReplaceAll(bad, "\x00", ""), "?")
	return strings.ToValidUTF8(text[:min(len(text), 100)], "")
}

func (h *hostileServer) do(method, target, body, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:4600"
	if h.secret != "" {
		r.Header.Set("Authorization", "Bearer "+h.secret)
	}
	for _, c := range h.cookies {
		r.AddCookie(c)
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(target, "/log") {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://localhost:4600")
	}
	w := httptest.NewRecorder()
	if strings.HasPrefix(target, "/api/v1/loads") {
		h.loads.ServeHTTP(w, r)
	} else {
		h.server.ServeHTTP(w, r)
	}
	return w
}

// wantLogs fails unless the log and the audit log are lines without anything to obey.
func (h *hostileServer) wantLogs(t *testing.T, bad string) {
	t.Helper()
	for line := range strings.Lines(h.log.String()) {
		if r, obeyed := hostile.Obeyed(line); obeyed || !strings.HasPrefix(line, "time=") {
			t.Errorf("%.40q: the log has %.200q, %q", bad, line, r)
		}
	}
	audit, err := os.ReadFile(filepath.Join(h.cfg.Data, "audit.log"))
	if err != nil || len(audit) == 0 {
		t.Errorf("the audit log has %d bytes, %v", len(audit), err)
	}
	for line := range strings.Lines(string(audit)) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(new(auth.Event)); err != nil || decoder.More() {
			t.Errorf("%.40q: the audit log has %.200q, %v", bad, line, err)
		}
		if r, obeyed := hostile.Obeyed(line); obeyed {
			t.Errorf("%.40q: the audit log has %.200q, %q", bad, line, r)
		}
	}
}

// shape is what of an answer has to be the same, whatever the texts are.
type shape struct {
	status int
	form   hostile.Form
	parts  []string
}

var answerForms = map[string]hostile.Form{
	"application/json": hostile.JSON, "text/html": hostile.HTML, "text/plain": hostile.Lines, "application/octet-stream": hostile.Pprof, "": hostile.Words,
}

// look checks what no answer may have, and returns its shape.
func look(w *httptest.ResponseRecorder) (s shape, err error) {
	s.status = w.Code
	for name, values := range w.Header() {
		for _, v := range values {
			if i := strings.IndexFunc(v, unicode.IsControl); i >= 0 {
				return s, fmt.Errorf("header %s has a control character: %.100q", name, v)
			}
		}
	}
	if to := w.Header().Get("Location"); to != "" {
		if u, err := url.Parse(to); err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
			return s, fmt.Errorf("leads to %.100q", to)
		}
	}
	if as := w.Header().Get("Content-Disposition"); as != "" {
		if _, params, err := mime.ParseMediaType(as); err != nil || strings.ContainsAny(params["filename"], `/\:*?"<>|%`) {
			return s, fmt.Errorf("is saved as %.100q", as)
		}
	}
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	form, ok := answerForms[kind]
	if !ok {
		return s, fmt.Errorf("answers as %q aren't tested: add them to answerForms", kind)
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" {
		return s, fmt.Errorf("a browser may take the answer for something else than %q", kind)
	}
	s.form = form
	body := w.Body.String()
	if w.Code == http.StatusNotModified || body == "" {
		return s, nil
	}
	if form == hostile.Lines {
		if r, obeyed := hostile.Obeyed(body); obeyed {
			return s, fmt.Errorf("gives a terminal %q: %.200q", r, body)
		}
	}
	s.parts, err = hostile.Parts(form, body)
	return s, err
}

// metricLine is a line of Prometheus's text format.
var metricLine = regexp.MustCompile(`^(?:# (?:HELP|TYPE) \w+ [^\x00-\x1f]*|\w+(?:\{(?:\w+="(?:[^"\\\n\x00-\x1f]|\\[\\"n])*",?)+\})? \S+)$`)

func wantMetrics(t *testing.T, bad, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !metricLine.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("/metrics: %.40q: %.200q should end with a number", bad, line)
		}
	}
}

// TestHostileRoutes asks for every route of hone's servers with and about texts that are syntax
// somewhere: in names, labels, parameters, paths and bodies; hostile_sources_test.go has what comes
// from elsewhere. Answers have to have the parts of
// those about plain texts, and the log and the audit log are lines without anything to obey.
func TestHostileRoutes(t *testing.T) {
	want := map[string]shape{}
	for i, bad := range append([]string{hostile.Plain}, hostile.Joined()...) {
		h := newHostileServer(t, bad)
		for _, pattern := range h.patterns {
			if asks[pattern] == nil {
				t.Errorf("%s isn't asked with hostile texts: add it to asks", pattern)
			}
		}
		for _, pattern := range slices.Sorted(maps.Keys(asks)) {
			if !slices.Contains(h.patterns, pattern) {
				t.Errorf("the route %s is missing", pattern)
			}
			method, path, ok := strings.Cut(pattern, " ")
			if !ok && strings.Contains(pattern, ".") {
				method, path = "POST", pattern
			} else if !ok {
				method, path = "GET", pattern
			}
			generic := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "BAD") + "?BAD=BAD"
			for k, a := range append(asks[pattern], ask{target: generic, body: "BAD"}) {
				escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
				body := func(text string) string {
					if !strings.HasPrefix(strings.TrimSpace(a.body), "{") {
						return text
					}
					quoted, _ := json.Marshal(text)
					return string(quoted)
				}
				if strings.HasPrefix(a.target, "/log") {
					body = url.QueryEscape
				}
				for _, accept := range []string{"*/*", "text/html"} {
					if method != "GET" && accept != "*/*" {
						continue
					}
					name := fmt.Sprintf("%s, case %d, for %s", pattern, k, accept)
					w := h.do(method, h.replace(a.target, escape), h.replace(a.body, body), accept)
					got, err := look(w)
					if err != nil {
						t.Errorf("%s: %.40q: %v", name, bad, err)
					}
					if path == "/metrics" || path == "/metrics/profiles" && w.Code == http.StatusOK {
						got.parts = nil
						wantMetrics(t, bad, w.Body.String())
					}
					if path == "/metrics/profiles" && w.Code == http.StatusOK && !strings.Contains(w.Body.String(), "\nfunctions_ratio{") {
						t.Errorf("no function is exported: %s", w.Body)
					}
					if i == 0 {
						if want[name] = got; got.status != a.plain && a.plain != 0 {
							t.Errorf("%s: %d with plain texts, want %d: %.200s", name, got.status, a.plain, w.Body)
						}
						continue
					}
					if got.status >= 500 && got.status != want[name].status || k == 0 && want[name].status < 400 && got.status >= 400 && !refuse[pattern] {
						t.Errorf("%s: %.40q: %d: %.300q", name, bad, got.status, w.Body)
					}
					if plain := want[name]; got.status == plain.status && (got.form != plain.form || !slices.Equal(got.parts, plain.parts)) {
						t.Errorf("%s: %.40q: %s with %d parts, and %s with %d of plain texts: %.300q", name, bad, got.form, len(got.parts), plain.form, len(plain.parts), w.Body)
					}
				}
			}
		}
		h.wantLogs(t, bad)
	}
}
