package parca

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

// TestUnimplemented: calls of Parca's agent and tools that hone doesn't answer say why, also
// those that stream. Calls that it answers are not among them.
func TestUnimplemented(t *testing.T) {
	server, h2c := ingesttest.Serve(t, &ingesttest.Recorder{}, Mount), ingesttest.H2C(t)
	for call, want := range map[string]string{
		debuginfo + "InitiateUpload":                             "debug information",
		debuginfo + "MarkUploadFinished":                         "debug information",
		"/parca.telemetry.v1alpha1.TelemetryService/ReportPanic": "crash reports",
		"/parca.query.v1alpha1.QueryService/QueryRange":          "hone query",
		"/parca.profilestore.v1alpha1.AgentsService/Agents":      "list of agents",
		service + "WriteLater":                                   "WriteArrow",
		"/parca.scrape.v1alpha1.ScrapeService/Targets":           "targets",
	} {
		for how, options := range map[string][]connect.ClientOption{"gRPC": {connect.WithGRPC()}, "gRPC-Web": {connect.WithGRPCWeb()}, "Connect": nil} {
			client := connect.NewClient[emptypb.Empty, emptypb.Empty](h2c, server.URL+call, options...)
			_, err := client.CallUnary(t.Context(), connect.NewRequest(&emptypb.Empty{}))
			if connect.CodeOf(err) != connect.CodeUnimplemented || !strings.Contains(err.Error(), want) {
				t.Errorf("%s over %s: %v, want unimplemented and %q", call, how, err, want)
			}
		}
	}
	upload := connect.NewClient[emptypb.Empty, emptypb.Empty](h2c, server.URL+debuginfo+"Upload", connect.WithGRPC()).CallClientStream(t.Context())
	_ = upload.Send(&emptypb.Empty{}) // the answer may be there already
	if _, err := upload.CloseAndReceive(); connect.CodeOf(err) != connect.CodeUnimplemented || !strings.Contains(err.Error(), "debug information") {
		t.Errorf("a stream: %v", err)
	}
	resp, err := http.Get(server.URL + "/parca.query.v1alpha1.QueryService/QueryRange")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotImplemented {
		t.Errorf("a plain request: %s", resp.Status)
	}
	write := connect.NewClient[emptypb.Empty, emptypb.Empty](h2c, server.URL+service+"WriteRaw", connect.WithGRPC())
	if _, err := write.CallUnary(t.Context(), connect.NewRequest(&emptypb.Empty{})); err != nil {
		t.Errorf("WriteRaw: %v", err)
	}
}
