package pyroscope

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// ask calls a procedure of any service.
func ask[Req, Res any](s *site, procedure string, req *Req, options ...connect.ClientOption) (*Res, error) {
	res, err := connect.NewClient[Req, Res](http.DefaultClient, s.url+procedure, options...).CallUnary(context.Background(), connect.NewRequest(req))
	if err != nil {
		return nil, err
	}
	return res.Msg, nil
}

// What Grafana and profilecli ask about the server has answers. Other calls are errors that say
// why, and that clients take for a missing call.
func TestServices(t *testing.T) {
	s := newSite(t)
	for _, options := range [][]connect.ClientOption{nil, {connect.WithProtoJSON()}, {connect.WithGRPC()}, {connect.WithGRPCWeb()}} {
		flags := must(ask[pb.GetFeatureFlagsRequest, pb.GetFeatureFlagsResponse](s, "/capabilities.v1.FeatureFlagsService/GetFeatureFlags", &pb.GetFeatureFlagsRequest{}, options...)).FeatureFlags
		enabled := func(name string) bool {
			i := slices.IndexFunc(flags, func(f *pb.FeatureFlag) bool { return f.GetName() == name })
			return i >= 0 && flags[i].GetEnabled()
		}
		if !enabled("v2StorageLayer") || !enabled("utf8LabelNames") || enabled("functionProjections") || enabled("pyroscopeRuler") {
			t.Errorf("flags %v", flags)
		}
		if v := must(ask[pb.VersionRequest, pb.VersionResponse](s, "/version.v1.Version/Version", &pb.VersionRequest{}, options...)); v.GetQuerierAPI() != 1 {
			t.Errorf("version %v", v)
		}
		if got := must(ask[pb.GetSettingsRequest, pb.GetSettingsResponse](s, "/settings.v1.SettingsService/Get", &pb.GetSettingsRequest{}, options...)); proto.Size(got) != 0 {
			t.Errorf("settings %v", got)
		}
		for _, procedure := range []string{"settings.v1.SettingsService/Set", "settings.v1.RecordingRulesService/ListRecordingRules", "settings.v1.CollectionRulesService/ListCollectionRules",
			"vcs.v1.VCSService/GithubApp", "adhocprofiles.v1.AdHocProfileService/List", "debuginfo.v1alpha1.DebuginfoService/ListDebuginfo", "ingester.v1.IngesterService/Series",
			"storegateway.v1.StoreGatewayService/Series", "version.v1.Version/Nosuch", "capabilities.v1.FeatureFlagsService/Nosuch", "querier.v1.QuerierService/Nosuch"} {
			_, err := ask[pb.LabelValuesRequest, pb.LabelValuesResponse](s, "/"+procedure, &pb.LabelValuesRequest{Name: "x"}, options...)
			if connect.CodeOf(err) != connect.CodeUnimplemented || len(err.Error()) < len("unimplemented: hone ") {
				t.Errorf("%s: %v", procedure, err)
			}
		}
	}
}

func TestAnalyzeQuery(t *testing.T) {
	s := fleet(t)
	for query, want := range map[string][2]uint64{ // series and profiles
		"":                           {8, 8},
		"{}":                         {8, 8},
		`{service_name="wc"}`:        {4, 4},
		cpuType:                      {4, 4},
		cpuType + `{version=~"v."}`:  {3, 3},
		spaceType + `{instance="c"}`: {2, 2},
		`{service_name="nosuch"}`:    {0, 0},
	} {
		res := must(call[pb.AnalyzeQueryRequest, pb.AnalyzeQueryResponse](s, "AnalyzeQuery", &pb.AnalyzeQueryRequest{Start: begin - minute, End: begin + 10*minute, Query: query}))
		if got := [2]uint64{res.QueryScopes[0].SeriesCount, res.QueryScopes[0].ProfileCount}; got != want || res.QueryImpact.TotalQueriedSeries != want[0] {
			t.Errorf("%s: %v, want %v", query, res, want)
		}
	}
	for _, bad := range []*pb.AnalyzeQueryRequest{{Query: "cpu"}, {Query: "{"}, {Start: -1}, {Start: 2, End: 1}} {
		if _, err := call[pb.AnalyzeQueryRequest, pb.AnalyzeQueryResponse](s, "AnalyzeQuery", bad); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
