package pyroscope

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// mountServices serves the small services that Grafana and profilecli ask about the server, and
// refuses the others.
func mountServices(mux *http.ServeMux, options []connect.HandlerOption) {
	serveCall(mux, "/capabilities.v1.FeatureFlagsService/GetFeatureFlags", featureFlags, options)
	serveCall(mux, "/settings.v1.SettingsService/Get", settings, options)
	serveCall(mux, "/version.v1.Version/Version", version, options)
	for _, s := range []struct{ service, why string }{
		{"querier.v1.QuerierService", "hone does not support this call"},
		{"capabilities.v1.FeatureFlagsService", "hone does not support this call"},
		{"version.v1.Version", "hone does not support this call"},
		{"settings.v1.SettingsService", "hone keeps no settings for other tools: they use their defaults"},
		{"settings.v1.RecordingRulesService", "hone has no recording rules that tools can change"},
		{"settings.v1.CollectionRulesService", "hone has no collection rules: its configuration says what it collects"},
		{"vcs.v1.VCSService", "hone does not ask GitHub for source: its own pages show source"},
		{"adhocprofiles.v1.AdHocProfileService", "hone does not keep files for Grafana: open them with hone ui"},
		{"debuginfo.v1alpha1.DebuginfoService", "hone keeps no debug information: send profiles with the names of functions"},
		{"ingester.v1.IngesterService", "hone has no ingesters: ask querier.v1.QuerierService"},
		{"storegateway.v1.StoreGatewayService", "hone has no store gateways: ask querier.v1.QuerierService"},
	} {
		refuse(mux, "/"+s.service+"/", s.why, options)
	}
}

// refuse answers all calls of a service that have no answer. Grafana takes this error to mean
// that the server doesn't support the call. It reports any other error as a failure.
func refuse(mux *http.ServeMux, service, why string, options []connect.HandlerOption) {
	mux.Handle(service, connect.NewUnaryHandlerSimple(service, func(context.Context, *pb.VersionRequest) (*pb.VersionResponse, error) {
		return nil, connect.NewError(connect.CodeUnimplemented, errors.New(why))
	}, options...))
}

// featureFlags tells Profiles Drilldown which of its views work.
func featureFlags(context.Context, *pb.GetFeatureFlagsRequest) (*pb.GetFeatureFlagsResponse, error) {
	res := &pb.GetFeatureFlagsResponse{}
	for _, f := range []struct {
		name    string
		enabled bool
		about   string
	}{
		{"functionProjections", false, "Function tables and trees are computed from flame graphs."},
		{"pyroscopeRuler", false, "There are no recording rules that tools can change."},
		{"pyroscopeRulerFunctions", false, "There are no recording rules for functions."},
		{"utf8LabelNames", true, "Label names may have dots and dashes."},
		{"v2StorageLayer", true, "Heatmaps, exemplars and spans work."},
	} {
		res.FeatureFlags = append(res.FeatureFlags, &pb.FeatureFlag{Name: f.name, Enabled: f.enabled, Description: &f.about})
	}
	return res, nil
}

// settings has none, so that Profiles Drilldown uses its defaults. An error would keep it from
// starting.
func settings(context.Context, *pb.GetSettingsRequest) (*pb.GetSettingsResponse, error) {
	return &pb.GetSettingsResponse{}, nil
}

// querierVersion is the version of the query API that Pyroscope has.
const querierVersion = 1

func version(context.Context, *pb.VersionRequest) (*pb.VersionResponse, error) {
	return &pb.VersionResponse{QuerierAPI: querierVersion}, nil
}
