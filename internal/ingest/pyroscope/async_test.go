package pyroscope

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// An asynchronous query returns an ID at first, and then what the query returns.
func TestAsync(t *testing.T) {
	s := fleet(t)
	ask := func(req *pb.SelectMergeStacktracesRequest) (*pb.SelectMergeStacktracesResponse, error) {
		return call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)
	}
	const force = pb.AsyncQueryType_ASYNC_QUERY_TYPE_FORCE
	req := query(cpuType, `{service_name="wc"}`)
	req.Format = pb.ProfileFormat_PROFILE_FORMAT_TREE
	want := must(ask(req))
	req.Async = &pb.AsyncQueryRequest{Type: force}
	first := must(ask(req))
	if a := first.GetAsync(); a.GetRequestId() == "" || a.GetStatus() != pb.AsyncQueryStatus_ASYNC_QUERY_STATUS_IN_PROGRESS || len(first.Tree) > 0 {
		t.Fatalf("submitted: %v", first)
	}
	poll := func(id string) (*pb.SelectMergeStacktracesResponse, error) {
		return ask(&pb.SelectMergeStacktracesRequest{Async: &pb.AsyncQueryRequest{Type: force, RequestId: id}})
	}
	for range 2 {
		got := must(poll(first.Async.RequestId))
		if got.Async.GetStatus() != pb.AsyncQueryStatus_ASYNC_QUERY_STATUS_SUCCESS || got.Async.GetRequestId() != first.Async.RequestId || !slices.Equal(got.Tree, want.Tree) {
			t.Errorf("polled: %v, %d bytes, want %d", got.Async, len(got.Tree), len(want.Tree))
		}
	}
	req.Async.Type = pb.AsyncQueryType_ASYNC_QUERY_TYPE_DISABLED
	if got := must(ask(req)); got.Async != nil || !slices.Equal(got.Tree, want.Tree) {
		t.Errorf("not asynchronous: %v", got.Async)
	}
	encoded := func(m proto.Message) string {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	req.Async = &pb.AsyncQueryRequest{Type: force, RequestId: first.Async.RequestId}
	for name, test := range map[string]struct {
		id   string
		code connect.Code
	}{
		"no ID":         {"x!", connect.CodeNotFound},
		"no request":    {base64.RawURLEncoding.EncodeToString([]byte("\xff")), connect.CodeNotFound},
		"asynchronous":  {encoded(req), connect.CodeNotFound},
		"wrong request": {encoded(query("cpu", "{}")), connect.CodeInvalidArgument},
	} {
		if _, err := poll(test.id); connect.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
	for name, change := range map[string]func(*pb.SelectMergeStacktracesRequest){
		"wrong":   func(r *pb.SelectMergeStacktracesRequest) { r.LabelSelector = "{" },
		"too big": func(r *pb.SelectMergeStacktracesRequest) { r.SpanSelector = []string{strings.Repeat("a", maxAsync)} },
	} {
		req := query(cpuType, "{}")
		req.Async = &pb.AsyncQueryRequest{Type: force}
		change(req)
		if _, err := ask(req); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}
