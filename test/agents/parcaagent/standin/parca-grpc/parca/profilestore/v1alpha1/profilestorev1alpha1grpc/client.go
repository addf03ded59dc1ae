// Package profilestorev1alpha1grpc has the client of Parca's ProfileStoreService
// that the reporter of its agent uses.
package profilestorev1alpha1grpc

import (
	"context"

	profilestore "buf.build/gen/go/parca-dev/parca/protocolbuffers/go/parca/profilestore/v1alpha1"
	"google.golang.org/grpc"
)

const service = "/parca.profilestore.v1alpha1.ProfileStoreService/"

// ProfileStoreServiceClient is the client.
type ProfileStoreServiceClient interface {
	Write(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[profilestore.WriteRequest, profilestore.WriteResponse], error)
	WriteArrow(context.Context, *profilestore.WriteArrowRequest, ...grpc.CallOption) (*profilestore.WriteArrowResponse, error)
}

// NewProfileStoreServiceClient returns a client.
func NewProfileStoreServiceClient(cc grpc.ClientConnInterface) ProfileStoreServiceClient {
	return client{cc}
}

type client struct{ cc grpc.ClientConnInterface }

func (c client) Write(ctx context.Context, opts ...grpc.CallOption) (grpc.BidiStreamingClient[profilestore.WriteRequest, profilestore.WriteResponse], error) {
	stream, err := c.cc.NewStream(ctx, &grpc.StreamDesc{StreamName: "Write", ServerStreams: true, ClientStreams: true}, service+"Write", opts...)
	if err != nil {
		return nil, err
	}
	return &grpc.GenericClientStream[profilestore.WriteRequest, profilestore.WriteResponse]{ClientStream: stream}, nil
}

func (c client) WriteArrow(ctx context.Context, req *profilestore.WriteArrowRequest, opts ...grpc.CallOption) (*profilestore.WriteArrowResponse, error) {
	res := new(profilestore.WriteArrowResponse)
	return res, c.cc.Invoke(ctx, service+"WriteArrow", req, res, opts...)
}
