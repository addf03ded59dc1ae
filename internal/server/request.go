package server

import (
	"net/http"
	"strings"

	"github.com/hone-go/hone/internal/server/auth"
)

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

func describeRequest(r *http.Request) string { return r.Method + " " + r.URL.Path }

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	// theirReadyPath is the path that tools for Pyroscope ask.
	theirReadyPath = "/ready"
)

// asksHealth reports whether a request asks for the state of the server.
func asksHealth(r *http.Request) bool {
	return r.URL.Path == healthPath || r.URL.Path == readyPath || r.URL.Path == theirReadyPath
}

// isRPC reports whether a path is one of gRPC and Connect: /package.Service/Method.
func isRPC(r *http.Request) bool {
	service, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return ok && strings.Contains(service, ".") && method != "" && !strings.Contains(method, "/")
}

// isPoll reports whether a request is that of an agent of Cloud Profiler for
// work: by gRPC, or POST /v2/projects/PROJECT/profiles.
func isPoll(r *http.Request) bool {
	return r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, ".ProfilerService/CreateProfile") ||
		strings.HasPrefix(r.URL.Path, "/v2/") && strings.HasSuffix(r.URL.Path, "/profiles"))
}

// protocolRole returns the role that a request of another tool's protocol needs:
// queries look, everything else sends.
func protocolRole(r *http.Request) auth.Roles {
	if reads(r) {
		return auth.Read
	}
	service, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch service {
	case "querier.v1.QuerierService", "google.devtools.cloudprofiler.v2.ExportService",
		// What Grafana and profilecli ask beside profiles. None of these calls changes anything.
		"capabilities.v1.FeatureFlagsService", "version.v1.Version", "settings.v1.SettingsService", "settings.v1.RecordingRulesService",
		"settings.v1.CollectionRulesService", "vcs.v1.VCSService", "adhocprofiles.v1.AdHocProfileService",
		"ingester.v1.IngesterService", "storegateway.v1.StoreGatewayService", "parca.query.v1alpha1.QueryService":
		return auth.Read
	}
	return auth.Write
}
