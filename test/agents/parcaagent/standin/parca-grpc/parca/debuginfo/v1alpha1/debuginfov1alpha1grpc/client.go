// Package debuginfov1alpha1grpc has the client of Parca's DebuginfoService that
// the reporter of its agent uses.
package debuginfov1alpha1grpc

import (
	"context"

	debuginfo "buf.build/gen/go/parca-dev/parca/protocolbuffers/go/parca/debuginfo/v1alpha1"
	"google.golang.org/grpc"
)

const service = "/parca.debuginfo.v1alpha1.DebuginfoService/"

// DebuginfoService_UploadClient sends a file.
type DebuginfoService_UploadClient = grpc.ClientStreamingClient[debuginfo.UploadRequest, debuginfo.UploadResponse]

// DebuginfoServiceClient is the client.
type DebuginfoServiceClient interface {
	Upload(context.Context, ...grpc.CallOption) (DebuginfoService_UploadClient, error)
	ShouldInitiateUpload(context.Context, *debuginfo.ShouldInitiateUploadRequest, ...grpc.CallOption) (*debuginfo.ShouldInitiateUploadResponse, error)
	InitiateUpload(context.Context, *debuginfo.InitiateUploadRequest, ...grpc.CallOption) (*debuginfo.InitiateUploadResponse, error)
	MarkUploadFinished(context.Context, *debuginfo.MarkUploadFinishedRequest, ...grpc.CallOption) (*debuginfo.MarkUploadFinishedResponse, error)
}

// NewDebuginfoServiceClient returns a client.
func NewDebuginfoServiceClient(cc grpc.ClientConnInterface) DebuginfoServiceClient { return client{cc} }

type client struct{ cc grpc.ClientConnInterface }

func (c client) Upload(ctx context.Context, opts ...grpc.CallOption) (DebuginfoService_UploadClient, error) {
	stream, err := c.cc.NewStream(ctx, &grpc.StreamDesc{StreamName: "Upload", ClientStreams: true}, service+"Upload", opts...)
	if err != nil {
		return nil, err
	}
	return &grpc.GenericClientStream[debuginfo.UploadRequest, debuginfo.UploadResponse]{ClientStream: stream}, nil
}

func (c client) ShouldInitiateUpload(ctx context.Context, req *debuginfo.ShouldInitiateUploadRequest, opts ...grpc.CallOption) (*debuginfo.ShouldInitiateUploadResponse, error) {
	res := new(debuginfo.ShouldInitiateUploadResponse)
	return res, c.cc.Invoke(ctx, service+"ShouldInitiateUpload", req, res, opts...)
}

func (c client) InitiateUpload(ctx context.Context, req *debuginfo.InitiateUploadRequest, opts ...grpc.CallOption) (*debuginfo.InitiateUploadResponse, error) {
	res := new(debuginfo.InitiateUploadResponse)
	return res, c.cc.Invoke(ctx, service+"InitiateUpload", req, res, opts...)
}

func (c client) MarkUploadFinished(ctx context.Context, req *debuginfo.MarkUploadFinishedRequest, opts ...grpc.CallOption) (*debuginfo.MarkUploadFinishedResponse, error) {
	res := new(debuginfo.MarkUploadFinishedResponse)
	return res, c.cc.Invoke(ctx, service+"MarkUploadFinished", req, res, opts...)
}
