package pyroscope

import (
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// maxQuery is the maximum length of a query, in bytes.
const maxQuery = 1 << 20

// queryCalls are the calls of querier.v1.QuerierService.
type queryCalls struct{ *querier }

// supported returns an error that names an unsupported part of a request. Ignoring
// the part would give a wrong answer.
func supported(req proto.Message) error {
	err := wire.Unsupported(req)
	exemplars := pb.ExemplarType_EXEMPLAR_TYPE_NONE
	switch req := req.(type) {
	case *pb.SelectSeriesRequest:
		exemplars = req.GetExemplarType()
	case *pb.SelectHeatmapRequest:
		exemplars = req.GetExemplarType()
	}
	if err == nil && (exemplars < pb.ExemplarType_EXEMPLAR_TYPE_UNSPECIFIED || exemplars > pb.ExemplarType_EXEMPLAR_TYPE_SPAN) {
		err = fmt.Errorf("hone does not support exemplarType %v", exemplars)
	}
	if err != nil {
		return connect.NewError(connect.CodeUnimplemented, err)
	}
	return nil
}
