package pyroscope

import (
	"context"
	"encoding/base64"
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// The server keeps nothing of an asynchronous query: its ID is the request itself. The first
// poll runs the query, with the rights and the memory of whoever polls, and has the result.
// So IDs never expire, and any server of a cluster can answer.

// maxAsync is the maximum length of an asynchronous request, in bytes. Its ID is longer, and a
// poll with it has to fit into maxQuery.
const maxAsync = maxQuery / 2

// asyncRequest returns the request that a poll means, or the answer to the request that
// asks for an ID. Other requests are returned unchanged.
func (q queryCalls) asyncRequest(ctx context.Context, req *pb.SelectMergeStacktracesRequest) (*pb.SelectMergeStacktracesRequest, *pb.SelectMergeStacktracesResponse, error) {
	async := req.GetAsync()
	switch {
	case async.GetType() == pb.AsyncQueryType_ASYNC_QUERY_TYPE_DISABLED:
		return req, nil, nil
	case async.GetType() != pb.AsyncQueryType_ASYNC_QUERY_TYPE_FORCE:
		return nil, nil, connect.NewError(connect.CodeUnimplemented, errors.New("hone does not support this type of asynchronous query"))
	case async.GetRequestId() != "":
		asked, err := requestOf(async.GetRequestId())
		return asked, nil, err
	}
	if _, err := q.stacktraces(ctx, req); err != nil {
		return nil, nil, err
	}
	id, err := idOf(req)
	if err != nil {
		return nil, nil, err
	}
	return nil, &pb.SelectMergeStacktracesResponse{Async: &pb.AsyncQueryResponse{RequestId: id, Status: pb.AsyncQueryStatus_ASYNC_QUERY_STATUS_IN_PROGRESS}}, nil
}

func idOf(req *pb.SelectMergeStacktracesRequest) (string, error) {
	alone := proto.CloneOf(req)
	alone.Async = nil
	encoded, err := proto.Marshal(alone)
	if err != nil {
		return "", err
	}
	if len(encoded) > maxAsync {
		return "", badRequest("the request has %d bytes; the limit of asynchronous ones is %d", len(encoded), maxAsync)
	}
	return base64.RawURLEncoding.EncodeToString(encoded), nil
}

func requestOf(id string) (*pb.SelectMergeStacktracesRequest, error) {
	req := &pb.SelectMergeStacktracesRequest{}
	encoded, err := base64.RawURLEncoding.DecodeString(id)
	if err == nil {
		err = proto.Unmarshal(encoded, req)
	}
	if err != nil || req.GetAsync() != nil {
		return nil, connect.NewError(connect.CodeNotFound, errors.New("unknown asynchronous query: start it again"))
	}
	return req, supported(req)
}
